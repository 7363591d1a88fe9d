(identifier) @local.reference
(type_identifier) @local.reference.type
(field_identifier) @local.reference.member
(shorthand_field_identifier) @local.reference
(self) @local.reference.self
(crate) @local.reference
(super) @local.reference

(function_item) @local.scope.function
(function_signature_item) @local.scope.function
(closure_expression) @local.scope.function
(block) @local.scope
(match_arm) @local.scope
(if_expression) @local.scope
(while_expression) @local.scope
(for_expression) @local.scope
(mod_item) @local.scope
(impl_item) @local.scope.members
(trait_item) @local.scope.members
(struct_item) @local.scope
(enum_item) @local.scope
(union_item) @local.scope
(type_item) @local.scope
(macro_rule) @local.scope.function

; Type parameters.

(type_parameters (type_identifier) @local.definition.scope)
(constrained_type_parameter left: (type_identifier) @local.definition.scope)
(optional_type_parameter name: (type_identifier) @local.definition.scope)
(const_parameter name: (identifier) @local.definition.scope)

; Parameters and variables, with their type where it is written or plain.

(parameter
  pattern: (identifier) @local.definition.scope
  type: [
    (type_identifier) @local.type
    (scoped_type_identifier) @local.type
    (generic_type type: (_) @local.type)
    (reference_type type: [
      (type_identifier) @local.type
      (scoped_type_identifier) @local.type
      (generic_type type: (_) @local.type)])])
(parameter pattern: (identifier) @local.definition.scope)
(closure_parameters (identifier) @local.definition.scope)

(let_declaration
  pattern: (identifier) @local.definition
  type: [
    (type_identifier) @local.type
    (scoped_type_identifier) @local.type
    (generic_type type: (_) @local.type)
    (reference_type type: [
      (type_identifier) @local.type
      (scoped_type_identifier) @local.type
      (generic_type type: (_) @local.type)])]) @local.statement
(let_declaration
  pattern: (identifier) @local.definition
  !type
  value: [
    (struct_expression name: (_) @local.type)
    (reference_expression value: (struct_expression name: (_) @local.type))]) @local.statement
(let_declaration pattern: (identifier) @local.definition) @local.statement

(for_expression pattern: (identifier) @local.definition)

; In other patterns what begins with a capital is a constant or a variant.

((match_pattern . (identifier) @local.definition) (#match? @local.definition "^[a-z_]"))
((let_condition pattern: (identifier) @local.definition) (#match? @local.definition "^[a-z_]"))
((tuple_pattern (identifier) @local.definition) (#match? @local.definition "^[a-z_]"))
((tuple_struct_pattern type: (_) (identifier) @local.definition) (#match? @local.definition "^[a-z_]"))
((slice_pattern (identifier) @local.definition) (#match? @local.definition "^[a-z_]"))
((or_pattern (identifier) @local.definition) (#match? @local.definition "^[a-z_]"))
((field_pattern pattern: (identifier) @local.definition) (#match? @local.definition "^[a-z_]"))
(reference_pattern (identifier) @local.definition)
(ref_pattern (identifier) @local.definition)
(mut_pattern (identifier) @local.definition)
(captured_pattern . (identifier) @local.definition)
(field_pattern name: (shorthand_field_identifier) @local.definition)

; Fields and statics, with their type.

(field_declaration
  name: (field_identifier) @local.definition
  type: [
    (type_identifier) @local.type
    (scoped_type_identifier) @local.type
    (generic_type type: (_) @local.type)
    (reference_type type: [
      (type_identifier) @local.type
      (scoped_type_identifier) @local.type
      (generic_type type: (_) @local.type)])])
(static_item
  name: (identifier) @local.definition
  type: [
    (type_identifier) @local.type
    (scoped_type_identifier) @local.type
    (generic_type type: (_) @local.type)])
(const_item
  name: (identifier) @local.definition
  type: [
    (type_identifier) @local.type
    (scoped_type_identifier) @local.type])
(type_item
  name: (type_identifier) @local.definition
  type: [
    (type_identifier) @local.type
    (scoped_type_identifier) @local.type
    (generic_type type: (_) @local.type)])

; T { field: x, y }, and the same as a pattern.

(struct_expression
  name: (_) @local.receiver
  body: (field_initializer_list [
    (field_initializer field: (field_identifier) @local.member)
    (shorthand_field_initializer (identifier) @local.member)]))
(struct_pattern
  type: (_) @local.receiver
  (field_pattern name: [
    (field_identifier) @local.member
    (shorthand_field_identifier) @local.member]))

(lifetime (identifier) @local.ignore)
(label (identifier) @local.ignore)
(visibility_modifier (crate) @local.ignore)

(use_declaration) @import
(extern_crate_declaration) @import
