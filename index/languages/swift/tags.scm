; Types, at any level. An extension is a scope with its type's name.

(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @definition.enum
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @definition.struct
(class_declaration declaration_kind: ["class" "actor"] name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "extension" name: (_) @name) @scope
(protocol_declaration name: (type_identifier) @name) @definition.interface

(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type

(enum_entry name: (simple_identifier) @name) @definition.enumerator

; Functions. The name is what follows func: to ask for its kinds of nodes costs half a second when the query
; is compiled, and operators are of many kinds.

((function_declaration "func" . _ @name) @definition.function
  (#match? @name "^(`?[\\pL_$][\\pL\\pM\\pN_$]*`?|[^\\pL\\pN\\s(){}:,;`]+)$"))
((protocol_function_declaration "func" . _ @name) @definition.method
  (#match? @name "^(`?[\\pL_$][\\pL\\pM\\pN_$]*`?|[^\\pL\\pN\\s(){}:,;`]+)$"))
(init_declaration name: "init" @name) @definition.constructor
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name (computed_property) @body) @definition.method
(subscript_declaration "subscript" @name) @definition.method

(macro_declaration (simple_identifier) @name) @definition.macro
(operator_declaration (custom_operator) @name) @definition.function
(precedence_group_declaration (simple_identifier) @name) @definition.type

(lambda_literal) @scope.local
(computed_property) @scope.local
(computed_getter) @scope.local
(computed_setter) @scope.local
(willset_didset_block) @scope.local

; Values. A property with a getter encloses nothing that anybody else sees.

(source_file
  (property_declaration
    (value_binding_pattern mutability: "let")
    name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant @scope)
(source_file
  (property_declaration
    name: (pattern bound_identifier: (simple_identifier) @name)
    computed_value: (_) @body) @definition.variable @scope)
(source_file
  (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable @scope)
(source_file
  (property_declaration name: (pattern (pattern (simple_identifier) @name))) @definition.variable)

(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_) @body) @definition.property @scope
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property @scope
(protocol_property_declaration name: (pattern (simple_identifier) @name)) @definition.property

(modifiers (attribute) @decorator)
[(comment) (multiline_comment)] @comment
