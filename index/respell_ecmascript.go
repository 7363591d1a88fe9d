package index

import (
	"path"
	"strings"
)

// respellECMAScript writes ./x as it was written: with the extension or without, or that of what it is compiled to, or a
// directory for its index. Paths that a configuration maps are left, what a URL would read in another way, and changes of
// the kind of file after which nothing shows how this importer names the new one.
func respellECMAScript(_ World, from, now, old, fresh, spelled string) []string {
	whole := relative(dirOf(now), fresh)
	if !strings.HasPrefix(spelled, ".") || strings.ContainsAny(whole, "?#%") {
		return nil
	}
	was, is := extensionECMAScript(old), extensionECMAScript(fresh)
	bare := strings.TrimSuffix(whole, is)
	compiled := bare + compiledTo(is, path.Ext(spelled))
	left, ok := strings.CutPrefix(old, path.Join(dirOf(from), spelled))
	switch {
	case !ok && compiledFrom[path.Ext(spelled)] == nil: // by a manifest
		return nil
	case !ok: // ./x.js of x.ts
		return []string{compiled}
	case left == "":
		return withExtension(was, is, extensionECMAScript(now), whole, compiled)
	case was != is && !leftOut(is):
		return []string{compiled}
	case left[0] == '/' && strings.HasSuffix(bare, "/index") && strings.HasSuffix(spelled, "/"):
		return []string{strings.TrimSuffix(bare, "index"), bare}
	case left[0] == '/' && strings.HasSuffix(bare, "/index"):
		return []string{strings.TrimSuffix(bare, "/index"), bare}
	}
	return []string{bare}
}

// withExtension is how a file is named with its extension in a file with the extension importer: that of TypeScript where
// TypeScript's was written, and where that begins to be one, what it is compiled to; only TypeScript finds it so.
func withExtension(was, is, importer, whole, compiled string) []string {
	declares := func(ext string) bool { return strings.HasPrefix(ext, ".d.") }
	switch {
	case was == is, !isTypeScript(is), isTypeScript(was) && !declares(was) && !declares(is):
		return []string{whole}
	case isTypeScript(importer) && !isTypeScript(was) && !declares(is):
		return []string{compiled}
	}
	return nil
}

// extensionECMAScript is the extension of a file, of a declaration with .d before it.
func extensionECMAScript(file string) string {
	ext := path.Ext(file)
	if isTypeScript(ext) && path.Ext(strings.TrimSuffix(file, ext)) == ".d" {
		return ".d" + ext
	}
	return ext
}

// isTypeScript says whether an extension is one of TypeScript.
func isTypeScript(ext string) bool {
	switch strings.TrimPrefix(ext, ".d") {
	case ".ts", ".tsx", ".mts", ".cts":
		return true
	}
	return false
}

// leftOut says whether paths may leave an extension out, whatever runs them: .mjs, .cjs and what is compiled to them only
// ever are named with it, .vue and .svelte where a bundler is told so.
func leftOut(ext string) bool {
	switch ext {
	case ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".json":
		return true
	}
	return false
}

// compiledTo is the extension of what a file is compiled to, like where both .js and .jsx may be.
func compiledTo(ext, like string) string {
	switch ext {
	case ".mts", ".d.mts":
		return ".mjs"
	case ".cts", ".d.cts":
		return ".cjs"
	case ".tsx", ".d.ts":
		if like == ".jsx" {
			return like
		}
		return ".js"
	case ".ts":
		return ".js"
	}
	return ext
}
