package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
)

// shard is a part of the applications, for a run that is divided over machines: "2/5" is the second of five.
type shard struct{ number, of int }

// String returns the shard as it is written.
func (s *shard) String() string {
	if s.of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.number, s.of)
}

// Set reads what the user wrote.
func (s *shard) Set(text string) error {
	var rest string
	if n, _ := fmt.Sscanf(text+" .", "%d/%d %s", &s.number, &s.of, &rest); n != 3 || rest != "." || s.number < 1 || s.of < s.number {
		return diag.Usage(fmt.Errorf("--shard %q is not I/N with I from 1 to N", text), "")
	}
	return nil
}

// Type names the value in the help.
func (s *shard) Type() string { return "I/N" }

// keep returns the applications of this part. Which part an application is in follows from its path alone, so that it stays where it is
// when others come and go.
func (s *shard) keep(paths []string) []string {
	if s.of == 0 {
		return paths
	}
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		sum := sha256.Sum256([]byte(filepath.ToSlash(filepath.Clean(path))))
		return binary.BigEndian.Uint64(sum[:])%uint64(s.of) != uint64(s.number-1)
	})
}
