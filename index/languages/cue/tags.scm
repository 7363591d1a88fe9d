(package_clause (package_identifier) @module)

; Definitions begin with #. a: b: c: x has three labels for one value.

((field (label [(identifier) (optional (identifier)) (required (identifier))] @name)) @definition.type
  (#match? @name "^_?#"))

(field
  (label [
    (identifier) @name
    (string) @name
    (optional [(identifier) (string)] @name)
    (required [(identifier) (string)] @name)])) @definition.property @scope

(source_file (let_clause left: (identifier) @name) @definition.constant)
(struct_lit (let_clause left: (identifier) @name) @definition.constant)

(comprehension) @scope.local
(list_lit) @scope.local

(comment) @comment
