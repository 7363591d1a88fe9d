; namespace A\B; says it for the file, namespace A\B { } encloses.

(namespace_definition name: (namespace_name . (name) @name .) body: (_)) @definition.namespace
(namespace_definition name: (namespace_name . (name) @container . (name) @name .) body: (_)) @definition.namespace
(namespace_definition
  name: (namespace_name . (name) @container . (name) @container . (name) @name .)
  body: (_)) @definition.namespace
(namespace_definition
  name: (namespace_name . (name) @container . (name) @container . (name) @container . (name) @name .)
  body: (_)) @definition.namespace
(program (namespace_definition name: (namespace_name) @module . (_)))
(program (namespace_definition name: (namespace_name) @module .))

; Types, at any level.

(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum

; The const of an enum is given to the parser as a case.

((enum_case name: (name) @name) @definition.constant
  (#not-match? @definition.constant "(?is)^(\\#\\[.*\\]\\s*)*case\\b"))
(enum_case name: (name) @name) @definition.enumerator

; An anonymous class: its members belong to what it stands in.

(object_creation_expression (declaration_list) @scope)

; Functions and methods. One without a body has its signature up to the semicolon.

((method_declaration name: (name) @name) @definition.constructor
  (#match? @name "(?i)^__construct$"))
(method_declaration name: (name) @name ";" @body) @definition.method
(method_declaration name: (name) @name) @definition.method
(function_definition name: (name) @name) @definition.function

(anonymous_function_creation_expression) @scope.local
(arrow_function) @scope.local

; A named closure is a function.

(assignment_expression
  left: (variable_name (name) @name)
  right: [
    (anonymous_function_creation_expression body: (_) @body)
    (arrow_function body: (_) @body)]) @definition.function

; Values.

(const_declaration (const_element . (name) @name) @definition.constant)
(const_declaration (const_element) @inner) @outer

(property_declaration (property_element (variable_name (name) @name)) @definition.property)
(property_declaration (property_element) @inner) @outer

(property_promotion_parameter name: (variable_name (name) @name)) @definition.property @hoist

((function_call_expression
  function: (name) @_call
  arguments: (arguments . (argument (string) @name))) @definition.constant
  (#match? @_call "(?i)^define$"))

(program
  (expression_statement
    (assignment_expression left: (variable_name (name) @name) ) @definition.variable))

(attribute_list) @decorator
(comment) @comment
