package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/files"
)

// bytesRead returns how many bytes this process has read so far.
func bytesRead(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	found := regexp.MustCompile(`rchar: (\d+)`).FindSubmatch(text)
	if err != nil || found == nil {
		t.Skipf("the system does not count what is read: %v", err)
	}
	n, _ := strconv.Atoi(string(found[1]))
	return n
}

// TestTheFirstRunWithACacheReadsNoFileAgain counts bytes: what lay there before the run is not read again to know that
// it is still the same when results are stored.
func TestTheFirstRunWithACacheReadsNoFileAgain(t *testing.T) {
	h := newHistory(t)
	size := 0
	for i := range 8 {
		text := cachedConfig(fmt.Sprintf("large-%d", i), strings.Repeat("0123456789", 30<<10))
		h.write(fmt.Sprintf("apps/web/config-%d.yaml", i), text)
		size += len(text)
	}
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(10 * time.Millisecond) { // a time is waited for
		state, err := files.LookAt(filepath.Join(h.top, "apps/web"))
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("the folder stays new: %v", err)
		}
		if state.IsBefore(time.Now()) {
			break
		}
	}
	for _, command := range []string{"render", "check", "graph"} {
		read := func(more ...string) int {
			before := bytesRead(t)
			outputOf(t, append([]string{command, "apps/*"}, more...)...)
			return bytesRead(t) - before
		}
		without := read()
		with := read("--render-cache", filepath.Join(t.TempDir(), "cache"))
		if without < size || with > without+size/2 {
			t.Errorf("%s: %d bytes are read with a cache, and %d without one, of files with %d", command, with, without, size)
		}
	}
}
