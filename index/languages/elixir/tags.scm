; Everything is a call here. The parser is given the dots in a module's name as commas. defimpl Size, for: Map has its members in Size.Map.

((call target: (identifier) @_def (arguments . (alias) @name .) (do_block) @body) @definition.module
  (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments . (alias) @container . (alias) @name .) (do_block) @body) @definition.module
  (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments . (alias) @container . (alias) @container . (alias) @name .) (do_block) @body) @definition.module
  (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments . (alias) @container . (alias) @container . (alias) @container . (alias) @name .) (do_block) @body) @definition.module
  (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments . (alias) @container . (alias) @container . (alias) @container . (alias) @container . (alias) @name .) (do_block) @body) @definition.module
  (#eq? @_def "defmodule"))

((call target: (identifier) @_def (arguments . (alias) @name .) (do_block) @body) @definition.interface
  (#eq? @_def "defprotocol"))
((call target: (identifier) @_def (arguments . (alias) @container . (alias) @name .) (do_block) @body) @definition.interface
  (#eq? @_def "defprotocol"))
((call target: (identifier) @_def (arguments . (alias) @container . (alias) @container . (alias) @name .) (do_block) @body) @definition.interface
  (#eq? @_def "defprotocol"))
((call target: (identifier) @_def (arguments . (alias) @container . (alias) @container . (alias) @container . (alias) @name .) (do_block) @body) @definition.interface
  (#eq? @_def "defprotocol"))
((call target: (identifier) @_def (arguments . (alias) @container . (alias) @container . (alias) @container . (alias) @container . (alias) @name .) (do_block) @body) @definition.interface
  (#eq? @_def "defprotocol"))

((call target: (identifier) @_def (arguments . (alias) @container . (keywords (pair value: (alias) @name))) (do_block)) @scope
  (#eq? @_def "defimpl"))
((call target: (identifier) @_def (arguments . (alias) @container . (alias) @container . (keywords (pair value: (alias) @name))) (do_block)) @scope
  (#eq? @_def "defimpl"))
((call target: (identifier) @_def (arguments . (alias) @container . (alias) @container . (alias) @container . (keywords (pair value: (alias) @name))) (do_block)) @scope
  (#eq? @_def "defimpl"))
((call target: (identifier) @_def (arguments . (alias) @container . (alias) @container . (alias) @container . (alias) @container . (keywords (pair value: (alias) @name))) (do_block)) @scope
  (#eq? @_def "defimpl"))

((call target: (identifier) @_def (arguments . (alias) @name .) (do_block)) @scope
  (#eq? @_def "defimpl"))
((call target: (identifier) @_def (arguments . (alias) @container . (alias) @name .) (do_block)) @scope
  (#eq? @_def "defimpl"))
((call target: (identifier) @_def (arguments . (alias) @container . (alias) @container . (alias) @name .) (do_block)) @scope
  (#eq? @_def "defimpl"))
((call target: (identifier) @_def (arguments . (alias) @container . (alias) @container . (alias) @container . (alias) @name .) (do_block)) @scope
  (#eq? @_def "defimpl"))
((call target: (identifier) @_def (arguments . (alias) @container . (alias) @container . (alias) @container . (alias) @container . (alias) @name .) (do_block)) @scope
  (#eq? @_def "defimpl"))

; Functions: f, f(x), f(x) when y, with do … end and do: alike; a + b defines +.

((call
  target: (identifier) @_def
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")])
  (do_block) @body) @definition.function
  (#any-of? @_def "def" "defp" "defdelegate" "defn" "defnp"))

((call
  target: (identifier) @_def
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")])) @definition.function
  (#any-of? @_def "def" "defp" "defdelegate" "defn" "defnp"))

((call
  target: (identifier) @_def
  (arguments . [
    (binary_operator operator: _ @name)
    (binary_operator left: (binary_operator operator: _ @name) operator: "when")])) @definition.function
  (#any-of? @_def "def" "defp")
  (#not-eq? @name "when"))

((call
  target: (identifier) @_def
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")])
  (do_block) @body) @definition.macro
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp"))

((call
  target: (identifier) @_def
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")])) @definition.macro
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp"))

; Fields of structs.

((call target: (identifier) @_def (arguments (list (atom) @name))) @definition.field
  (#any-of? @_def "defstruct" "defexception"))
((call target: (identifier) @_def (arguments [(keywords (pair key: (keyword) @name)) (list (keywords (pair key: (keyword) @name)))])) @definition.field
  (#any-of? @_def "defstruct" "defexception"))

; Module attributes: types, callbacks, constants.

((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_kind
    (arguments . (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")))) @definition.type
  (#any-of? @_kind "type" "typep" "opaque"))

((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_kind
    (arguments . [
      (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")
      (binary_operator left: (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::") operator: "when")]))) @definition.method
  (#any-of? @_kind "callback" "macrocallback"))

((unary_operator operator: "@" operand: (call target: (identifier) @_kind)) @decorator
  (#any-of? @_kind "spec" "impl" "deprecated" "dialyzer" "since" "tag"))

((unary_operator operator: "@" operand: (call target: (identifier) @_kind)) @comment
  (#any-of? @_kind "doc" "typedoc"))

((unary_operator operator: "@" operand: (call target: (identifier) @_kind (arguments . (string) @doc)))
  (#eq? @_kind "moduledoc"))

((unary_operator operator: "@" operand: (call target: (identifier) @name (arguments (_)))) @definition.constant
  (#not-any-of? @name "doc" "typedoc" "moduledoc" "spec" "impl" "deprecated" "dialyzer" "since" "tag" "moduletag" "describetag" "type" "typep"
    "opaque" "callback" "macrocallback" "optional_callbacks" "behaviour" "derive" "compile" "on_load" "after_compile" "before_compile"
    "on_definition" "external_resource" "enforce_keys" "vsn" "nifs"))

(anonymous_function) @scope.local

(comment) @comment
