; Types.

(struct_item
  name: (type_identifier) @name
  body: (ordered_field_declaration_list)
  ";" @body) @definition.struct

(struct_item
  name: (type_identifier) @name) @definition.struct

(enum_item
  name: (type_identifier) @name) @definition.enum

(union_item
  name: (type_identifier) @name) @definition.union

(trait_item
  name: (type_identifier) @name) @definition.trait

(type_item
  name: (type_identifier) @name) @definition.type

(associated_type
  name: (type_identifier) @name) @definition.type

; Members. A variant may have fields of its own; what it holds belongs into its signature, so its body
; is said to start where it starts itself.

(field_declaration
  name: (field_identifier) @name) @definition.field

(enum_variant
  name: (identifier) @name @body) @definition.enumerator @scope

; Functions. Those in an impl or a trait are methods by their place.

(function_item
  name: (identifier) @name) @definition.function

(function_signature_item
  name: (identifier) @name) @definition.function

(closure_expression) @scope.local

; An impl encloses its items under the name of the type. crate, self and super say nothing there.

((impl_item
  type: (_) @name) @scope
  (#not-match? @name "^(crate|self|super)::"))

((impl_item
  type: [
    (scoped_type_identifier name: (type_identifier) @name)
    (generic_type type: (scoped_type_identifier name: (type_identifier) @name))] @_path) @scope
  (#match? @_path "^(crate|self|super)::"))

; Modules, values, macros.

(mod_item
  name: (identifier) @name) @definition.module

((const_item
  name: (identifier) @name) @definition.constant
  (#not-eq? @name "_"))

(static_item
  name: (identifier) @name) @definition.variable

(macro_definition
  name: (identifier) @name) @definition.macro

(attribute_item) @decorator

(line_comment) @comment
(block_comment) @comment
