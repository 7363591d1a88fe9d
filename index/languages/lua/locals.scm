; An identifier may have the white space before it in its range.

(identifier) @local.reference

[(program) (function_statement) (function) (do_statement) (while_statement) (repeat_statement) (if_statement) (for_statement)] @local.scope
