package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// fromHere returns a path as it is from the working folder, where it lies in that.
func fromHere(path string) string { return filepath.ToSlash(files.FromHere(path)) }

// errorText returns an error's text, with configuration files and locks as they are written from the working folder:
// they are found, by absolute paths. Others are as the user wrote them.
func errorText(err error) string {
	text := err.Error()
	here, absErr := filepath.Abs(".")
	if absErr != nil {
		return text
	}
	text = withoutFolder(text, here)
	if real, err := filepath.EvalSymlinks(here); err == nil && real != here {
		text = withoutFolder(text, real)
	}
	return text
}

// withoutFolder returns a text in which the configuration files and locks that lie in a folder begin there.
func withoutFolder(text, dir string) string {
	prefix := strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator)
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, prefix)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		begins := before == "" || strings.ContainsAny(before[len(before)-1:], " \"'(\n")
		if !begins || !isFound(after) {
			out.WriteString(prefix)
		}
		text = after
	}
}

// isFound reports whether a text begins with the path of a file that is found and not named.
func isFound(text string) bool {
	path := text
	if end := strings.IndexAny(text, " :;,\"')\n"); end >= 0 {
		path = text[:end]
	}
	name := filepath.Base(path)
	return name == config.FileName || name == lock.FileName
}

// findingsFromHere returns findings with their files as they are written from the working folder.
func findingsFromHere(found []diag.Finding) []diag.Finding { return appendFromHere(nil, found) }

// appendFromHere appends findings with their files as they are written from the working folder.
func appendFromHere(to, found []diag.Finding) []diag.Finding {
	to = slices.Grow(to, len(found))
	for _, f := range found {
		if filepath.IsAbs(f.File) {
			f.File = fromHere(f.File)
		}
		to = append(to, f)
	}
	return to
}
