(identifier) @local.reference

[(program) (statement)] @local.scope
