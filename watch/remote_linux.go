package watch

import "golang.org/x/sys/unix"

// remotes are the file systems that other machines, or processes behind a driver, change without an
// event here, by the f_type of statfs(2) as the kernel's include/uapi/linux/magic.h and the file
// systems' own sources give it. fuse stands for sshfs, virtiofs, rclone and all others made with it.
var remotes = map[uint32]string{
	0x6969:     "nfs",
	0x517b:     "smb",
	0xff534d42: "cifs",
	0xfe534d42: "smb2",
	0x01021997: "9p",
	0x65735546: "fuse",
	0x5346414f: "afs",
	0x6b414653: "afs",
	0x73757245: "coda",
	0x564c:     "ncp",
	0x00c36400: "ceph",
	0x0bd00bd0: "lustre",
	0x01161970: "gfs2",
	0x7461636f: "ocfs2",
	0x47504653: "gpfs",
	0x19830326: "beegfs",
	0x20030528: "orangefs",
	0xaad7aaea: "panfs",
	0x786f4256: "vboxsf",
	0xbacbacbc: "vmhgfs",
	0x7c7c6673: "prlfs",
}

// remoteName is the name of the file system of an open directory if events do not tell of every
// change in it, else "". One that cannot be asked (a server that is away) is not trusted.
func remoteName(fd int) string {
	var st unix.Statfs_t
	for {
		err := unix.Fstatfs(fd, &st)
		if err == nil {
			return remotes[uint32(st.Type)]
		}
		if err != unix.EINTR {
			return "a file system that cannot be asked for its type (" + err.Error() + ")"
		}
	}
}
