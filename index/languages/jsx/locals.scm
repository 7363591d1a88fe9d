; A tag in lower case is an element, whatever a variable is called.

((jsx_opening_element name: (identifier) @local.member) (#match? @local.member "^[a-z]"))

((jsx_closing_element name: (identifier) @local.member) (#match? @local.member "^[a-z]"))

((jsx_self_closing_element name: (identifier) @local.member) (#match? @local.member "^[a-z]"))

(jsx_namespace_name (identifier) @local.member)
