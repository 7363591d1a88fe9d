(groovy_package (qualified_name) @module)

; Types. The grammar takes an enum for a declaration, and its body for a closure of its own.

(class_definition "interface" name: (identifier) @name body: (_) @body) @definition.interface
(class_definition "@interface" name: (identifier) @name body: (_) @body) @definition.interface
(class_definition name: (identifier) @name body: (_) @body) @definition.class

((declaration type: (identifier) @_enum name: (identifier) @name) @definition.enum @leaf
  (#eq? @_enum "enum"))

; Functions and methods.

; A constructor is given to the parser with a def.

((function_definition function: (identifier) @name body: (_) @body) @definition.constructor
  (#match? @definition.constructor "^\\s*[A-Z]\\w*\\s*\\("))
(function_definition function: (identifier) @name) @definition.function
(function_declaration function: (identifier) @name) @definition.method

; Gradle: task build(type: Copy) { … }, task clean { … }, tasks.register('jar') { … }.

((juxt_function_call function: (identifier) @_task args: (argument_list . (function_call function: (identifier) @name))) @definition.function
  (#eq? @_task "task"))
((juxt_function_call function: (identifier) @_task args: (argument_list . (identifier) @name)) @definition.function
  (#eq? @_task "task"))
((declaration type: (identifier) @_task name: (identifier) @name) @definition.function
  (#eq? @_task "task"))
((function_call function: (dotted_identifier) @_register args: (argument_list . (string) @name)) @definition.function @leaf
  (#any-of? @_register "tasks.register" "tasks.create"))

; Values: those of a class are its closure's.

(class_definition body: (closure (declaration name: (identifier) @name) @definition.field))
(source_file (declaration name: (identifier) @name) @definition.variable)

(annotation) @decorator
[(comment) (groovy_doc)] @comment
