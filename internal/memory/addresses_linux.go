package memory

import "syscall"

// addressLimit returns how many bytes of addresses the process may have, as ulimit -v sets it; 0 means no limit.
func addressLimit() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || limit.Cur > 1<<60 {
		return 0
	}
	return int64(limit.Cur)
}
