(identifier) @local.reference
(type_identifier) @local.reference.type
(this) @local.reference.self

(class_declaration) @local.scope
(interface_declaration) @local.scope
(enum_declaration) @local.scope
(record_declaration) @local.scope
(annotation_type_declaration) @local.scope
(class_body) @local.scope
(interface_body) @local.scope
(enum_body) @local.scope
(annotation_type_body) @local.scope
(method_declaration) @local.scope.function
(constructor_declaration) @local.scope.function
(compact_constructor_declaration) @local.scope.function
(lambda_expression) @local.scope.function
(block) @local.scope
(constructor_body) @local.scope
(for_statement) @local.scope
(enhanced_for_statement) @local.scope
(try_with_resources_statement) @local.scope
(catch_clause) @local.scope
(switch_block) @local.scope
(switch_rule) @local.scope

(type_parameter . (type_identifier) @local.definition.scope)

(formal_parameter
  type: [
    (type_identifier) @local.type
    (scoped_type_identifier) @local.type
    (generic_type . (_) @local.type)]
  name: (identifier) @local.definition.scope)
(formal_parameter name: (identifier) @local.definition.scope)
(spread_parameter (variable_declarator name: (identifier) @local.definition.scope))
(inferred_parameters (identifier) @local.definition.scope)
(lambda_expression parameters: (identifier) @local.definition.scope)
(catch_formal_parameter
  (catch_type . [(type_identifier) (scoped_type_identifier)] @local.type .)
  name: (identifier) @local.definition.scope)
(catch_formal_parameter name: (identifier) @local.definition.scope)

((local_variable_declaration
    type: (type_identifier) @_var
    declarator: (variable_declarator
      name: (identifier) @local.definition
      value: (object_creation_expression
        type: [
          (type_identifier) @local.type
          (scoped_type_identifier) @local.type
          (generic_type . (_) @local.type)] .)))
  (#eq? @_var "var"))

((local_variable_declaration
    type: [
      (type_identifier) @local.type
      (scoped_type_identifier) @local.type
      (generic_type . (_) @local.type)]
    declarator: (variable_declarator name: (identifier) @local.definition))
  (#not-eq? @local.type "var"))

(local_variable_declaration
  declarator: (variable_declarator name: (identifier) @local.definition))

(resource
  type: [
    (type_identifier) @local.type
    (scoped_type_identifier) @local.type
    (generic_type . (_) @local.type)]
  name: (identifier) @local.definition)

(enhanced_for_statement
  type: [
    (type_identifier) @local.type
    (scoped_type_identifier) @local.type
    (generic_type . (_) @local.type)]
  name: (identifier) @local.definition.scope)
(enhanced_for_statement name: (identifier) @local.definition.scope)

(instanceof_expression
  right: [
    (type_identifier) @local.type
    (scoped_type_identifier) @local.type
    (generic_type . (_) @local.type)]
  name: (identifier) @local.definition)
(instanceof_expression name: (identifier) @local.definition)

(type_pattern
  [
    (type_identifier) @local.type
    (scoped_type_identifier) @local.type
    (generic_type . (_) @local.type)]
  (identifier) @local.definition .)
(record_pattern_component (identifier) @local.definition .)

; Fields, with their type.

(field_declaration
  type: [
    (type_identifier) @local.type
    (scoped_type_identifier) @local.type
    (generic_type . (_) @local.type)]
  declarator: (variable_declarator name: (identifier) @local.definition))

(constant_declaration
  type: [
    (type_identifier) @local.type
    (scoped_type_identifier) @local.type
    (generic_type . (_) @local.type)]
  declarator: (variable_declarator name: (identifier) @local.definition))

; @A(x = 1); case X of an enum, which is known without its type.

(annotation name: (identifier) @local.as.type)
(marker_annotation name: (identifier) @local.as.type)
(annotation
  name: (_) @local.receiver
  arguments: (annotation_argument_list (element_value_pair key: (identifier) @local.member)))
(switch_label (identifier) @local.member)

(labeled_statement . (identifier) @local.ignore)
(break_statement (identifier) @local.ignore)
(continue_statement (identifier) @local.ignore)
(package_declaration (scoped_identifier) @import)
(package_declaration (identifier) @local.ignore)
(import_declaration) @import
