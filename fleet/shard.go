package fleet

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// Shard is a part of the applications, for a run that is divided over machines: "2/5" is the second of five. It is a
// flag's value, and its zero value is all of them.
type Shard struct{ number, of int }

// String returns the shard as it is written.
func (s *Shard) String() string {
	if s.of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.number, s.of)
}

// Part returns which part of how many it is; zeros for all.
func (s *Shard) Part() (number, of int) { return s.number, s.of }

// Set reads what the user wrote.
func (s *Shard) Set(text string) error {
	var rest string
	n, _ := fmt.Sscanf(text+" .", "%d/%d %s", &s.number, &s.of, &rest) // the count is enough
	if n != 3 || rest != "." || s.number < 1 || s.of < s.number {
		return diag.Usage(fmt.Errorf("--shard %q is not I/N with I from 1 to N", text), "")
	}
	return nil
}

// Type names the value in the help.
func (s *Shard) Type() string { return "I/N" }

// Select returns the names of this part. Which part an application is in follows from its name alone, so that it stays
// there when others come and go.
func (s *Shard) Select(names []string) []string { return s.SelectWith(names, nil) }

// SelectWith returns the names of this part as Select does, but for those that are to be seen together: they are all in
// the part of the first of them.
func (s *Shard) SelectWith(names []string, isTogether func(name string) bool) []string {
	if s.of == 0 {
		return names
	}
	first := ""
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		if isTogether != nil && isTogether(name) {
			first = cmp.Or(first, name)
			name = first
		}
		return !s.has(name)
	})
}

func (s *Shard) has(name string) bool {
	whole, _, _ := strings.Cut(filepath.ToSlash(filepath.Clean(name)), "/source-") // an Application stays together
	sum := sha256.Sum256([]byte(whole))
	return binary.BigEndian.Uint64(sum[:])%uint64(s.of) == uint64(s.number-1)
}
