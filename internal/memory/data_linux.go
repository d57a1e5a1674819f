package memory

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// LimitData has the kernel refuse the process more than so many bytes of memory besides what it has: Go's runtime then
// ends the process at once, in its own words, so that another process must be there to say why. Where the limit cannot
// be set, watching is what there is. One that is lower stays.
func LimitData(limit int64) {
	used, err := dataInUse()
	if err != nil {
		return
	}
	most, before := uint64(used+limit), syscall.Rlimit{}
	if syscall.Getrlimit(syscall.RLIMIT_DATA, &before) == nil && before.Cur <= most {
		return
	}
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: most, Max: most})
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
