; What JavaScript, TypeScript and TSX share. Patterns that do not look at the place also find what
; stands in functions: values there are dropped, functions and classes stay.

; Functions.

(function_declaration name: (identifier) @name) @definition.function

(generator_function_declaration name: (identifier) @name) @definition.function

; Functions and classes bound to a name; the body is not the definition's own field.

(variable_declarator
  name: (identifier) @name
  value: (_ body: (_) @body)) @definition.function

(variable_declarator
  name: (identifier) @name
  value: (class body: (_) @body)) @definition.class

; A default export without a name is called what it is imported by.

(export_statement
  "default" @name
  value: (_ body: (_) @body)) @definition.function

(export_statement
  "default" @name
  value: (class body: (_) @body)) @definition.class

; A function or class expression's own name counts where nothing else names it.

(arguments
  [(function_expression name: (identifier) @name) @definition.function
   (generator_function name: (identifier) @name) @definition.function
   (class name: (_) @name) @definition.class])

(return_statement
  [(function_expression name: (identifier) @name) @definition.function
   (generator_function name: (identifier) @name) @definition.function
   (class name: (_) @name) @definition.class])

((assignment_expression
  left: (member_expression property: (property_identifier) @_exports)
  right: [
    (function_expression name: (identifier) @name)
    (generator_function name: (identifier) @name)] @definition.function)
  (#eq? @_exports "exports"))

((assignment_expression
  left: (member_expression property: (property_identifier) @_exports)
  right: (class name: (_) @name) @definition.class)
  (#eq? @_exports "exports"))

; Classes. Accessors are methods: they have bodies.

(class_declaration name: (_) @name) @definition.class

(class) @scope

((method_definition name: (property_identifier) @name) @definition.constructor
  (#eq? @name "constructor"))

(method_definition name: (_) @name) @definition.method

(class_static_block) @scope.local

; Variables, with what the parts of their values are called. Destructured names have the whole
; declaration for their range.

(lexical_declaration
  kind: "const"
  (variable_declarator name: (identifier) @name) @definition.constant @scope)

(variable_declarator name: (identifier) @name) @definition.variable @scope

(lexical_declaration
  kind: "const"
  (variable_declarator
    name: [
      (object_pattern [
        (shorthand_property_identifier_pattern) @name
        (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
        (pair_pattern value: (identifier) @name)
        (pair_pattern value: (assignment_pattern left: (identifier) @name))
        (rest_pattern (identifier) @name)])
      (array_pattern [
        (identifier) @name
        (assignment_pattern left: (identifier) @name)
        (rest_pattern (identifier) @name)])]) @definition.constant)

(variable_declarator
  name: [
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
      (pair_pattern value: (identifier) @name)
      (pair_pattern value: (assignment_pattern left: (identifier) @name))
      (rest_pattern (identifier) @name)])
    (array_pattern [
      (identifier) @name
      (assignment_pattern left: (identifier) @name)
      (rest_pattern (identifier) @name)])]) @definition.variable

; Names deeper in a pattern have their part of it.

[(pair_pattern value: [
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
      (pair_pattern value: (identifier) @name)
      (pair_pattern value: (assignment_pattern left: (identifier) @name))
      (rest_pattern (identifier) @name)])
    (assignment_pattern left: (object_pattern (shorthand_property_identifier_pattern) @name))
    (array_pattern [
      (identifier) @name
      (assignment_pattern left: (identifier) @name)
      (rest_pattern (identifier) @name)])]) @definition.variable
 (array_pattern [
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
      (pair_pattern value: (identifier) @name)
      (pair_pattern value: (assignment_pattern left: (identifier) @name))
      (rest_pattern (identifier) @name)])
    (array_pattern [
      (identifier) @name
      (assignment_pattern left: (identifier) @name)
      (rest_pattern (identifier) @name)])]) @definition.variable]

; Loops, handlers and assignments bind no names of the file.

(for_statement initializer: (_) @scope.local)
(for_in_statement left: (_) @scope.local)
(catch_clause parameter: (_) @scope.local)
(assignment_expression left: [(object_pattern) (array_pattern)] @scope.local)

; Members of objects that have a name: functions at any depth, the rest one level deep.

(pair
  key: (_) @name
  value: (_ body: (_) @body)) @definition.method

(pair
  key: (_) @name
  value: (class body: (_) @body)) @definition.class

(pair
  key: [(property_identifier) (string)] @name
  value: (object)) @definition.property @scope

(variable_declarator
  value: (object
    (pair key: (property_identifier) @name) @definition.property))

((variable_declarator
  value: (call_expression
    function: (member_expression) @_freeze
    arguments: (arguments
      (object
        (pair key: (property_identifier) @name) @definition.property))))
  (#eq? @_freeze "Object.freeze"))

; Assignments to members: what a module exports has no container, a prototype's is its class.

((assignment_expression
  left: (member_expression
    object: (_) @_exports
    property: (_) @name)
  right: (_ body: (_) @body)) @definition.function
  (#match? @_exports "^(module\\.)?exports$"))

((assignment_expression
  left: (member_expression
    object: (_) @_exports
    property: (_) @name)
  right: (class body: (_) @body)) @definition.class
  (#match? @_exports "^(module\\.)?exports$"))

((assignment_expression
  left: (member_expression
    object: (_) @_exports
    property: (_) @name)
  right: (_) @_value) @definition.variable @scope
  (#match? @_exports "^(module\\.)?exports$")
  (#not-match? @_value "^(void 0|[A-Za-z_$][\\w$]*)$"))

((assignment_expression
  left: (member_expression
    object: (identifier) @_module
    property: (property_identifier) @_exports)
  right: (object
    (pair
      key: (property_identifier) @name
      value: (_) @_value) @definition.property))
  (#eq? @_module "module")
  (#eq? @_exports "exports")
  (#not-match? @_value "^[A-Za-z_$][\\w$]*$"))

((assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @container property: (property_identifier) @_prototype)
    property: (_) @name)
  right: (_ body: (_) @body)) @definition.method
  (#eq? @_prototype "prototype"))

((assignment_expression
  left: (member_expression object: (_) @name property: (property_identifier) @_prototype)
  right: (object)) @scope
  (#eq? @_prototype "prototype"))

(assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression)] @container
    property: (_) @name)
  right: (_ body: (_) @body)) @definition.method

(assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression)] @container
    property: (_) @name)
  right: (class body: (_) @body)) @definition.class

((assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression)] @container
    property: (property_identifier) @name)
  right: (object)) @definition.property @scope
  (#not-any-of? @name "prototype" "exports"))

; Functions without a name keep their variables to themselves.

(arrow_function) @scope.local
(function_expression) @scope.local
(generator_function) @scope.local

; A declaration of one name is the definition, keyword included; so is the statement around.

(lexical_declaration . (variable_declarator) @inner .) @outer
(variable_declaration . (variable_declarator) @inner .) @outer
(export_statement declaration: (_) @inner) @outer
(expression_statement (assignment_expression) @inner) @outer

(decorator) @decorator
(comment) @comment
