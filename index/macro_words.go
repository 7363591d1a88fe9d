package index

import "bytes"

// capitals says whether a word is written as macros are. One letter, as a type parameter has, is not
// enough.
func capitals(text []byte) bool {
	letters := 0
	for _, b := range text {
		switch {
		case b >= 'A' && b <= 'Z':
			letters++
		case b != '_' && (b < '0' || b > '9'):
			return false
		}
	}
	return letters >= 2 && (text[0] < '0' || text[0] > '9')
}

// modifierName says whether the name of a macro says that it is not a type.
func modifierName(text []byte) bool {
	for _, part := range []string{"CONSTEXPR", "INLINE", "API", "EXPORT", "IMPORT", "NODISCARD", "NORETURN", "DEPRECATED",
		"EXTERN", "STATIC", "ATTR", "VISIBLE", "UNUSED", "BEGIN", "END", "NAMESPACE", "PUSH", "POP", "EXPLICIT", "PURE", "COLD"} {
		if bytes.Contains(text, []byte(part)) {
			return true
		}
	}
	return false
}

// foreign says whether a word cannot follow a type's name, so that what it follows is a macro.
func foreign(text []byte) bool {
	switch string(text) {
	case "const", "volatile", "static", "extern", "operator", "noexcept", "override", "final", "requires", "register",
		"long", "short", "unsigned", "signed", "__attribute__", "alignas", "mutable", "thread_local", "inline", "friend":
		return false
	}
	return keyword(text)
}

// keyword says whether a word can only be the start of a type or of a declaration.
func keyword(text []byte) bool {
	switch string(text) {
	case "void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "bool", "_Bool", "auto", "const",
		"volatile", "static", "inline", "extern", "struct", "class", "union", "enum", "typename", "typedef", "template",
		"namespace", "using", "constexpr", "consteval", "constinit", "explicit", "virtual", "friend", "operator", "decltype",
		"public", "private", "protected", "register", "mutable", "noexcept", "override", "final", "concept", "requires",
		"thread_local", "__inline", "__inline__", "wchar_t", "static_assert", "_Static_assert", "alignas", "__attribute__", "__declspec":
		return true
	}
	return false
}
