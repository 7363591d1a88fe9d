; A table encloses its keys: package.version. Of [a.b] the container is a.

(table . [(bare_key) (quoted_key)] @name) @definition.property @scope
(table . (dotted_key (_)? @container . [(bare_key) (quoted_key)] @name .)) @definition.property @scope
(table_array_element . [(bare_key) (quoted_key)] @name) @definition.property @scope
(table_array_element . (dotted_key (_)? @container . [(bare_key) (quoted_key)] @name .)) @definition.property @scope

(document (pair . [(bare_key) (quoted_key)] @name) @definition.property)
(table (pair . [(bare_key) (quoted_key)] @name) @definition.property)
(table (pair . (dotted_key (_)? @container . [(bare_key) (quoted_key)] @name .)) @definition.property)
(table_array_element (pair . [(bare_key) (quoted_key)] @name) @definition.property)

(comment) @comment
