; Functions and methods. The receiver's type is the container, without its type arguments.

(function_declaration
  name: (identifier) @name) @definition.function

(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @container
        (generic_type type: (type_identifier) @container)
        (pointer_type [
          (type_identifier) @container
          (generic_type type: (type_identifier) @container)])]))
  name: (field_identifier) @name) @definition.method

(method_declaration
  name: (field_identifier) @name) @definition.method

(func_literal) @scope.local

; Types, at any level.

(type_spec
  name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) @definition.struct

(type_spec
  name: (type_identifier) @name
  type: (interface_type "{" @body)) @definition.interface

(type_spec
  name: (type_identifier) @name) @definition.type

(type_alias
  name: (type_identifier) @name) @definition.type

; Members. A field whose type is a struct has members of its own.

((field_declaration
  (field_identifier) @name
  type: (struct_type)) @definition.field @scope
  (#not-eq? @name "_"))

((field_declaration
  (field_identifier) @name) @definition.field
  (#not-eq? @name "_"))

(field_declaration
  !name
  type: [
    (type_identifier) @name
    (qualified_type name: (type_identifier) @name)
    (generic_type type: (type_identifier) @name)
    (generic_type type: (qualified_type name: (type_identifier) @name))]) @definition.field

(interface_type
  (method_elem
    name: (field_identifier) @name) @definition.method)

; Names are asked for without their field: the grammar gives the comma between them the same one.
; Constants and variables of the package; _ is none. A struct type of a variable has members.

(source_file
  (const_declaration
    (const_spec
      (identifier) @name) @definition.constant)
  (#not-eq? @name "_"))

(source_file
  (var_declaration
    [(var_spec (identifier) @name) @definition.variable @scope
     (var_spec_list
       (var_spec (identifier) @name) @definition.variable @scope)])
  (#not-eq? @name "_"))

; A declaration without parentheses is the definition, keyword included.

((type_declaration [(type_spec) (type_alias)] @inner) @outer
  (#not-match? @outer "^type\\s*\\("))

(source_file
  ((const_declaration (const_spec) @inner) @outer
    (#not-match? @outer "^const\\s*\\(")))

(source_file
  ((var_declaration (var_spec) @inner) @outer))

(comment) @comment

(package_clause (package_identifier) @module)
