(module_declaration name: (upper_case_qid) @module)

(type_alias_declaration name: (upper_case_identifier) @name) @definition.type
(type_declaration name: (upper_case_identifier) @name) @definition.type
(union_variant name: (upper_case_identifier) @name) @definition.enumerator
(type_alias_declaration
  typeExpression: (type_expression part: (record_type fieldType: (field_type name: (lower_case_identifier) @name) @definition.field)))

; Functions have parameters. The type annotation above belongs to its value.

(value_declaration
  functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name pattern: (_))) @definition.function
(value_declaration
  functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name)) @definition.constant
(let_in_expr) @scope.local

(port_annotation name: (lower_case_identifier) @name) @definition.function
(infix_declaration operator: (operator_identifier) @name) @definition.function

(type_annotation) @decorator
[(line_comment) (block_comment)] @comment
