package watch

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// StatInfo is the Stat behind info; the zero Stat when info does not come from the system.
func StatInfo(info os.FileInfo) Stat {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Stat{}
	}
	return Stat{
		Dev: uint64(st.Dev), Ino: uint64(st.Ino), Size: st.Size,
		Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Mode: uint32(st.Mode),
	}
}

func statOf(st *unix.Stat_t) Stat {
	return Stat{
		Dev: uint64(st.Dev), Ino: uint64(st.Ino), Size: st.Size,
		Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Mode: uint32(st.Mode),
	}
}
