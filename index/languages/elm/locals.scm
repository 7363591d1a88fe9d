[(lower_case_identifier) (upper_case_identifier) (operator_identifier)] @local.reference

[(file) (value_declaration) (let_in_expr) (case_of_branch) (anonymous_function_expr)] @local.scope
