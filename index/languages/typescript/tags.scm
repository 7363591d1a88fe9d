; What TypeScript adds; TSX uses this file too.

; Overloads and ambient functions.

(function_signature name: (identifier) @name) @definition.function

; Types and their members. Names in the parameters of a function type are nobody's.

(abstract_class_declaration name: (_) @name) @definition.class

(interface_declaration name: (_) @name) @definition.interface

(type_alias_declaration name: (_) @name) @definition.type

(enum_declaration name: (_) @name) @definition.enum

(enum_body name: (_) @name @definition.enumerator)

(enum_assignment name: (_) @name) @definition.enumerator

(property_signature name: (_) @name) @definition.property @scope

((method_signature name: (property_identifier) @name) @definition.constructor
  (#eq? @name "constructor"))

(method_signature name: (_) @name) @definition.method

(abstract_method_signature name: (_) @name) @definition.method

[(function_type) (constructor_type) (call_signature) (construct_signature)] @scope.local

; Fields, and parameters of a constructor that are fields.

(public_field_definition
  name: (_) @name
  value: (class body: (_) @body)) @definition.class

(public_field_definition
  name: (_) @name
  value: (_ body: (_) @body)) @definition.method

(public_field_definition name: (_) @name) @definition.field @scope

(method_definition
  parameters: (formal_parameters [
    (required_parameter
      [(accessibility_modifier) (override_modifier) "readonly"]
      pattern: (identifier) @name) @definition.field @hoist
    (optional_parameter
      [(accessibility_modifier) (override_modifier) "readonly"]
      pattern: (identifier) @name) @definition.field @hoist]))

; Members of an object with a type: as const, satisfies.

(variable_declarator
  value: [
    (as_expression (object (pair key: (property_identifier) @name) @definition.property))
    (satisfies_expression (object (pair key: (property_identifier) @name) @definition.property))
    (satisfies_expression
      (as_expression (object (pair key: (property_identifier) @name) @definition.property)))])

; Namespaces. What stands in "declare global" is global, as it would be without.

(module name: (string) @name) @definition.module

(module name: (identifier) @name) @definition.namespace

(module
  name: (nested_identifier object: (_) @container property: (_) @name)) @definition.namespace

(internal_module name: [(identifier) (string)] @name) @definition.namespace

(internal_module
  name: (nested_identifier object: (_) @container property: (_) @name)) @definition.namespace

; using x = f(): an assignment, for the grammar.

(assignment_expression
  "using"
  left: (identifier) @name) @definition.constant @scope

(ambient_declaration (_) @inner) @outer
