(identifier) @local.reference

[(source_file) (message) (service)] @local.scope
