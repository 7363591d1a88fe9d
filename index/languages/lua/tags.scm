; Functions: f, a.b.f, a.b:f. What stands before the last name is the container.

(function_statement name: (identifier) @name (function_body) @body) @definition.function
(function_statement name: (identifier) @name) @definition.function
(function_statement name: (function_name . (identifier) @name .) (function_body) @body) @definition.function
(function_statement name: (function_name . (identifier) @name .)) @definition.function
(function_statement
  name: (function_name . (identifier) @container . (_) . (identifier) @name .)
  (function_body) @body) @definition.method
(function_statement name: (function_name . (identifier) @container . (_) . (identifier) @name .)) @definition.method
(function_statement
  name: (function_name . (identifier) @container . (_) . (identifier) @container . (_) . (identifier) @name .)
  (function_body) @body) @definition.method
(function_statement
  name: (function_name . (identifier) @container . (_) . (identifier) @container . (_) . (identifier) @container . (_) . (identifier) @name .)
  (function_body) @body) @definition.method
(function_statement name: (function_name (identifier) @container . (_) . (identifier) @name .)) @definition.method

; A named function: f = function … end, in a table too.

(variable_declaration
  name: (variable_declarator . (identifier) @name .)
  value: (function (function_body) @body)) @definition.function
(variable_declaration
  name: (variable_declarator . (identifier) @name .)
  value: (function)) @definition.function
(variable_declaration
  name: (variable_declarator . (identifier) @container . (identifier) @container . (identifier) @name .)
  value: (function (function_body) @body)) @definition.method
(variable_declaration
  name: (variable_declarator (identifier) @container . (identifier) @name .)
  value: (function (function_body) @body)) @definition.method
(variable_declaration
  name: (variable_declarator (identifier) @container . (identifier) @name .)
  value: (function)) @definition.method
(field name: (identifier) @name value: (function (function_body) @body)) @definition.method
(field name: (identifier) @name value: (function)) @definition.method

(function) @scope.local

; Values.

((variable_declaration name: (variable_declarator . (identifier) @name .)) @definition.constant @scope
  (#match? @name "^\\s*_*[A-Z][A-Z0-9_]*\\s*$"))
(variable_declaration name: (variable_declarator . (identifier) @name .)) @definition.variable @scope
(variable_declaration name: (variable_declarator (identifier) @container . (identifier) @name .)) @definition.field @scope

(field name: (identifier) @name) @definition.field @scope

[(comment) (emmy_documentation) (documentation_class)] @comment
