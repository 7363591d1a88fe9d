; Names, and where they end, of JavaScript, TypeScript and TSX.

(identifier) @local.reference
(shorthand_property_identifier) @local.reference.shorthand
(shorthand_property_identifier_pattern) @local.reference.shorthand
(property_identifier) @local.reference.member
(private_property_identifier) @local.reference.member
(this) @local.reference.self

(function_declaration) @local.scope.function
(function_expression) @local.scope.function
(generator_function) @local.scope.function
(generator_function_declaration) @local.scope.function
(method_definition) @local.scope.function
(class_static_block) @local.scope.function
(arrow_function) @local.scope.lambda
(statement_block) @local.scope
(for_statement) @local.scope
(for_in_statement) @local.scope
(switch_body) @local.scope
(catch_clause) @local.scope
(class_declaration) @local.scope
(class) @local.scope

; Variables. What stands in no function is a definition of the file.

(lexical_declaration (variable_declarator name: (identifier) @local.definition.scope))

(variable_declaration (variable_declarator name: (identifier) @local.definition.function))

(variable_declarator
  name: (identifier) @local.definition.scope
  value: (new_expression constructor: [
    (identifier) @local.type
    (member_expression property: (_) @local.type)]))

(for_in_statement kind: ["const" "let"] left: (identifier) @local.definition.scope)

(for_in_statement kind: "var" left: (identifier) @local.definition.function)

; What var declares is the whole function's, however it is written.

(variable_declaration (variable_declarator name: (_) @local.hoist))

(for_in_statement kind: "var" left: (_) @local.hoist)

(catch_clause parameter: (identifier) @local.definition.scope)

(arrow_function parameter: (identifier) @local.definition.scope)

(function_expression name: (identifier) @local.definition.own)

(generator_function name: (identifier) @local.definition.own)

; Patterns declare, but where they are assigned to.

(object_pattern [
  (shorthand_property_identifier_pattern) @local.definition.scope
  (object_assignment_pattern left: (shorthand_property_identifier_pattern) @local.definition.scope)
  (pair_pattern value: (identifier) @local.definition.scope)
  (pair_pattern value: (assignment_pattern left: (identifier) @local.definition.scope))])

(object_pattern (pair_pattern key: (property_identifier) @local.part))

(array_pattern [
  (identifier) @local.definition.scope
  (assignment_pattern left: (identifier) @local.definition.scope)])

(rest_pattern (identifier) @local.definition.scope)

(assignment_expression left: [(object_pattern) (array_pattern)] @local.assigned)

(for_in_statement !kind left: [(object_pattern) (array_pattern)] @local.assigned)

; Members by a literal name.

(subscript_expression index: (string (string_fragment) @local.key))

; What a file exports of its own.

(export_statement
  !source
  (export_clause
    (export_specifier name: (identifier) @local.export alias: (identifier) @local.export.as)))

(export_statement
  !source
  (export_clause (export_specifier name: (identifier) @local.export !alias)))

(export_statement "default" value: (identifier) @local.export.default)

(export_statement "default" declaration: (_ name: (_) @local.export.default))

((assignment_expression
  left: (member_expression object: (_) @_exports property: (property_identifier) @local.export.as)
  right: (identifier) @local.export)
  (#match? @_exports "^(module\\.)?exports$"))

((assignment_expression
  left: (member_expression) @_exports
  right: [
    (identifier) @local.export.module
    (class name: (_) @local.export.module)
    (function_expression name: (identifier) @local.export.module)])
  (#eq? @_exports "module.exports"))

((assignment_expression
  left: (member_expression) @_exports
  right: (object [
    (shorthand_property_identifier) @local.export
    (pair key: (property_identifier) @local.export.as value: (identifier) @local.export)]))
  (#eq? @_exports "module.exports"))

((assignment_expression
  left: (member_expression) @_exports
  right: (object [
    (pair key: (property_identifier) @local.export)
    (method_definition name: (property_identifier) @local.export)]))
  (#eq? @_exports "module.exports"))

; What it takes from others.

(import_statement) @import

(export_statement source: (_)) @import

((variable_declarator
  value: [
    (call_expression function: (identifier) @_require)
    (member_expression object: (call_expression function: (identifier) @_require))]) @import
  (#eq? @_require "require"))

(variable_declarator
  value: (await_expression (call_expression function: (import)))) @import

((assignment_expression
  left: (member_expression) @_exports
  right: [
    (call_expression function: (identifier) @_require)
    (member_expression object: (call_expression function: (identifier) @_require))]) @import
  (#eq? @_require "require")
  (#match? @_exports "^(module\\.)?exports\\b"))

(update_expression argument: [
  (identifier) @local.write
  (member_expression property: (_) @local.write)])
