; Classes and functions. In a class a function is a method and a variable a field, by the engine.

(class_definition
  name: (identifier) @name) @definition.class

((class_definition
  body: (block . (expression_statement . (string) @doc .))))

(function_definition
  name: (identifier) @name) @definition.function

((function_definition
  body: (block . (expression_statement . (string) @doc .))))

; @decorator nodes right before a definition become part of it.
(decorator) @decorator

(lambda) @scope.local

; A named lambda is a function, in a function too.

(assignment
  left: (identifier) @name
  right: (lambda body: (_) @body)) @definition.function

; Assigned names: x = 1, x: int = 1, x: int, x = y = 1, (a, [b, *c]) = ... Names in capitals are constants.

((assignment
  left: (identifier) @name) @definition.constant
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))

; A plain list of what a module exports: see exportsPython.

((assignment
  left: (identifier) @name
  right: [(list) (tuple)]) @definition.constant
  (#eq? @name "__all__"))

(assignment
  left: (identifier) @name) @definition.variable

(assignment
  left: [
    (pattern_list [
      (identifier) @name
      (list_splat_pattern (identifier) @name)
      (tuple_pattern (identifier) @name)
      (list_pattern (identifier) @name)])
    (tuple_pattern [
      (identifier) @name
      (list_splat_pattern (identifier) @name)
      (tuple_pattern (identifier) @name)
      (list_pattern (identifier) @name)])
    (list_pattern [
      (identifier) @name
      (list_splat_pattern (identifier) @name)
      (tuple_pattern (identifier) @name)
      (list_pattern (identifier) @name)])]) @definition.variable

; self.x = 1 in a method is a field of the class.

((assignment
  left: (attribute
    object: (identifier) @_self
    attribute: (identifier) @name)) @definition.field @hoist
  (#eq? @_self "self"))

; type X[T] = ...

(type_alias_statement
  . (type [
      (identifier) @name
      (generic_type . (identifier) @name)])) @definition.type

(comment) @comment
