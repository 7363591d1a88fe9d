[(identifier) (constant)] @local.reference
[(instance_variable) (class_variable) (global_variable)] @local.reference
[(simple_symbol) (hash_key_symbol)] @local.reference
[(operator) (setter)] @local.reference

[(program) (module) (class) (singleton_class) (method) (singleton_method) (lambda) (block) (do_block)] @local.scope
