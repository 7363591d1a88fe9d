(identifier) @local.reference

[(compilation_unit) (namespace_declaration) (class_declaration) (struct_declaration) (record_declaration) (interface_declaration)] @local.scope
[(method_declaration) (constructor_declaration) (local_function_statement) (lambda_expression) (block)] @local.scope
