[(bare_key) (quoted_key)] @local.reference

(document) @local.scope
