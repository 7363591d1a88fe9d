; What JavaScript, TypeScript and TSX share. Patterns that do not look at the place also find what
; stands in functions: values there are dropped, functions and classes stay.

; Functions.

(function_declaration name: (identifier) @name) @definition.function

(generator_function_declaration name: (identifier) @name) @definition.function

; Functions and classes bound to a name; the body is not the definition's own field.

(variable_declarator
  name: (identifier) @name
  value: (class body: (_) @body)) @definition.class

(variable_declarator
  name: (identifier) @name
  value: (_ body: (_) @body)) @definition.function

; The own name of a function or class expression is a local variable, and dropped as such, where
; something else names the value; these patterns win over the two below them.

(variable_declarator
  name: (identifier)
  value: (_ name: (_) @name @definition.variable body: (_)))

(pair value: (_ name: (_) @name @definition.variable body: (_)))

((assignment_expression
  left: (member_expression property: (_) @_property)
  right: (_ name: (_) @name @definition.variable body: (_)))
  (#not-eq? @_property "exports"))

(function_expression name: (identifier) @name) @definition.function

(class name: (_) @name) @definition.class

(class name: (_) @scope.local)

; A default export without a name is called what it is imported by.

(export_statement
  "default" @name
  value: (class body: (_) @body)) @definition.class

(export_statement
  "default" @name
  value: (_ body: (_) @body)) @definition.function

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

(lexical_declaration
  kind: "let"
  (variable_declarator name: (identifier) @name) @definition.variable @scope)

(variable_declaration
  (variable_declarator name: (identifier) @name) @definition.variable @scope)

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

(lexical_declaration
  kind: "let"
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
        (rest_pattern (identifier) @name)])]) @definition.variable)

(variable_declaration
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
        (rest_pattern (identifier) @name)])]) @definition.variable)

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

(pair key: (_) @name value: (object)) @definition.property @scope

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

; Assignments to members. A prototype's are its class's.

((assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @container property: (property_identifier) @_prototype)
    property: (_) @name)
  right: (_ body: (_) @body)) @definition.method
  (#eq? @_prototype "prototype"))

((assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression)] @container
    property: (_) @name)
  right: (class body: (_) @body)) @definition.class
  (#not-eq? @name "exports"))

((assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression)] @container
    property: (_) @name)
  right: (_ body: (_) @body)) @definition.method
  (#not-eq? @name "exports"))

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

; A declaration of one name is the definition, keyword included.

(lexical_declaration . (variable_declarator) @inner .) @outer
(variable_declaration . (variable_declarator) @inner .) @outer
(export_statement declaration: (_) @inner) @outer

(decorator) @decorator
(comment) @comment
