package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/rollstamp/rollstamp/internal/memory"
)

// TestAProcessThatNobodyWatchesLeavesOthersTheirMemory asks the kernel what it holds a process to that has begun.
func TestAProcessThatNobodyWatchesLeavesOthersTheirMemory(t *testing.T) {
	t.Parallel()
	const limit = memory.Usual
	cmd := exec.Command("rollstamp", "stamp", "-")
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(bytes.Repeat([]byte("# more than a pipe holds\n"), 1<<15)); err != nil { // so it reads
		t.Fatal(err)
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := bytes.Cut(text, []byte("Max data size"))
	var refused int64
	if _, err := fmt.Sscan(string(line), &refused); err != nil || refused < 4*limit || refused > 5*limit {
		t.Errorf("the kernel refuses more than %d bytes, %v", refused, err)
	}
	_ = in.Close()
	_ = cmd.Wait() // that there is no object in it is not what is asked
}
