; What JavaScript's grammar names differently, and what only its older code does. It stands before the
; patterns that it shares with TypeScript.

(field_definition
  property: (_) @name
  value: (class body: (_) @body)) @definition.class

(field_definition
  property: (_) @name
  value: (_ body: (_) @body)) @definition.method

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

; What a module exports has no container. Other names of what has one already are left out.

((assignment_expression
  left: (member_expression object: (_) @_exports property: (property_identifier) @name)
  right: (class body: (_) @body)) @definition.class
  (#match? @_exports "^(module\\.)?exports$"))

((assignment_expression
  left: (member_expression object: (_) @_exports property: (property_identifier) @name)
  right: (_ body: (_) @body)) @definition.function
  (#match? @_exports "^(module\\.)?exports$"))

((assignment_expression
  left: (member_expression object: (_) @_exports property: (property_identifier) @name)
  right: (_) @_value) @definition.variable @scope
  (#match? @_exports "^(module\\.)?exports$")
  (#not-match? @_value "^(void 0|[A-Za-z_$][\\w$]*)$"))

((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @name)
  right: [
    (class !name body: (_) @body) @definition.class
    (arrow_function body: (_) @body) @definition.function
    (function_expression !name body: (_) @body) @definition.function
    (generator_function !name body: (_) @body) @definition.function]) @outer
  (#eq? @_module "module")
  (#eq? @name "exports"))

((assignment_expression
  left: (member_expression) @_exports
  right: (object
    (pair
      key: (property_identifier) @name
      value: (_ !body) @_value) @definition.property @scope))
  (#eq? @_exports "module.exports")
  (#not-match? @_value "^[A-Za-z_$][\\w$]*$"))

((assignment_expression
  left: (member_expression object: (_) @name property: (property_identifier) @_prototype)
  right: (object)) @scope
  (#eq? @_prototype "prototype"))

; Undeclared.

(program
  (expression_statement
    (assignment_expression
      left: (identifier) @name
      right: (_ body: (_) @body)) @definition.function))
