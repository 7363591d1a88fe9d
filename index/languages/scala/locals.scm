[(identifier) (type_identifier) (operator_identifier)] @local.reference

[(compilation_unit) (class_definition) (object_definition) (trait_definition) (enum_definition) (template_body)] @local.scope
[(function_definition) (lambda_expression) (block) (indented_block) (case_clause)] @local.scope
