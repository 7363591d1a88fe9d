[(simple_identifier) (type_identifier) (custom_operator)] @local.reference

[(source_file) (class_declaration) (protocol_declaration)] @local.scope
[(function_declaration) (init_declaration) (deinit_declaration) (lambda_literal) (computed_property)] @local.scope
