package argocd

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/internal/workers"
)

// maxShown is the size of the longest error that Argo CD shows as the application's condition and stores in Redis.
const maxShown = 1900

// Condition returns an error for the condition of an Application: its object and cause in the first line, with its
// hint at most 2 KiB, and paths relative to the repository. Several errors become one, on a line each.
func (b Build) Condition(err error) error {
	if err == nil {
		return nil
	}
	var lines []string
	for _, one := range diag.Unjoin(err) {
		lines = append(lines, b.Plain(strings.TrimSpace(one.Error())))
	}
	lines = slices.Compact(lines)
	hint := b.Plain(diag.HintOf(firstWithHint(err)))
	if hint == "" && errors.Is(err, fs.ErrNotExist) {
		hint = narrowedHint
	}
	text := diag.Head(strings.Join(lines, "\n"), maxShown-len(hint))
	condition := &diag.Error{Exit: diag.ExitOf(err), Err: errors.New(text), Hint: hint}
	var ended *workers.Ended
	var other *OtherKind
	switch {
	case errors.As(err, &ended):
		condition.Err = knownError{text, ended}
	case errors.As(err, &other):
		condition.Err = knownError{text, other}
	}
	return condition
}

// knownError is a condition of an Application whose cause callers look for.
type knownError struct {
	text  string
	cause error
}

func (e knownError) Error() string { return e.text }

func (e knownError) Unwrap() error { return e.cause }

// Plain removes from a text the path in which Argo CD unpacked the tree.
func (b Build) Plain(text string) string {
	for name, folder := range b.Refs {
		if !files.Within(b.Root, folder) {
			text = strings.ReplaceAll(text, folder, "$"+name)
		}
	}
	for _, top := range []string{b.Root, b.Dir} {
		if len(top) > 1 {
			text = strings.ReplaceAll(strings.ReplaceAll(text, top+"/", ""), top, ".")
		}
	}
	return text
}

// PlainFinding returns a finding with its texts as Plain returns them.
func (b Build) PlainFinding(f diag.Finding) diag.Finding {
	f.File, f.Message, f.Hint = b.Plain(f.File), b.Plain(f.Message), b.Plain(f.Hint)
	return f
}

func firstWithHint(err error) error {
	for _, one := range diag.Unjoin(err) {
		if diag.HintOf(one) != "" {
			return one
		}
	}
	return nil
}
