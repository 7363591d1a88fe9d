; Names, and where they end.

(identifier) @local.reference
(type_identifier) @local.reference.type
(field_identifier) @local.reference.member
(package_identifier) @local.reference

(function_declaration) @local.scope.function
(method_declaration) @local.scope.function
(func_literal) @local.scope.function
(block) @local.scope
(if_statement) @local.scope
(for_statement) @local.scope
(expression_switch_statement) @local.scope
(type_switch_statement) @local.scope
(select_statement) @local.scope
(expression_case) @local.scope
(type_case) @local.scope
(default_case) @local.scope
(communication_case) @local.scope
(function_type) @local.scope
(method_elem) @local.scope
(type_spec) @local.scope

; Variables, with their type where it is written: x T, x *T, x = T{}, x = &T{}.

; Parameters are known behind their list: in f(a a.T) the type is not the parameter's.

(parameter_list
  (parameter_declaration
    name: (identifier) @local.definition
    type: (_) @local.shape)) @local.statement

(parameter_list (variadic_parameter_declaration name: (identifier) @local.definition)) @local.statement

(type_parameter_declaration name: (identifier) @local.definition.scope)

(var_spec
  name: (identifier) @local.definition
  type: (_) @local.shape) @local.statement

(var_spec
  name: (identifier) @local.definition
  value: (expression_list . (_) @local.shape)) @local.statement

(var_spec (identifier) @local.definition) @local.statement

(const_spec (identifier) @local.definition) @local.statement

(short_var_declaration
  left: (expression_list (identifier) @local.definition)
  right: (expression_list . (_) @local.shape)) @local.statement

(range_clause
  left: (expression_list (identifier) @local.definition)
  ":=") @local.statement

(receive_statement
  left: (expression_list (identifier) @local.definition)
  ":=") @local.statement

(type_switch_statement
  alias: (expression_list (identifier) @local.definition.scope))

; The type parameters of a method's receiver: func (s *Stack[T]).

(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @local.definition.scope)))
        (pointer_type (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @local.definition.scope))))])))

; Fields, for the chains that pass them.

(field_declaration
  name: (field_identifier) @local.definition
  type: (_) @local.shape)

; A function has the members of its first result.

(function_declaration
  name: (identifier) @local.definition
  result: (_) @local.shape)

(method_declaration
  name: (field_identifier) @local.definition
  result: (_) @local.shape)

(method_elem
  name: (field_identifier) @local.definition
  result: (_) @local.shape)

; T{Name: value}: a field, but of a map or an array an expression like any other.

(composite_literal
  type: [
    (type_identifier) @local.receiver
    (qualified_type) @local.receiver
    (generic_type type: (_) @local.receiver)]
  body: (literal_value (keyed_element . (literal_element (identifier) @local.member))))

(keyed_element . (literal_element (identifier) @local.member))

(assignment_statement
  left: (expression_list [
    (identifier) @local.write
    (selector_expression field: (field_identifier) @local.write)]))


(package_clause (package_identifier) @local.ignore)

(import_spec) @import
