; A value at the very start is given to the parser as one with a value.

((value_definition "let" @_val @decorator . (let_binding pattern: (value_name) @name) @definition.function)
  (#eq? @_val "val")
  (#match? @definition.function "->"))
((value_definition "let" @_val @decorator . (let_binding pattern: (value_name) @name) @definition.constant)
  (#eq? @_val "val"))

; Values, which the parser is given as types: see sanitizeInterface.

((type_definition ["type" "and"] @_val @decorator . (type_binding name: (type_constructor) @name (function_type)) @definition.function)
  (#match? @_val "^\\s*val$"))
((type_definition ["type" "and"] @_val @decorator . (type_binding name: (type_constructor) @name) @definition.constant)
  (#match? @_val "^\\s*val$"))
