package watch

// dirent is one name of a directory: where its NUL-terminated name begins in the raw listing,
// its length, and its d_type.
type dirent struct {
	at   int32
	size int32
	kind uint8
}

func dots(name []byte) bool {
	return name[0] == '.' && (len(name) == 1 || len(name) == 2 && name[1] == '.')
}
