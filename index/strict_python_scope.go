package index

import "slices"

// declaration is a global or nonlocal statement's word on one name in one scope.
type declaration struct {
	node  int // of the name
	scope int
	outer bool // nonlocal
	name  string
}

// badDeclarations finds global and nonlocal for names that the scope had before, and nonlocal for names that no function
// around has.
func (t *tree) badDeclarations() []Fault {
	var declared []declaration
	for i := range t.nodes {
		kind := t.kind(i)
		if kind != "global_statement" && kind != "nonlocal_statement" {
			continue
		}
		for _, c := range t.children(i) {
			if t.kind(c) == "identifier" {
				declared = append(declared, declaration{c, t.pythonScope(i), kind == "nonlocal_statement", t.text(c)})
			}
		}
	}
	if declared == nil {
		return nil
	}
	uses := map[string][]int{} // of the names that are declared: the identifiers that stand for variables
	for _, d := range declared {
		uses[d.name] = nil
	}
	for i := range t.nodes {
		if t.kind(i) == "identifier" {
			if name := t.text(i); t.isVariable(i) {
				if _, ok := uses[name]; ok {
					uses[name] = append(uses[name], i)
				}
			}
		}
	}
	var all []Fault
	for _, d := range declared {
		if f, ok := t.badDeclaration(d, declared, uses[d.name]); ok {
			all = append(all, f)
		}
	}
	return all
}

func (t *tree) badDeclaration(d declaration, declared []declaration, uses []int) (Fault, bool) {
	word := "global"
	if d.outer {
		word = "nonlocal"
	}
	bound := func(scope int) bool {
		return slices.ContainsFunc(uses, func(i int) bool { return t.variableScope(i) == scope }) &&
			!slices.ContainsFunc(declared, func(o declaration) bool { return o.scope == scope && o.name == d.name && !o.outer })
	}
	if d.outer && d.scope == 0 {
		return t.fault(d.node, "`nonlocal` outside of a function"), true
	}
	for _, i := range uses {
		if i < d.node && t.variableScope(i) == d.scope && !t.isImported(i) {
			return t.fault(d.node, ticked(d.name)+" is used before it is declared `"+word+"`"), true
		}
		if up := int(t.parent[i]); up+1 == i && t.kind(up) == "assignment" && t.firstOf(up, "type") >= 0 && t.variableScope(i) == d.scope {
			return t.fault(i, ticked(d.name)+" has a type here and is declared `"+word+"`"), true
		}
	}
	for _, o := range declared {
		if o.node < d.node && o.scope == d.scope && o.name == d.name && o.outer != d.outer {
			return t.fault(d.node, ticked(d.name)+" is declared both `global` and `nonlocal`"), true
		}
	}
	if !d.outer {
		return Fault{}, false
	}
	if d.name == "__class__" { // which methods have
		return Fault{}, false
	}
	for at := t.pythonScope(d.scope); at > 0; at = t.pythonScope(at) {
		if t.kind(at) != "class_definition" && bound(at) {
			return Fault{}, false
		}
	}
	return t.fault(d.node, "no function around has a variable "+ticked(d.name)), true
}

// isVariable says whether an identifier stands for a variable: it is no attribute, no name of an argument, none in the
// middle of an import and none in global and nonlocal.
func (t *tree) isVariable(i int) bool {
	up := int(t.parent[i])
	first := up+1 == i
	switch t.kind(up) {
	case "attribute":
		return first
	case "keyword_argument", "keyword_pattern":
		return !first
	case "global_statement", "nonlocal_statement":
		return false
	case "dotted_name":
		if !first {
			return false
		}
		switch over := int(t.parent[up]); t.kind(over) {
		case "aliased_import", "relative_import":
			return false
		case "import_from_statement", "future_import_statement":
			return t.kind(t.children(over)[1]) == "__future__" || t.children(over)[1] != up
		}
	}
	return true
}

// isImported says whether an identifier stands in an import: to what that binds global may follow.
func (t *tree) isImported(i int) bool {
	for at := int(t.parent[i]); at >= 0; at = int(t.parent[at]) {
		switch t.kind(at) {
		case "import_statement", "import_from_statement":
			return true
		case "dotted_name", "aliased_import":
		default:
			return false
		}
	}
	return false
}

// variableScope is the scope whose variable an identifier is, if no outer one's: that of := is the function around a
// comprehension, that of a parameter the function, that of a function's name the scope around it.
func (t *tree) variableScope(i int) int {
	up := int(t.parent[i])
	if t.kind(up) == "named_expression" && up+1 == i {
		return t.pythonFunction(up)
	}
	for at := up; at >= 0; at = int(t.parent[at]) {
		switch t.kind(at) {
		case "parameters", "lambda_parameters":
			if t.isParameter(i, at) {
				return int(t.parent[at])
			}
			return t.pythonScope(i)
		case "block", "module":
			return t.pythonScope(i)
		}
	}
	return t.pythonScope(i)
}

// isParameter says whether an identifier in a list of parameters is one, and not in a type or a default.
func (t *tree) isParameter(i, list int) bool {
	for child, at := i, int(t.parent[i]); at >= 0; child, at = at, int(t.parent[at]) {
		if at == list {
			return true
		}
		switch t.kind(at) {
		case "type", "type_parameter":
			return false
		case "default_parameter", "typed_default_parameter":
			if at+1 != child {
				return false
			}
		}
	}
	return false
}
