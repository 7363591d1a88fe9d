[(anchor_name) (alias_name) (string_scalar)] @local.reference

(document) @local.scope
