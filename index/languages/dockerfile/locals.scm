[(variable) (image_alias) (image_name)] @local.reference
[(arg_instruction name: (unquoted_string) @local.reference) (env_pair name: (unquoted_string) @local.reference)]

(source_file) @local.scope
