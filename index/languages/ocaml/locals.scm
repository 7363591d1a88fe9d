[(value_name) (value_pattern) (type_constructor) (module_name) (module_type_name)] @local.reference
[(constructor_name) (field_name) (label_name) (method_name) (instance_variable_name)] @local.reference
[(class_name) (class_type_name) (tag) (parenthesized_operator)] @local.reference
[(prefix_operator) (add_operator) (mult_operator) (pow_operator) (rel_operator) (concat_operator) (let_operator)] @local.reference

[(compilation_unit) (structure) (signature) (let_expression) (fun_expression) (function_expression) (match_case)] @local.scope
