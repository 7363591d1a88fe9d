; C. The C++ query is its own patterns followed by these: languages/cpp/tags.scm.
;
; A declarator is written inside out: the name stands at the bottom of pointers, arrays and parameter
; lists. The shapes that occur are spelled out, since a pattern cannot say "at any depth"; what is
; common to several is written once, because each alternative costs at every declaration.

; Types that have a body; the others are mentions. A typedef of an unnamed one gives it its name.

(struct_specifier
  name: (type_identifier) @name
  body: (_)) @definition.struct

(union_specifier
  name: (type_identifier) @name
  body: (_)) @definition.union

(enum_specifier
  name: (type_identifier) @name
  body: (_)) @definition.enum

(type_definition
  type: (struct_specifier !name body: (_) @body)
  . declarator: (type_identifier) @name) @definition.struct

(type_definition
  type: (union_specifier !name body: (_) @body)
  . declarator: (type_identifier) @name) @definition.union

(type_definition
  type: (enum_specifier !name body: (_) @body)
  . declarator: (type_identifier) @name) @definition.enum

(type_definition
  declarator: [
    (type_identifier) @name
    (primitive_type) @name
    (pointer_declarator
      declarator: [
        (type_identifier) @name
        (primitive_type) @name
        (pointer_declarator declarator: [(type_identifier) @name (primitive_type) @name])
        (array_declarator declarator: [(type_identifier) @name (primitive_type) @name])
        (function_declarator
          declarator: [
            (type_identifier) @name
            (parenthesized_declarator
              [(type_identifier) @name (pointer_declarator declarator: (type_identifier) @name)])])])
    (array_declarator
      declarator: [
        (type_identifier) @name
        (primitive_type) @name
        (pointer_declarator declarator: [(type_identifier) @name (primitive_type) @name])
        (array_declarator declarator: [(type_identifier) @name (primitive_type) @name])
        (function_declarator
          declarator: [
            (type_identifier) @name
            (parenthesized_declarator
              [(type_identifier) @name (pointer_declarator declarator: (type_identifier) @name)])])])
    (function_declarator
      declarator: [
        (type_identifier) @name
        (parenthesized_declarator
          [(type_identifier) @name (pointer_declarator declarator: (type_identifier) @name)])])]) @definition.type @leaf

(enumerator
  name: (identifier) @name) @definition.enumerator

; Functions, then prototypes. Tests of that form have their names from a pattern of C++.

