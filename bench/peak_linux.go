package main

import (
	"errors"
	"os"
	"syscall"
)

// peakOf returns the most memory that a process had in use at once, which Linux counts in KiB.
func peakOf(p *os.ProcessState) (int64, error) {
	r, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, errors.New("the kernel did not report what a process used")
	}
	return r.Maxrss * 1024, nil
}
