; What TypeScript adds; TSX uses this file too.

(type_identifier) @local.reference.type

(abstract_class_declaration) @local.scope
(interface_declaration) @local.scope
(type_alias_declaration) @local.scope
(enum_declaration) @local.scope
(function_signature) @local.scope.function
(method_signature) @local.scope.function
(abstract_method_signature) @local.scope.function
(call_signature) @local.scope.function
(construct_signature) @local.scope.function
(function_type) @local.scope.function
(constructor_type) @local.scope.function
(conditional_type) @local.scope
(index_signature) @local.scope

; var ends with a namespace.

(internal_module body: (_) @local.hoist.to)

(module body: (_) @local.hoist.to)

(type_parameter name: (type_identifier) @local.definition.scope)

(infer_type (type_identifier) @local.definition.scope)

(mapped_type_clause name: (type_identifier) @local.definition.scope)

(index_signature name: (identifier) @local.definition.scope)

; Parameters and variables, with their type where it is written: x: T, x: ns.T, x: T<U>, x?: T | null.

(required_parameter
  pattern: (identifier) @local.definition.scope
  type: (type_annotation [
    (type_identifier) @local.type
    (nested_type_identifier) @local.type
    (generic_type name: (_) @local.type)
    (union_type . [
      (type_identifier) @local.type
      (nested_type_identifier) @local.type
      (generic_type name: (_) @local.type)] . (literal_type [(null) (undefined)]) .)]))

(required_parameter pattern: (identifier) @local.definition.scope)

(optional_parameter
  pattern: (identifier) @local.definition.scope
  type: (type_annotation [
    (type_identifier) @local.type
    (nested_type_identifier) @local.type
    (generic_type name: (_) @local.type)
    (union_type . [
      (type_identifier) @local.type
      (nested_type_identifier) @local.type
      (generic_type name: (_) @local.type)] . (literal_type [(null) (undefined)]) .)]))

(optional_parameter pattern: (identifier) @local.definition.scope)

(variable_declarator
  name: (identifier) @local.definition.scope
  type: (type_annotation [
    (type_identifier) @local.type
    (nested_type_identifier) @local.type
    (generic_type name: (_) @local.type)
    (union_type . [
      (type_identifier) @local.type
      (nested_type_identifier) @local.type
      (generic_type name: (_) @local.type)] . (literal_type [(null) (undefined)]) .)]))

(variable_declarator
  name: (identifier) @local.definition.scope
  value: (as_expression (_) [
    (type_identifier) @local.type
    (nested_type_identifier) @local.type
    (generic_type name: (_) @local.type)]))

(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @local.definition
  type: (type_annotation [
    (type_identifier) @local.type
    (nested_type_identifier) @local.type
    (generic_type name: (_) @local.type)
    (union_type . [
      (type_identifier) @local.type
      (nested_type_identifier) @local.type
      (generic_type name: (_) @local.type)] . (literal_type [(null) (undefined)]) .)]))

(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @local.definition
  value: (new_expression constructor: [
    (identifier) @local.type
    (member_expression property: (_) @local.type)]))

(property_signature
  name: (property_identifier) @local.definition
  type: (type_annotation [
    (type_identifier) @local.type
    (nested_type_identifier) @local.type
    (generic_type name: (_) @local.type)
    (union_type . [
      (type_identifier) @local.type
      (nested_type_identifier) @local.type
      (generic_type name: (_) @local.type)] . (literal_type [(null) (undefined)]) .)]))

(export_statement "=" (identifier) @local.export.module)

; T["name"]

(lookup_type
  . [
    (type_identifier) @local.receiver
    (nested_type_identifier) @local.receiver
    (generic_type name: (_) @local.receiver)]
  (literal_type (string (string_fragment) @local.key)))

(lookup_type (literal_type (string (string_fragment) @local.key)))
