(file_scoped_namespace_declaration name: (_) @module)
(namespace_declaration name: (identifier) @name) @definition.namespace
(namespace_declaration name: (qualified_name qualifier: (_) @container name: (_) @name)) @definition.namespace

; Types, at any level. A type without a body is given to the parser as a record.

(class_declaration name: (identifier) @name) @definition.class
((record_declaration name: (identifier) @name) @definition.struct
  (#match? @definition.struct "^[^({]*\\bstruct\\b"))
((record_declaration name: (identifier) @name) @definition.interface
  (#match? @definition.interface "^[^({]*\\binterface\\b"))
(record_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(delegate_declaration name: (identifier) @name) @definition.type

(enum_member_declaration name: (identifier) @name) @definition.enumerator

; The parameters of a record are its properties.

((record_declaration
  (parameter_list (parameter name: (identifier) @name) @definition.property)) @_record
  (#match? @_record "^[^({]*\\brecord\\b"))

; Methods. One without a body has its signature up to the semicolon.

(method_declaration name: (identifier) @name ";" @body) @definition.method
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.constructor
(destructor_declaration name: (identifier) @name) @definition.method
(operator_declaration operator: _ @name) @definition.method
(indexer_declaration "this" @name accessors: (_) @body) @definition.property
(indexer_declaration "this" @name) @definition.property
(local_function_statement name: (identifier) @name) @definition.function

(lambda_expression) @scope.local
(anonymous_method_expression) @scope.local
(accessor_declaration) @scope.local

; Values.

(property_declaration name: (identifier) @name accessors: (_) @body) @definition.property @scope
(property_declaration name: (identifier) @name value: (arrow_expression_clause) @body) @definition.property @scope
(property_declaration name: (identifier) @name) @definition.property
(event_declaration name: (identifier) @name accessors: (_) @body) @definition.property @scope
(event_declaration name: (identifier) @name) @definition.property

(event_field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name) @definition.field))

((field_declaration
  (modifier) @_const
  (variable_declaration (variable_declarator name: (identifier) @name) @definition.constant))
  (#eq? @_const "const"))

(field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name) @definition.field))

(global_statement
  (local_declaration_statement
    (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable)))

; The declaration is the range of each of its names.

(field_declaration (variable_declaration (variable_declarator) @inner)) @outer
(event_field_declaration (variable_declaration (variable_declarator) @inner)) @outer

(attribute_list) @decorator
(comment) @comment
