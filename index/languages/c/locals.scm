; C. C++ has its own patterns before these.

(identifier) @local.reference
(type_identifier) @local.reference.type
(field_identifier) @local.reference.member
(preproc_arg) @local.reference.words

(function_definition) @local.scope.function
(parameter_list) @local.scope.parameters
(compound_statement) @local.scope
(for_statement) @local.scope
(preproc_function_def) @local.scope.function

(preproc_params (identifier) @local.definition.scope)

; Parameters. Other variables of functions are known from the query of definitions.

(parameter_declaration
  type: [
    (type_identifier) @local.type
    (struct_specifier name: (type_identifier) @local.type !body)
    (union_specifier name: (type_identifier) @local.type !body)]
  declarator: [
    (identifier) @local.definition
    (array_declarator declarator: (identifier) @local.definition)
    (pointer_declarator
      declarator: [
        (identifier) @local.definition
        (array_declarator declarator: (identifier) @local.definition)
        (pointer_declarator declarator: (identifier) @local.definition)])])

(parameter_declaration
  declarator: [
    (identifier) @local.definition
    (array_declarator declarator: [
      (identifier) @local.definition
      (array_declarator declarator: (identifier) @local.definition)])
    (function_declarator declarator: [
      (identifier) @local.definition
      (parenthesized_declarator (pointer_declarator declarator: (identifier) @local.definition))])
    (pointer_declarator
      declarator: [
        (identifier) @local.definition
        (array_declarator declarator: (identifier) @local.definition)
        (function_declarator
          declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @local.definition)))
        (pointer_declarator
          declarator: [
            (identifier) @local.definition
            (pointer_declarator declarator: (identifier) @local.definition)
            (array_declarator declarator: (identifier) @local.definition)])])
    (array_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @local.definition)))])

; Variables and fields with their type, for the chains that pass them.

(declaration
  type: [
    (type_identifier) @local.type
    (struct_specifier name: (type_identifier) @local.type !body)
    (union_specifier name: (type_identifier) @local.type !body)]
  declarator: [
    (identifier) @local.definition
    (array_declarator declarator: (identifier) @local.definition)
    (pointer_declarator
      declarator: [
        (identifier) @local.definition
        (array_declarator declarator: (identifier) @local.definition)
        (pointer_declarator declarator: (identifier) @local.definition)])
    (init_declarator
      declarator: [
        (identifier) @local.definition
        (array_declarator declarator: (identifier) @local.definition)
        (pointer_declarator
          declarator: [
            (identifier) @local.definition
            (array_declarator declarator: (identifier) @local.definition)
            (pointer_declarator declarator: (identifier) @local.definition)])])])

(field_declaration
  type: [
    (type_identifier) @local.type
    (struct_specifier name: (type_identifier) @local.type !body)
    (union_specifier name: (type_identifier) @local.type !body)]
  declarator: [
    (field_identifier) @local.definition
    (array_declarator declarator: (field_identifier) @local.definition)
    (pointer_declarator
      declarator: [
        (field_identifier) @local.definition
        (array_declarator declarator: (field_identifier) @local.definition)
        (pointer_declarator declarator: (field_identifier) @local.definition)])])

; What a typedef stands for.

(type_definition
  type: [
    (type_identifier) @local.type
    (struct_specifier name: (type_identifier) @local.type)
    (union_specifier name: (type_identifier) @local.type)]
  declarator: [
    (type_identifier) @local.definition
    (pointer_declarator declarator: (type_identifier) @local.definition)])

; Members named without the object: struct T x = {.a = 1}, (struct T){.a = 1}, offsetof(struct T, a).

(declaration
  type: (_) @local.receiver
  declarator: (init_declarator
    value: (initializer_list
      [
        (initializer_pair designator: (field_designator (field_identifier) @local.member))
        (initializer_list
          (initializer_pair designator: (field_designator (field_identifier) @local.member)))])))

(compound_literal_expression
  type: (type_descriptor type: (_) @local.receiver)
  value: (initializer_list
    (initializer_pair designator: (field_designator (field_identifier) @local.member))))

(offsetof_expression
  type: (type_descriptor type: (_) @local.receiver)
  member: (field_identifier) @local.member)

(preproc_include) @import
