package kustomize

import (
	"os"
	"sync"
)

// standardError has the standard error of the process while kustomize's library builds, which writes its advice there
// and names no file.
type standardError struct {
	mu       sync.Mutex
	builds   int // that run now
	original *os.File
}

var libraryOutput standardError

// drop has what is written to standard error dropped until the function that it returns is called. Builds run side by
// side: the first one to begin changes it, and the last one to end changes it back.
func (s *standardError) drop() (restore func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.builds++; s.builds == 1 {
		s.original = os.Stderr
		if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
			os.Stderr = null
		}
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.builds--; s.builds == 0 && os.Stderr != s.original {
			_ = os.Stderr.Close() // nothing was written that could be lost
			os.Stderr = s.original
		}
	}
}
