(identifier) @local.reference

[(source_file) (class_definition) (function_definition) (closure)] @local.scope
