package workers

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// limitData has the kernel refuse the process more than so many bytes of memory besides what it has: Go's runtime then
// ends the process at once. Where the limit cannot be set, watching is what there is.
func limitData(limit int64) {
	text, err := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 6 {
		return
	}
	pages, err := strconv.ParseInt(fields[5], 10, 64) // data and stack
	if err != nil {
		return
	}
	most := uint64(pages*int64(os.Getpagesize()) + limit)
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: most, Max: most})
}
