(package_declaration [(identifier) (scoped_identifier)] @module)

(module_declaration name: (_) @name) @definition.module

; Types, at any level.

(class_declaration name: (identifier) @name) @definition.class

(record_declaration name: (identifier) @name) @definition.class

(interface_declaration name: (identifier) @name) @definition.interface

(annotation_type_declaration name: (identifier) @name) @definition.interface

(enum_declaration name: (identifier) @name) @definition.enum

(enum_constant name: (identifier) @name) @definition.enumerator @scope

; An anonymous class: its members belong to what it stands in.

(object_creation_expression (class_body) @scope)

; Methods. One without a body has its signature up to the semicolon, over as many lines as it takes.

(program (method_declaration name: (identifier) @name) @definition.function)

(method_declaration
  name: (identifier) @name
  ";" @body) @definition.method

(method_declaration name: (identifier) @name) @definition.method

(annotation_type_element_declaration name: (identifier) @name) @definition.method

(constructor_declaration name: (identifier) @name) @definition.constructor

(compact_constructor_declaration name: (identifier) @name) @definition.constructor

; Fields. A value that is an anonymous class has members.

(constant_declaration
  declarator: (variable_declarator name: (identifier) @name) @definition.constant @scope)

(field_declaration
  (modifiers "static" "final")
  declarator: (variable_declarator name: (identifier) @name) @definition.constant @scope)

(field_declaration
  declarator: (variable_declarator name: (identifier) @name) @definition.field @scope)

(record_declaration
  parameters: (formal_parameters
    [(formal_parameter name: (identifier) @name) @definition.field
     (spread_parameter (variable_declarator name: (identifier) @name)) @definition.field]))

; A file without a class has variables of its own.

(program
  (local_variable_declaration
    declarator: (variable_declarator name: (identifier) @name) @definition.variable @scope))

; The declaration is the range of each of its names.

(field_declaration declarator: (variable_declarator) @inner) @outer
(constant_declaration declarator: (variable_declarator) @inner) @outer
(program (local_variable_declaration declarator: (variable_declarator) @inner) @outer)

[(annotation) (marker_annotation)] @decorator
[(line_comment) (block_comment)] @comment
