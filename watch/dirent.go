package watch

// dirent is one name of a directory: where its NUL-terminated name begins in the raw listing,
// its length, its d_type, and its d_ino (0 where it is not told).
type dirent struct {
	ino  uint64
	at   int32
	size int32
	kind uint8
}

func dots(name []byte) bool {
	return name[0] == '.' && (len(name) == 1 || len(name) == 2 && name[1] == '.')
}
