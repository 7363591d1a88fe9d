; What JavaScript's grammar names differently.

(formal_parameters (identifier) @local.definition.scope)

(formal_parameters (assignment_pattern left: (identifier) @local.definition.scope))

(class name: (identifier) @local.definition.scope)

; Fields with a type that shows.

(field_definition
  property: [(property_identifier) (private_property_identifier)] @local.definition
  value: (new_expression constructor: [
    (identifier) @local.type
    (member_expression property: (_) @local.type)]))

(assignment_expression
  left: (member_expression object: (this) property: (property_identifier) @local.definition)
  right: (new_expression constructor: [
    (identifier) @local.type
    (member_expression property: (_) @local.type)]))
