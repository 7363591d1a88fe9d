; Names, and where they end. A block is no scope; what stands before it in a function or class is looked up outside.

(identifier) @local.reference
(string_content) @local.reference.text
(type) @local.scope.types
(function_definition) @local.scope.function
(lambda) @local.scope.function
(class_definition) @local.scope.class
(block) @local.scope.body
(lambda_parameters) @local.scope.head
(list_comprehension) @local.scope
(set_comprehension) @local.scope
(dictionary_comprehension) @local.scope
(generator_expression) @local.scope
(for_in_clause) @local.scope.clause
(type_alias_statement) @local.scope

; Parameters. Types are read by typingPython. *a: T is a tuple.

(parameters (identifier) @local.definition.scope)
(lambda_parameters (identifier) @local.definition.scope)
(default_parameter name: (identifier) @local.definition.scope)
(typed_parameter . (identifier) @local.definition.scope) @local.typing
(typed_default_parameter name: (identifier) @local.definition.scope) @local.typing
(list_splat_pattern (identifier) @local.definition.scope)
(dictionary_splat_pattern (identifier) @local.definition.scope)

(function_definition type_parameters: (type_parameter (type [
  (identifier) @local.definition.head
  (constrained_type . (type (identifier) @local.definition.head))
  (splat_type (identifier) @local.definition.head)])))

(class_definition type_parameters: (type_parameter (type [
  (identifier) @local.definition.head
  (constrained_type . (type (identifier) @local.definition.head))
  (splat_type (identifier) @local.definition.head)])))

(type_alias_statement . (type (generic_type (type_parameter (type [
  (identifier) @local.definition.scope
  (constrained_type . (type (identifier) @local.definition.scope))
  (splat_type (identifier) @local.definition.scope)])))))

; Targets. In (a, [b, *c]) each part is a pattern of its own.

(pattern_list (identifier) @local.definition.scope)
(tuple_pattern (identifier) @local.definition.scope)
(list_pattern (identifier) @local.definition.scope)
(pattern_list (attribute attribute: (identifier) @local.field))
(tuple_pattern (attribute attribute: (identifier) @local.field))

(assignment left: (identifier) @local.definition.scope) @local.typing
(assignment left: (attribute attribute: (identifier) @local.field)) @local.typing
(augmented_assignment left: (identifier) @local.definition.scope)
(named_expression name: (identifier) @local.definition.function)
(for_statement left: (identifier) @local.definition.scope)
(for_in_clause left: (identifier) @local.definition.scope)
(as_pattern_target (identifier) @local.definition.scope)
(as_pattern_target (tuple (identifier) @local.definition.scope))
(as_pattern_target (list (identifier) @local.definition.scope))
(delete_statement (identifier) @local.definition.scope)

; except T as e. What follows with is a call, or no type.

(as_pattern
  . [(identifier) (attribute)] @local.type.value
  alias: (as_pattern_target (identifier) @local.definition.scope))

(global_statement (identifier) @local.outer.file)
(nonlocal_statement (identifier) @local.outer)

; match: a plain name is bound, a dotted one is looked up; Point(x=0) reads a member.

(case_pattern (dotted_name . (identifier) @local.definition.scope .))
(case_pattern (as_pattern (identifier) @local.definition.scope .))
(splat_pattern (identifier) @local.definition.scope)
(keyword_pattern (dotted_name . (identifier) @local.definition.scope .))
(class_pattern
  (dotted_name) @local.receiver
  (case_pattern (keyword_pattern . (identifier) @local.member)))

; f(name=1): a parameter of f, or a field of what it makes.

(keyword_argument name: (identifier) @local.member)

(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import
