//go:build !linux

package workers

// limitData does nothing: other kernels do not count memory in this way.
func limitData(int64) {}

// residentOf returns 0: it is not known.
func residentOf(int) int64 { return 0 }

// inherited returns 0: there is no such limit.
func inherited() int64 { return 0 }
