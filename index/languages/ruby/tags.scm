; Classes and modules. class A::B::C has A.B for a container.

(class name: (constant) @name) @definition.class
(class name: (scope_resolution scope: (_) @container name: (constant) @name)) @definition.class
(class name: (scope_resolution name: (constant) @name)) @definition.class

(module name: (constant) @name) @definition.module
(module name: (scope_resolution scope: (_) @container name: (constant) @name)) @definition.module
(module name: (scope_resolution name: (constant) @name)) @definition.module

; class << self: its methods are the enclosing class's.

(singleton_class) @scope

; Methods. One at the top is a function, one in a module is not.

(method name: (identifier) @name (#eq? @name "initialize")) @definition.constructor
(program (method name: (_) @name) @definition.function)
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method

(alias name: (_) @name) @definition.method

; Methods that a call defines.

(call
  !receiver
  method: (identifier) @_call
  arguments: (argument_list . [(simple_symbol) (string) (delimited_symbol)] @name)
  (#any-of? @_call "alias_method" "define_method" "define_singleton_method" "scope" "has_many" "has_one" "belongs_to"
    "has_and_belongs_to_many" "has_one_attached" "has_many_attached" "helper_method" "attribute")) @definition.method

(call
  !receiver
  method: (identifier) @_call
  arguments: (argument_list [(simple_symbol) (string)] @name)
  (#any-of? @_call "attr_accessor" "attr_reader" "attr_writer" "attr" "cattr_accessor" "cattr_reader" "cattr_writer"
    "mattr_accessor" "mattr_reader" "mattr_writer" "class_attribute" "thread_mattr_accessor" "thread_cattr_accessor"
    "delegate")) @definition.property

; Rake.

(call
  !receiver
  method: (identifier) @_call
  arguments: (argument_list . [
    (simple_symbol) @name
    (string) @name
    (pair key: [(hash_key_symbol) (simple_symbol) (string)] @name)])
  (#eq? @_call "task")) @definition.function

(call
  !receiver
  method: (identifier) @_call
  arguments: (argument_list . (simple_symbol) @name)
  block: (_) @body
  (#eq? @_call "namespace")) @definition.namespace

; Constants. One that is given a class is a class.

((assignment
  left: (constant) @name
  right: (call
    receiver: (constant) @_class
    method: (identifier) @_new
    block: (_)))  @definition.class @scope
  (#any-of? @_class "Struct" "Class" "Data" "Module")
  (#any-of? @_new "new" "define"))

(assignment left: (constant) @name) @definition.constant
(assignment left: (scope_resolution scope: (_) @container name: (constant) @name)) @definition.constant
(assignment left: (left_assignment_list (constant) @name)) @definition.constant
(operator_assignment left: (constant) @name) @definition.constant

(assignment left: (global_variable) @name) @definition.variable

(block) @scope.local
(lambda) @scope.local

(comment) @comment
