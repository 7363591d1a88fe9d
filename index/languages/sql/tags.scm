; What CREATE makes. A schema before the name is its container.

(create_table . (keyword_create) (keyword_table) (object_reference schema: (_)? @container name: (identifier) @name) (column_definitions) @body) @definition.class
(create_table (keyword_table) (object_reference schema: (identifier) @container name: (identifier) @name) ) @definition.class
(create_table (object_reference name: (identifier) @name)) @definition.class
(create_view (object_reference schema: (identifier) @container name: (identifier) @name)) @definition.class
(create_view (object_reference name: (identifier) @name)) @definition.class
(create_materialized_view (object_reference schema: (identifier) @container name: (identifier) @name)) @definition.class
(create_materialized_view (object_reference name: (identifier) @name)) @definition.class
(create_type (object_reference name: (identifier) @name)) @definition.type
(create_function . (_) (object_reference name: (identifier) @name)) @definition.function
(create_trigger (keyword_trigger) . (object_reference name: (identifier) @name)) @definition.function
(create_sequence (object_reference name: (identifier) @name)) @definition.variable
(create_index column: (identifier) @name (keyword_on)) @definition.constant
(create_schema (identifier) @name) @definition.namespace
(create_database (identifier) @name) @definition.namespace
(create_role (identifier) @name) @definition.variable
(create_extension (identifier) @name) @definition.module

(column_definition name: (identifier) @name) @definition.field

(cte . (identifier) @name) @definition.constant

[(comment) (marginalia)] @comment
