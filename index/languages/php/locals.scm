(name) @local.reference

[(program) (class_declaration) (interface_declaration) (trait_declaration) (enum_declaration)] @local.scope
[(function_definition) (method_declaration) (anonymous_function_creation_expression) (arrow_function)] @local.scope
