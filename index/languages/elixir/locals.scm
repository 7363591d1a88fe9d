; A keyword ends with its colon and a space, an atom begins with a colon.

[(identifier) (alias) (atom) (keyword)] @local.reference

[(source) (do_block) (anonymous_function) (stab_clause)] @local.scope
