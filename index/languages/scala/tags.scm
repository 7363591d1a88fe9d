; The clauses at the top of a file together are its package; the first is taken.

(package_clause name: (package_identifier) @name body: (_)) @definition.namespace
(package_clause name: (package_identifier) @module)
(package_object name: (identifier) @name) @definition.module

; Types, at any level. An object is a class with one value.

(class_definition name: (identifier) @name) @definition.class
(object_definition name: (identifier) @name) @definition.class
(trait_definition name: (identifier) @name) @definition.trait
(enum_definition name: (identifier) @name) @definition.enum
(simple_enum_case name: (identifier) @name) @definition.enumerator
(full_enum_case name: (identifier) @name) @definition.enumerator
(type_definition name: (type_identifier) @name) @definition.type

; Givens are values with members, extensions scopes with their type's name.

(given_definition name: (identifier) @name body: (template_body)) @definition.constant @scope
(given_definition name: (identifier) @name body: (with_template_body)) @definition.constant @scope
(given_definition name: (identifier) @name) @definition.constant
(given_definition body: (with_template_body) @scope)
(extension_definition parameters: (parameters (parameter type: (_) @name))) @scope

; An anonymous class: its members belong to what it stands in.

(instance_expression (template_body) @scope)

; Functions.

((function_definition name: (identifier) @name) @definition.constructor (#eq? @name "this"))
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function

(lambda_expression) @scope.local
(block) @scope.local
(indented_block) @scope.local
(case_block) @scope.local

; Values.

(class_definition
  "case"
  class_parameters: (class_parameters (class_parameter name: (identifier) @name) @definition.field))
(class_parameter ["val" "var"] name: (identifier) @name) @definition.field

(val_definition pattern: (identifier) @name) @definition.constant @scope
(val_definition pattern: (identifiers (identifier) @name)) @definition.constant
(val_definition pattern: (tuple_pattern (identifier) @name)) @definition.constant
(val_definition pattern: (case_class_pattern pattern: (identifier) @name)) @definition.constant
(val_declaration name: (identifier) @name) @definition.constant
(var_definition pattern: (identifier) @name) @definition.variable @scope
(var_definition pattern: (identifiers (identifier) @name)) @definition.variable
(var_definition pattern: (tuple_pattern (identifier) @name)) @definition.variable
(var_declaration name: (identifier) @name) @definition.variable

(annotation) @decorator
[(comment) (block_comment)] @comment
