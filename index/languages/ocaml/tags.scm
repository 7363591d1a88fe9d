; Modules; a module type is an interface.

((module_binding name: (module_name) @name) @definition.module
  (#match? @name "^[A-Z]"))
(module_type_definition name: (module_type_name) @name) @definition.interface

; Values. What has parameters, or is a function at once, is a function.

(let_binding
  pattern: [(value_name) (parenthesized_operator)] @name
  (parameter)) @definition.function
(let_binding
  pattern: [(value_name) (parenthesized_operator)] @name
  body: [(fun_expression) (function_expression)]) @definition.function
((let_binding pattern: [(value_name) (parenthesized_operator)] @name) @definition.constant @scope
  (#not-eq? @name "_"))
(let_binding pattern: (parenthesized_pattern (tuple_pattern (value_name) @name))) @definition.constant
(let_binding pattern: (tuple_pattern (value_name) @name)) @definition.constant

; A binding on its own is all of its let or type; each of several has the keyword before it.

(value_definition ["let" (let_operator)] . (let_binding) @inner .) @outer
(value_definition (attribute_id) . (let_binding) @inner .) @outer
(value_definition "rec" . (let_binding) @inner .) @outer
(value_definition "let" @decorator . (let_binding) . "and")
(value_definition "let" @decorator . "rec" @decorator . (let_binding) . "and")
(value_definition ["and" (let_and_operator)] @decorator . (let_binding))
(type_definition "type" . (type_binding) @inner .) @outer
(module_definition "module" . (module_binding) @inner .) @outer
(module_definition "rec" . (module_binding) @inner .) @outer
(class_definition "class" . (class_binding) @inner .) @outer
(class_type_definition "type" . (class_type_binding) @inner .) @outer
(type_definition "type" @decorator . (type_binding) . "and")
(type_definition "and" @decorator . (type_binding))

(external [(value_name) (parenthesized_operator)] @name) @definition.function
(value_specification [(value_name) (parenthesized_operator)] @name (function_type)) @definition.function
(value_specification [(value_name) (parenthesized_operator)] @name) @definition.constant

(let_expression (value_definition) @scope.local)

; Types.

(type_binding name: (type_constructor) @name) @definition.type
(exception_definition (constructor_declaration . (constructor_name) @name)) @definition.enumerator
(constructor_declaration . (constructor_name) @name) @definition.enumerator
(field_declaration (field_name) @name) @definition.field

; Classes.

(class_binding name: (class_name) @name) @definition.class
(class_type_binding name: (class_type_name) @name) @definition.interface
(method_definition name: (method_name) @name) @definition.method
(method_specification (method_name) @name) @definition.method
(instance_variable_definition name: (instance_variable_name) @name) @definition.field
(object_expression) @scope

(comment) @comment
