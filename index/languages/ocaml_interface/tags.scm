; Values, which the parser is given as types: see sanitizeInterface.

((type_definition ["type" "and"] @_val @decorator . (type_binding name: (type_constructor) @name (function_type)) @definition.function)
  (#match? @_val "^\\s*val$"))
((type_definition ["type" "and"] @_val @decorator . (type_binding name: (type_constructor) @name) @definition.constant)
  (#match? @_val "^\\s*val$"))
