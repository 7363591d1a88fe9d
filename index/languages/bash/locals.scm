[(variable_name) (command_name)] @local.reference
(function_definition name: (word) @local.reference)

[(program) (function_definition) (subshell)] @local.scope