((function_definition
    declarator: [
      (function_declarator
        declarator: [
          (identifier) @name
          (parenthesized_declarator
            [
              (identifier) @name
              (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
              (function_declarator declarator: (identifier) @name)])])
      (pointer_declarator
        declarator: [
          (function_declarator
            declarator: [
              (identifier) @name
              (parenthesized_declarator
                [
                  (identifier) @name
                  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
                  (function_declarator declarator: (identifier) @name)])])
          (pointer_declarator
            declarator: (function_declarator
              declarator: [
                (identifier) @name
                (parenthesized_declarator
                  [
                    (identifier) @name
                    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
                    (function_declarator declarator: (identifier) @name)])]))])]) @definition.function
  (#not-match? @name "^(TEST(_[FP])?|TYPED_TEST(_P)?)$"))

(declaration
  declarator: [
    (function_declarator
      declarator: [
        (identifier) @name
        (parenthesized_declarator
          [
            (identifier) @name
            (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
            (function_declarator declarator: (identifier) @name)])])
    (pointer_declarator
      declarator: [
        (function_declarator
          declarator: [
            (identifier) @name
            (parenthesized_declarator
              [
                (identifier) @name
                (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
                (function_declarator declarator: (identifier) @name)])])
        (pointer_declarator
          declarator: (function_declarator
            declarator: [
              (identifier) @name
              (parenthesized_declarator
                [
                  (identifier) @name
                  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
                  (function_declarator declarator: (identifier) @name)])]))])]) @definition.function @leaf

; Variables and fields. Where the type is an unnamed struct or union, its fields are the variable's.

(field_declaration
  type: [(struct_specifier !name body: (_)) (union_specifier !name body: (_))]
  declarator: [
    (field_identifier) @name
    (pointer_declarator declarator: (field_identifier) @name)
    (array_declarator declarator: (field_identifier) @name)]) @definition.field @scope

(declaration
  type: [(struct_specifier !name body: (_)) (union_specifier !name body: (_))]
  declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (init_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])]) @definition.variable @scope

(field_declaration
  declarator: [
    (field_identifier) @name
    (pointer_declarator
      declarator: [
        (field_identifier) @name
        (pointer_declarator
          declarator: [
            (field_identifier) @name
            (pointer_declarator declarator: (field_identifier) @name)
            (array_declarator declarator: (field_identifier) @name)])
        (array_declarator
          declarator: [
            (field_identifier) @name
            (pointer_declarator declarator: (field_identifier) @name)
            (array_declarator declarator: (field_identifier) @name)])
        (function_declarator
          declarator: (parenthesized_declarator
            (pointer_declarator
              declarator: [
                (field_identifier) @name
                (pointer_declarator declarator: (field_identifier) @name)
                (array_declarator declarator: (field_identifier) @name)])))])
    (array_declarator
      declarator: [
        (field_identifier) @name
        (pointer_declarator
          declarator: [
            (field_identifier) @name
            (pointer_declarator declarator: (field_identifier) @name)
            (array_declarator declarator: (field_identifier) @name)])
        (array_declarator
          declarator: [
            (field_identifier) @name
            (pointer_declarator declarator: (field_identifier) @name)
            (array_declarator declarator: (field_identifier) @name)])
        (function_declarator
          declarator: (parenthesized_declarator
            (pointer_declarator
              declarator: [
                (field_identifier) @name
                (pointer_declarator declarator: (field_identifier) @name)
                (array_declarator declarator: (field_identifier) @name)])))])
    (function_declarator
      declarator: (parenthesized_declarator
        (pointer_declarator
          declarator: [
            (field_identifier) @name
            (pointer_declarator declarator: (field_identifier) @name)
            (array_declarator declarator: (field_identifier) @name)])))]) @definition.field

(declaration
  declarator: [
    (identifier) @name
    (pointer_declarator
      declarator: [
        (identifier) @name
        (pointer_declarator
          declarator: [
            (identifier) @name
            (pointer_declarator declarator: (identifier) @name)
            (array_declarator declarator: (identifier) @name)])
        (array_declarator
          declarator: [
            (identifier) @name
            (pointer_declarator declarator: (identifier) @name)
            (array_declarator declarator: (identifier) @name)])
        (function_declarator
          declarator: (parenthesized_declarator
            (pointer_declarator
              declarator: [
                (identifier) @name
                (pointer_declarator declarator: (identifier) @name)
                (array_declarator declarator: (identifier) @name)])))])
    (array_declarator
      declarator: [
        (identifier) @name
        (pointer_declarator
          declarator: [
            (identifier) @name
            (pointer_declarator declarator: (identifier) @name)
            (array_declarator declarator: (identifier) @name)])
        (array_declarator
          declarator: [
            (identifier) @name
            (pointer_declarator declarator: (identifier) @name)
            (array_declarator declarator: (identifier) @name)])
        (function_declarator
          declarator: (parenthesized_declarator
            (pointer_declarator
              declarator: [
                (identifier) @name
                (pointer_declarator declarator: (identifier) @name)
                (array_declarator declarator: (identifier) @name)])))])
    (function_declarator
      declarator: (parenthesized_declarator
        (pointer_declarator
          declarator: [
            (identifier) @name
            (pointer_declarator declarator: (identifier) @name)
            (array_declarator declarator: (identifier) @name)])))
    (init_declarator
      declarator: [
        (identifier) @name
        (pointer_declarator
          declarator: [
            (identifier) @name
            (pointer_declarator
              declarator: [
                (identifier) @name
                (pointer_declarator declarator: (identifier) @name)
                (array_declarator declarator: (identifier) @name)])
            (array_declarator
              declarator: [
                (identifier) @name
                (pointer_declarator declarator: (identifier) @name)
                (array_declarator declarator: (identifier) @name)])
            (function_declarator
              declarator: (parenthesized_declarator
                (pointer_declarator
                  declarator: [
                    (identifier) @name
                    (pointer_declarator declarator: (identifier) @name)
                    (array_declarator declarator: (identifier) @name)])))])
        (array_declarator
          declarator: [
            (identifier) @name
            (pointer_declarator
              declarator: [
                (identifier) @name
                (pointer_declarator declarator: (identifier) @name)
                (array_declarator declarator: (identifier) @name)])
            (array_declarator
              declarator: [
                (identifier) @name
                (pointer_declarator declarator: (identifier) @name)
                (array_declarator declarator: (identifier) @name)])
            (function_declarator
              declarator: (parenthesized_declarator
                (pointer_declarator
                  declarator: [
                    (identifier) @name
                    (pointer_declarator declarator: (identifier) @name)
                    (array_declarator declarator: (identifier) @name)])))])
        (function_declarator
          declarator: (parenthesized_declarator
            (pointer_declarator
              declarator: [
                (identifier) @name
                (pointer_declarator declarator: (identifier) @name)
                (array_declarator declarator: (identifier) @name)])))])]) @definition.variable

; Macros.

(preproc_def
  name: (identifier) @name) @definition.macro

(preproc_function_def
  name: (identifier) @name) @definition.macro

(comment) @comment
