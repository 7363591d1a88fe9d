[(simple_identifier) (type_identifier) (interpolated_identifier)] @local.reference

[(source_file) (class_declaration) (object_declaration) (companion_object) (object_literal)] @local.scope
[(function_declaration) (secondary_constructor) (anonymous_function) (lambda_literal) (control_structure_body)] @local.scope
