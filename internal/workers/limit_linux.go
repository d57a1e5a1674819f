package workers

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// limitData has the kernel refuse the process more than so many bytes of memory besides what it has: Go's runtime then
// ends the process at once. Where the limit cannot be set, watching is what there is.
func limitData(limit int64) {
	used, err := dataInUse()
	if err != nil {
		return
	}
	most := uint64(used + limit)
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: most, Max: most})
}

// inherited returns how many bytes more the kernel gives the process by the limit of the one that started it; 0 where
// there is none.
func inherited() int64 {
	var limit syscall.Rlimit
	used, err := dataInUse()
	if err != nil || syscall.Getrlimit(syscall.RLIMIT_DATA, &limit) != nil || limit.Cur > math.MaxInt64/2 {
		return 0
	}
	return max(0, int64(limit.Cur)-used)
}

// dataInUse returns the bytes that RLIMIT_DATA counts.
func dataInUse() (int64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 6 {
		return 0, errors.Join(err, os.ErrInvalid)
	}
	pages, err := strconv.ParseInt(fields[5], 10, 64) // data and stack
	return pages * int64(os.Getpagesize()), err
}

// residentOf returns the bytes of memory that a process has; 0 where that cannot be found out, as after its end.
func residentOf(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
