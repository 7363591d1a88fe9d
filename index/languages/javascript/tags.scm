; What JavaScript's grammar names differently, and fields that only a constructor shows.

(field_definition
  property: (_) @name
  value: (_ body: (_) @body)) @definition.method

(field_definition
  property: (_) @name
  value: (class body: (_) @body)) @definition.class

(field_definition property: (_) @name) @definition.field @scope

((method_definition
  name: (property_identifier) @_constructor
  body: (statement_block
    (expression_statement
      (assignment_expression
        left: (member_expression
          object: (this)
          property: (property_identifier) @name)) @definition.field @hoist)))
  (#eq? @_constructor "constructor"))

; In a function that makes objects: this.push = function () {}.

(assignment_expression
  left: (member_expression
    object: (this)
    property: (property_identifier) @name)
  right: (_ body: (_) @body)) @definition.method

; Undeclared.

(program
  (expression_statement
    (assignment_expression
      left: (identifier) @name
      right: (_ body: (_) @body)) @definition.function))
