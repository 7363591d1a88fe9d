; C++, before the patterns of C.

(namespace_identifier) @local.reference
(this) @local.reference.self

(namespace_definition) @local.scope
(class_specifier) @local.scope
(struct_specifier) @local.scope
(union_specifier) @local.scope
(enum_specifier) @local.scope
(template_declaration) @local.scope
(lambda_expression) @local.scope.function
(catch_clause) @local.scope.function
(for_range_loop) @local.scope
(if_statement) @local.scope
(while_statement) @local.scope
(switch_statement) @local.scope

; Parameters by reference, with their type.

(parameter_declaration
  type: [
    (type_identifier) @local.type
    (qualified_identifier name: (type_identifier) @local.type)
    (qualified_identifier name: (qualified_identifier name: (type_identifier) @local.type))
    (template_type name: (type_identifier) @local.type)
    (qualified_identifier name: (template_type name: (type_identifier) @local.type))]
  declarator: [
    (identifier) @local.definition
    (pointer_declarator declarator: (identifier) @local.definition)
    (reference_declarator (identifier) @local.definition)])

(parameter_declaration
  declarator: (reference_declarator [
    (identifier) @local.definition
    (parenthesized_declarator (identifier) @local.definition)
    (function_declarator
      declarator: (parenthesized_declarator (reference_declarator (identifier) @local.definition)))]))

(optional_parameter_declaration
  declarator: [
    (identifier) @local.definition
    (pointer_declarator declarator: (identifier) @local.definition)
    (reference_declarator (identifier) @local.definition)])

(variadic_parameter_declaration
  declarator: [
    (variadic_declarator (identifier) @local.definition)
    (reference_declarator (variadic_declarator (identifier) @local.definition))])

(type_parameter_declaration (type_identifier) @local.definition)
(variadic_type_parameter_declaration (type_identifier) @local.definition)
(optional_type_parameter_declaration name: (type_identifier) @local.definition)

; Variables.

(declaration
  type: [
    (type_identifier) @local.type
    (qualified_identifier name: (type_identifier) @local.type)
    (qualified_identifier name: (qualified_identifier name: (type_identifier) @local.type))
    (template_type name: (type_identifier) @local.type)
    (qualified_identifier name: (template_type name: (type_identifier) @local.type))]
  declarator: [
    (identifier) @local.definition
    (pointer_declarator declarator: (identifier) @local.definition)
    (reference_declarator (identifier) @local.definition)
    (function_declarator declarator: (identifier) @local.definition)
    (init_declarator
      declarator: [
        (identifier) @local.definition
        (pointer_declarator declarator: (identifier) @local.definition)
        (reference_declarator (identifier) @local.definition)])])

(field_declaration
  type: [
    (qualified_identifier name: (type_identifier) @local.type)
    (template_type name: (type_identifier) @local.type)
    (qualified_identifier name: (template_type name: (type_identifier) @local.type))]
  declarator: [
    (field_identifier) @local.definition
    (pointer_declarator declarator: (field_identifier) @local.definition)
    (reference_declarator (field_identifier) @local.definition)])

(for_range_loop
  type: [
    (type_identifier) @local.type
    (qualified_identifier name: (type_identifier) @local.type)
    (template_type name: (type_identifier) @local.type)
    (qualified_identifier name: (template_type name: (type_identifier) @local.type))]
  declarator: [
    (identifier) @local.definition.scope
    (pointer_declarator declarator: (identifier) @local.definition.scope)
    (reference_declarator (identifier) @local.definition.scope)])

(for_range_loop
  declarator: [
    (identifier) @local.definition.scope
    (pointer_declarator declarator: (identifier) @local.definition.scope)
    (reference_declarator (identifier) @local.definition.scope)])

(structured_binding_declarator (identifier) @local.definition)

(lambda_capture_specifier (assignment_expression left: (identifier) @local.definition.function))

(alias_declaration
  name: (type_identifier) @local.definition
  type: (type_descriptor
    type: [
      (type_identifier) @local.type
      (qualified_identifier name: (type_identifier) @local.type)
      (template_type name: (type_identifier) @local.type)
      (qualified_identifier name: (template_type name: (type_identifier) @local.type))]))

(field_initializer . (field_identifier) @local.bare)
(field_initializer . (template_method name: (field_identifier) @local.bare))

(using_declaration) @import
(namespace_alias_definition) @import
