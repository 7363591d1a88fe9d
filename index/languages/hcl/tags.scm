; A block is named by its last label; the labels before it are its container: aws_instance.web. The
; kind of the block goes first where references have it: data.aws_ami.x, module.vpc.

((config_file (body (block
  . (identifier) @_kind . (string_lit) @container . (string_lit) @name . (block_start) @body) @definition.class))
  (#not-eq? @_kind "data"))
((config_file (body (block
  . (identifier) @_kind @container . (string_lit) @container . (string_lit) @name . (block_start) @body) @definition.class))
  (#eq? @_kind "data"))

((config_file (body (block
  . (identifier) @_kind @container . (string_lit) @name . (block_start) @body) @definition.module))
  (#eq? @_kind "module"))
((config_file (body (block
  . (identifier) @_kind . [(string_lit) (identifier)] @name . (block_start) @body) @definition.variable @scope))
  (#any-of? @_kind "variable" "output"))
((config_file (body (block
  . (identifier) @_kind . [(string_lit) (identifier)] @name . (block_start) @body) @definition.class))
  (#not-any-of? @_kind "variable" "output" "module" "locals"))

; In a file with an error there may be no top. These kinds of block are nowhere else.

((block . (identifier) @_kind . (string_lit) @container . (string_lit) @name . (block_start) @body) @definition.class
  (#eq? @_kind "resource"))
((block . (identifier) @_kind . (string_lit) @name . (block_start) @body) @definition.variable @scope
  (#any-of? @_kind "variable" "output"))

; Labelled blocks within a Nomad job.

((block . (identifier) @_kind . (string_lit) @name . (block_start) @body) @definition.class
  (#any-of? @_kind "group" "task"))

((config_file (body (block (identifier) @_kind (body (attribute (identifier) @name) @definition.variable))))
  (#eq? @_kind "locals"))

(config_file (body (attribute (identifier) @name) @definition.variable))

(comment) @comment
