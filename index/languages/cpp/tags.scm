; C++, before the patterns of C.

; Namespaces. In a::b::c the last name is the namespace's and the others enclose it; one without a name
; encloses nothing.

(namespace_definition
  name: (namespace_identifier) @name) @definition.namespace

(namespace_definition
  name: (nested_namespace_specifier
    (namespace_identifier) @container
    . (namespace_identifier) @name)) @definition.namespace

(namespace_definition
  name: (nested_namespace_specifier
    (namespace_identifier) @container
    (nested_namespace_specifier
      (namespace_identifier) @container
      . (namespace_identifier) @name))) @definition.namespace

(namespace_definition
  name: (nested_namespace_specifier
    (namespace_identifier) @container
    (nested_namespace_specifier
      (namespace_identifier) @container
      (nested_namespace_specifier
        (namespace_identifier) @container
        . (namespace_identifier) @name)))) @definition.namespace

; Types, specializations, and members defined outside their class.

(class_specifier
  name: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier scope: (_) @container name: [
      (type_identifier) @name
      (template_type name: (type_identifier) @name)
      (qualified_identifier scope: (_) @container name: (type_identifier) @name)])]
  body: (_)) @definition.class

(struct_specifier
  name: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier scope: (_) @container name: [
      (type_identifier) @name
      (template_type name: (type_identifier) @name)
      (qualified_identifier scope: (_) @container name: (type_identifier) @name)])]
  body: (_)) @definition.struct

(union_specifier
  name: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier scope: (_) @container name: [
      (type_identifier) @name
      (template_type name: (type_identifier) @name)
      (qualified_identifier scope: (_) @container name: (type_identifier) @name)])]
  body: (_)) @definition.union

(enum_specifier
  name: (qualified_identifier scope: (_) @container name: (type_identifier) @name)
  body: (_)) @definition.enum

(alias_declaration
  name: (type_identifier) @name) @definition.type @leaf

(concept_definition
  name: (identifier) @name) @definition.type @leaf

; Constructors: in the class a function of no type, outside one of the class's own name.

(field_declaration_list
  [(function_definition !type declarator: (function_declarator declarator: (identifier) @name))
   (declaration !type declarator: (function_declarator declarator: (identifier) @name))] @definition.constructor)

(field_declaration_list
  (template_declaration
    [(function_definition !type declarator: (function_declarator declarator: (identifier) @name))
     (declaration !type declarator: (function_declarator declarator: (identifier) @name))] @definition.constructor))

