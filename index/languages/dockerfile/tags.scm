; A stage is the module that COPY --from names. Its range is its FROM line.

(from_instruction as: (image_alias) @name) @definition.module @leaf

(arg_instruction name: (unquoted_string) @name) @definition.variable
(env_pair name: (unquoted_string) @name) @definition.variable
(env_instruction (env_pair) @inner) @outer

(comment) @comment
