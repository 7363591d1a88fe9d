(function_definition name: (word) @name) @definition.function

; alias x=y is given to the parser as local x=y.

((declaration_command "local" @_kind (variable_assignment name: (variable_name) @name)) @definition.macro
  (#eq? @_kind "alias"))

; Variables, where they are nobody's own.

((declaration_command ["readonly"] (variable_assignment name: (variable_name) @name)) @definition.constant)
((declaration_command ["export" "declare" "typeset"] (variable_assignment name: (variable_name) @name)) @definition.variable)
((declaration_command ["declare" "typeset"] (variable_name) @name) @definition.variable)

(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (variable_assignments (variable_assignment name: (variable_name) @name) @definition.variable))
(if_statement (variable_assignment name: (variable_name) @name) @definition.variable)
(else_clause (variable_assignment name: (variable_name) @name) @definition.variable)
(elif_clause (variable_assignment name: (variable_name) @name) @definition.variable)

(subshell) @scope.local
(command_substitution) @scope.local

(comment) @comment