((function_definition
  !type
  declarator: (function_declarator
    declarator: [
      (qualified_identifier
        scope: [(namespace_identifier) @_class (template_type name: (type_identifier) @_class)] @container
        name: (identifier) @name)
      (qualified_identifier
        scope: (_) @container
        name: (qualified_identifier
          scope: [(namespace_identifier) @_class (template_type name: (type_identifier) @_class)] @container
          name: (identifier) @name))
      (qualified_identifier
        scope: (_) @container
        name: (qualified_identifier
          scope: (_) @container
          name: (qualified_identifier
            scope: [(namespace_identifier) @_class (template_type name: (type_identifier) @_class)] @container
            name: (identifier) @name)))])) @definition.constructor
  (#eq? @_class @name))

; A test is named by its suite and its own name: TEST(format_test, escape) { … }

((function_definition
  !type
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list
      . (parameter_declaration !declarator type: (type_identifier) @container)
      . (parameter_declaration !declarator type: (type_identifier) @name) .))) @definition.function
  (#match? @_macro "^(TEST(_[FP])?|TYPED_TEST(_P)?)$"))

; Functions and methods with names, qualifiers and results that C does not have.

(function_definition
  declarator: [
    (function_declarator
      declarator: [
        (field_identifier) @name
        (operator_name) @name
        (destructor_name) @name
        (template_function name: (identifier) @name)])
    (reference_declarator
      (function_declarator
        declarator: [
          (field_identifier) @name
          (operator_name) @name
          (destructor_name) @name
          (template_function name: (identifier) @name)
          (identifier) @name]))
    (pointer_declarator
      declarator: [
        (function_declarator
          declarator: [
            (field_identifier) @name
            (operator_name) @name
            (destructor_name) @name
            (template_function name: (identifier) @name)])
        (pointer_declarator
          declarator: (function_declarator
            declarator: [
              (field_identifier) @name
              (operator_name) @name
              (destructor_name) @name
              (template_function name: (identifier) @name)]))
        (reference_declarator
          (function_declarator
            declarator: [
              (field_identifier) @name
              (operator_name) @name
              (destructor_name) @name
              (template_function name: (identifier) @name)
              (identifier) @name]))])]) @definition.function

(function_definition
  declarator: [
    (function_declarator
      declarator: (qualified_identifier
        scope: (_) @container
        name: [
          (identifier) @name
          (operator_name) @name
          (destructor_name) @name
          (template_function name: (identifier) @name)
          (qualified_identifier
            scope: (_) @container
            name: [
              (identifier) @name
              (operator_name) @name
              (destructor_name) @name
              (template_function name: (identifier) @name)
              (qualified_identifier
                scope: (_) @container
                name: [
                  (identifier) @name
                  (operator_name) @name
                  (destructor_name) @name
                  (template_function name: (identifier) @name)
                  (qualified_identifier
                    scope: (_) @container
                    name: [
                      (identifier) @name
                      (operator_name) @name
                      (destructor_name) @name
                      (template_function name: (identifier) @name)])])])]))
    (reference_declarator
      (function_declarator
        declarator: (qualified_identifier
          scope: (_) @container
          name: [
            (identifier) @name
            (operator_name) @name
            (destructor_name) @name
            (template_function name: (identifier) @name)
            (qualified_identifier
              scope: (_) @container
              name: [
                (identifier) @name
                (operator_name) @name
                (destructor_name) @name
                (template_function name: (identifier) @name)
                (qualified_identifier
                  scope: (_) @container
                  name: [
                    (identifier) @name
                    (operator_name) @name
                    (destructor_name) @name
                    (template_function name: (identifier) @name)
                    (qualified_identifier
                      scope: (_) @container
                      name: [
                        (identifier) @name
                        (operator_name) @name
                        (destructor_name) @name
                        (template_function name: (identifier) @name)])])])])))
    (pointer_declarator
      declarator: [
        (function_declarator
          declarator: (qualified_identifier
            scope: (_) @container
            name: [
              (identifier) @name
              (operator_name) @name
              (destructor_name) @name
              (template_function name: (identifier) @name)
              (qualified_identifier
                scope: (_) @container
                name: [
                  (identifier) @name
                  (operator_name) @name
                  (destructor_name) @name
                  (template_function name: (identifier) @name)
                  (qualified_identifier
                    scope: (_) @container
                    name: [
                      (identifier) @name
                      (operator_name) @name
                      (destructor_name) @name
                      (template_function name: (identifier) @name)
                      (qualified_identifier
                        scope: (_) @container
                        name: [
                          (identifier) @name
                          (operator_name) @name
                          (destructor_name) @name
                          (template_function name: (identifier) @name)])])])]))
        (pointer_declarator
          declarator: (function_declarator
            declarator: (qualified_identifier
              scope: (_) @container
              name: [
                (identifier) @name
                (operator_name) @name
                (destructor_name) @name
                (template_function name: (identifier) @name)
                (qualified_identifier
                  scope: (_) @container
                  name: [
                    (identifier) @name
                    (operator_name) @name
                    (destructor_name) @name
                    (template_function name: (identifier) @name)
                    (qualified_identifier
                      scope: (_) @container
                      name: [
                        (identifier) @name
                        (operator_name) @name
                        (destructor_name) @name
                        (template_function name: (identifier) @name)
                        (qualified_identifier
                          scope: (_) @container
                          name: [
                            (identifier) @name
                            (operator_name) @name
                            (destructor_name) @name
                            (template_function name: (identifier) @name)])])])])))
        (reference_declarator
          (function_declarator
            declarator: (qualified_identifier
              scope: (_) @container
              name: [
                (identifier) @name
                (operator_name) @name
                (destructor_name) @name
                (template_function name: (identifier) @name)
                (qualified_identifier
                  scope: (_) @container
                  name: [
                    (identifier) @name
                    (operator_name) @name
                    (destructor_name) @name
                    (template_function name: (identifier) @name)
                    (qualified_identifier
                      scope: (_) @container
                      name: [
                        (identifier) @name
                        (operator_name) @name
                        (destructor_name) @name
                        (template_function name: (identifier) @name)
                        (qualified_identifier
                          scope: (_) @container
                          name: [
                            (identifier) @name
                            (operator_name) @name
                            (destructor_name) @name
                            (template_function name: (identifier) @name)])])])])))])]) @definition.method

(field_declaration
  declarator: [
    (function_declarator
      declarator: [
        (field_identifier) @name
        (operator_name) @name
        (destructor_name) @name
        (template_function name: (identifier) @name)])
    (reference_declarator
      (function_declarator
        declarator: [
          (field_identifier) @name
          (operator_name) @name
          (destructor_name) @name
          (template_function name: (identifier) @name)]))
    (pointer_declarator
      declarator: [
        (function_declarator
          declarator: [
            (field_identifier) @name
            (operator_name) @name
            (destructor_name) @name
            (template_function name: (identifier) @name)])
        (pointer_declarator
          declarator: (function_declarator
            declarator: [
              (field_identifier) @name
              (operator_name) @name
              (destructor_name) @name
              (template_function name: (identifier) @name)]))
        (reference_declarator
          (function_declarator
            declarator: [
              (field_identifier) @name
              (operator_name) @name
              (destructor_name) @name
              (template_function name: (identifier) @name)]))])]) @definition.method @leaf

(declaration
  declarator: [
    (function_declarator
      declarator: [(operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)])
    (reference_declarator
      (function_declarator
        declarator: [
          (operator_name) @name
          (destructor_name) @name
          (template_function name: (identifier) @name)
          (identifier) @name]))
    (pointer_declarator
      declarator: [
        (function_declarator
          declarator: [(operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)])
        (pointer_declarator
          declarator: (function_declarator
            declarator: [(operator_name) @name (destructor_name) @name (template_function name: (identifier) @name)]))
        (reference_declarator
          (function_declarator
            declarator: [
              (operator_name) @name
              (destructor_name) @name
              (template_function name: (identifier) @name)
              (identifier) @name]))])]) @definition.function @leaf

; Conversion operators are named "operator bool": the engine ends the name before the parameters.

(function_definition
  declarator: [
    (operator_cast) @name
    (qualified_identifier scope: (_) @container name: [
      (operator_cast) @name
      (qualified_identifier scope: (_) @container name: (operator_cast) @name)])]) @definition.method

(declaration
  declarator: (operator_cast) @name) @definition.method @leaf

; The grammar takes int x = 0; for a method that is pure virtual.

(function_definition
  declarator: [
    (field_identifier) @name
    (pointer_declarator declarator: (field_identifier) @name)
    (array_declarator declarator: (field_identifier) @name)]
  (pure_virtual_clause)) @definition.field

; References, and static members where they are defined.

(field_declaration
  declarator: (reference_declarator (field_identifier) @name)) @definition.field


(declaration
  declarator: [
    (reference_declarator (identifier) @name)
    (qualified_identifier
      scope: (_) @container
      name: [
        (identifier) @name
        (qualified_identifier
          scope: (_) @container
          name: [(identifier) @name (qualified_identifier scope: (_) @container name: [(identifier) @name])])])
    (array_declarator
      declarator: (qualified_identifier
        scope: (_) @container
        name: [
          (identifier) @name
          (qualified_identifier
            scope: (_) @container
            name: [(identifier) @name (qualified_identifier scope: (_) @container name: [(identifier) @name])])]))
    (pointer_declarator
      declarator: (qualified_identifier
        scope: (_) @container
        name: [
          (identifier) @name
          (qualified_identifier
            scope: (_) @container
            name: [(identifier) @name (qualified_identifier scope: (_) @container name: [(identifier) @name])])]))
    (init_declarator
      declarator: [
        (reference_declarator (identifier) @name)
        (qualified_identifier
          scope: (_) @container
          name: [
            (identifier) @name
            (qualified_identifier
              scope: (_) @container
              name: [
                (identifier) @name
                (qualified_identifier scope: (_) @container name: [(identifier) @name])])])
        (array_declarator
          declarator: (qualified_identifier
            scope: (_) @container
            name: [
              (identifier) @name
              (qualified_identifier
                scope: (_) @container
                name: [
                  (identifier) @name
                  (qualified_identifier scope: (_) @container name: [(identifier) @name])])]))
        (pointer_declarator
          declarator: (qualified_identifier
            scope: (_) @container
            name: [
              (identifier) @name
              (qualified_identifier
                scope: (_) @container
                name: [
                  (identifier) @name
                  (qualified_identifier scope: (_) @container name: [(identifier) @name])])]))])]) @definition.variable

(lambda_expression) @scope.local

; template <…>, friend and extern "C" belong to what they are put before.

(template_declaration
  [(function_definition) (declaration) (field_declaration) (class_specifier) (struct_specifier) (union_specifier)
   (alias_declaration) (concept_definition) (friend_declaration) (template_declaration)] @inner) @outer

(friend_declaration
  [(function_definition) (declaration)] @inner) @outer

(linkage_specification
  body: [(function_definition) (declaration)] @inner) @outer
