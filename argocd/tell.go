package argocd

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// maxShown is how long an error may be that Argo CD shows as the application's condition and keeps in Redis.
const maxShown = 1900

// Tell returns an error as the condition of an Application is to show it: its object and cause in the first line, at most 2 KiB in all
// with its next step, and the paths those of the repository. Several errors become lines of one.
func (b Build) Tell(err error) error {
	if err == nil {
		return nil
	}
	var lines []string
	for _, one := range diag.Unjoin(err) {
		lines = append(lines, b.Plain(strings.TrimSpace(one.Error())))
	}
	lines = slices.Compact(lines)
	hint := b.Plain(diag.HintOf(firstHinted(err)))
	if hint == "" && errors.Is(err, fs.ErrNotExist) {
		hint = narrowed
	}
	text := cut(strings.Join(lines, "\n"), maxShown-len(hint))
	return &diag.Error{Exit: diag.ExitOf(err), Err: errors.New(text), Hint: hint}
}

// Plain takes the place where Argo CD unpacked the tree out of a text.
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

// PlainFinding does that to a finding.
func (b Build) PlainFinding(f diag.Finding) diag.Finding {
	f.File, f.Message, f.Hint = b.Plain(f.File), b.Plain(f.Message), b.Plain(f.Hint)
	return f
}

func firstHinted(err error) error {
	for _, one := range diag.Unjoin(err) {
		if diag.HintOf(one) != "" {
			return one
		}
	}
	return nil
}

// cut shortens a text to so many bytes, at a rune, and says that it did.
func cut(text string, most int) string {
	const more = " ..."
	if len(text) <= most {
		return text
	}
	most = max(0, most-len(more))
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + more
}
