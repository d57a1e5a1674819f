package main

import (
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"unsafe"
)

// processors is a set of processors, a bit each, as the kernel has it.
type processors [16]uint64

// startOnOne starts a process that runs on one processor only, with all that it starts. They inherit it from the thread
// that starts them.
func startOnOne(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, one processors
	if err := all.call(syscall.SYS_SCHED_GETAFFINITY); err != nil {
		return err
	}
	i := slices.IndexFunc(all[:], func(word uint64) bool { return word != 0 })
	one[i] = all[i] & -all[i] // the first that may be used
	if err := one.call(syscall.SYS_SCHED_SETAFFINITY); err != nil {
		return err
	}
	defer func() { _ = all.call(syscall.SYS_SCHED_SETAFFINITY) }() // it was so before
	return cmd.Start()
}

// call gets or sets the processors of this thread.
func (p *processors) call(number uintptr) error {
	if _, _, failed := syscall.RawSyscall(number, 0, unsafe.Sizeof(*p), uintptr(unsafe.Pointer(p))); failed != 0 {
		return failed
	}
	return nil
}
