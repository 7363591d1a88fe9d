(package_header (identifier) @module)

; Types. This grammar has no fields: a type's body, and a function's, are captured one by one.

(class_declaration "interface" (type_identifier) @name (class_body) @body) @definition.interface
(class_declaration "interface" (type_identifier) @name) @definition.interface
(class_declaration "enum" (type_identifier) @name (enum_class_body) @body) @definition.enum
(class_declaration "enum" (type_identifier) @name) @definition.enum
(class_declaration (type_identifier) @name (class_body) @body) @definition.class
(class_declaration (type_identifier) @name) @definition.class

; An object is a class with one value. A companion without a name leaves its members to its class.

(object_declaration (type_identifier) @name (class_body) @body) @definition.class
(object_declaration (type_identifier) @name) @definition.class
(companion_object (type_identifier) @name (class_body) @body) @definition.class
(companion_object (type_identifier) @name) @definition.class
(companion_object) @scope

; An anonymous class: its members belong to what it stands in.

(object_literal (class_body) @scope)

(enum_entry (simple_identifier) @name (class_body) @body) @definition.enumerator @scope
(enum_entry (simple_identifier) @name) @definition.enumerator

(type_alias (type_identifier) @name) @definition.type

; Functions; those of another type have it as their container.

(function_declaration
  [(user_type) (nullable_type) (parenthesized_type)] @container . (simple_identifier) @name
  (function_body) @body) @definition.method
(function_declaration
  [(user_type) (nullable_type) (parenthesized_type)] @container . (simple_identifier) @name) @definition.method
(class_body (function_declaration (simple_identifier) @name (function_body) @body) @definition.method)
(class_body (function_declaration (simple_identifier) @name (function_value_parameters)) @definition.method)
(function_declaration (simple_identifier) @name (function_body) @body) @definition.function
(function_declaration (simple_identifier) @name (function_value_parameters)) @definition.function

(secondary_constructor "constructor" @name (statements) @body) @definition.constructor
(secondary_constructor "constructor" @name) @definition.constructor

(lambda_literal) @scope.local
(anonymous_function) @scope.local
(anonymous_initializer) @scope.local
(getter) @scope.local
(setter) @scope.local

; Values. An object or a function as a value encloses its members.

(class_parameter (binding_pattern_kind) (simple_identifier) @name) @definition.property

((property_declaration
  (modifiers (property_modifier) @_const)
  (variable_declaration (simple_identifier) @name)) @definition.constant
  (#eq? @_const "const"))

(property_declaration
  [(user_type) (nullable_type) (parenthesized_type)] @container . (variable_declaration (simple_identifier) @name)) @definition.property @scope

(source_file
  (property_declaration (variable_declaration (simple_identifier) @name)) @definition.variable @scope)

(property_declaration (variable_declaration (simple_identifier) @name)) @definition.property @scope
(property_declaration
  (multi_variable_declaration (variable_declaration (simple_identifier) @name))) @definition.variable

; annotations: at the start of their definition

(modifiers (annotation) @decorator)
[(line_comment) (multiline_comment)] @comment
