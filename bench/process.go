package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// command is a process to run.
type command struct {
	argv   []string
	dir    string
	env    []string // beside the benchmark's own
	stdin  string   // a file
	stdout string   // a file; "" is the null device
	fresh  string   // a folder that is moved away before
	onOne  bool     // it has one processor, and so has what it starts
}

// side is one side of a comparison: commands run one after another.
type side []command

// usage is what a side cost.
type usage struct {
	cpu  time.Duration // user and system, over all its processes
	wall time.Duration
	peak int64 // bytes of resident memory of its largest process, mapped files included
}

// run runs the commands in order.
func (s side) run(ctx context.Context) (usage, error) {
	var total usage
	for _, c := range s {
		u, err := c.run(ctx)
		if err != nil {
			return total, err
		}
		total.cpu += u.cpu
		total.wall += u.wall
		total.peak = max(total.peak, u.peak)
	}
	return total, nil
}

// run runs the process and asks the kernel what it used. The kernel counts to a new process's peak what its parent had
// when it was started, so the benchmark itself keeps little in memory.
func (c command) run(ctx context.Context) (usage, error) {
	if err := c.clear(); err != nil {
		return usage{}, err
	}
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	cmd.Dir = c.dir
	cmd.Env = append(cmd.Environ(), c.env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	closeAll, err := c.connect(cmd)
	defer closeAll()
	if err != nil {
		return usage{}, err
	}
	begin := time.Now()
	start := cmd.Start
	if c.onOne {
		start = func() error { return startOnOne(cmd) }
	}
	if err = start(); err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		return usage{}, fmt.Errorf("run %s: %w: %s", c, err, firstLine(said.String()))
	}
	u := usage{cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), wall: time.Since(begin)}
	u.peak, err = peakOf(cmd.ProcessState)
	return u, err
}

// clear moves the folder away that is to be fresh. To remove it would cost whoever writes next: for some minutes, ext4
// looks at each inode that was freed before it takes another one.
func (c command) clear() error {
	if c.fresh == "" {
		return nil
	}
	err := os.Rename(c.fresh, fmt.Sprintf("%s.%d", c.fresh, time.Now().UnixNano()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// connect opens what the process reads and writes.
func (c command) connect(cmd *exec.Cmd) (closeAll func(), err error) {
	var files []*os.File
	closeAll = func() {
		for _, f := range files {
			_ = f.Close() // the process has its own handle, and its exit code says what went wrong
		}
	}
	if c.stdin != "" {
		in, err := os.Open(c.stdin)
		if err != nil {
			return closeAll, err
		}
		files = append(files, in)
		cmd.Stdin = in
	}
	if c.stdout != "" {
		out, err := os.Create(c.stdout)
		if err != nil {
			return closeAll, err
		}
		files = append(files, out)
		cmd.Stdout = out
	}
	return closeAll, nil
}

// String returns the command as a person would write it, without folders.
func (c command) String() string {
	words := make([]string, len(c.argv))
	for i, w := range c.argv {
		words[i] = w
		if filepath.IsAbs(w) {
			words[i] = filepath.Base(w)
		}
	}
	return strings.Join(words, " ")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
