(package (full_ident) @module)

; extend is given to the parser as message: its fields are nobody's. So is a group.

((message (message_name (identifier) @name) (message_body) @body) @definition.class
  (#match? @definition.class "^(message|optional|required|repeated)\\b"))
((message) @scope
  (#not-match? @scope "^(message|optional|required|repeated)\\b"))

(field (identifier) @name) @definition.field
(map_field (identifier) @name) @definition.field
(oneof_field (identifier) @name) @definition.field
(oneof (identifier) @name) @definition.field

(enum (enum_name (identifier) @name) (enum_body) @body) @definition.enum
(enum_field (identifier) @name) @definition.enumerator

(service (service_name (identifier) @name) "{" @body) @definition.interface
(rpc (rpc_name (identifier) @name)) @definition.method

(comment) @comment
