(identifier) @local.reference
(label (string) @local.reference)

[(source_file) (struct_lit) (comprehension)] @local.scope
