package jsonnet

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-jsonnet"
	"github.com/google/go-jsonnet/ast"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// harmless are the beginnings of messages about the text of a file, which name what stands there.
var harmless = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(Unknown variable: |[Ff]unction has no parameter|Argument .* (already provided|not provided)|` +
		`Duplicate (field|local var|argument)|Can't use (self|super)|Expected .* but got |Unexpected: |Lexer error|End of file)`)
})

// quoted finds parts of a message that come from the text.
var quoted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\((?:STRING_\w+|VERBATIM_STRING_\w+|NUMBER), .*?\)`)
})

// failure returns an error of Jsonnet the place in the file that it happened in, the innermost of the application's
// own.
func (in *importer) failure(err error, file string) error {
	pos, message := diag.Position{File: in.displayPath(file)}, err.Error()
	var static interface{ Loc() ast.LocationRange }
	var runtime jsonnet.RuntimeError
	isRuntime := false
	switch {
	case errors.As(err, &static):
		pos = in.position(static.Loc(), pos)
		_, message, _ = strings.Cut(message, " ") // after "file:line:column"
	case errors.As(err, &runtime):
		message, isRuntime = runtime.Msg, true
		for _, frame := range slices.Backward(runtime.StackTrace) {
			if p := in.position(frame.Loc, diag.Position{}); p.File != "" {
				pos = p
				break
			}
		}
	}
	message = quoted().ReplaceAllString(strings.TrimSpace(message), "...")
	isShown := in.isUserMessage(pos, message)
	switch {
	case isShown:
	case isRuntime:
		message, isShown = in.evaluationText(message)
	default:
		isShown = harmless().MatchString(message)
	}
	if !isShown {
		return diag.Input(pos, errors.New("evaluate Jsonnet: failed with a text of its own, which may hold values and is not shown"),
			"Evaluate it with jsonnet on your machine to see the text.")
	}
	return diag.Input(pos, errors.New("evaluate Jsonnet: "+
		strings.ReplaceAll(message, in.root+string(filepath.Separator), "")), "")
}

// isUserMessage reports whether a message stands as it is after error in the line where it was raised: then whoever
// wrote it meant it to be read.
func (in *importer) isUserMessage(pos diag.Position, message string) bool {
	real, err := in.system.Real(pos.File)
	if err != nil || pos.Line == 0 || message == "" || strings.Contains(message, "\n") {
		return false
	}
	text, err := in.system.ReadFile(real)
	if err != nil {
		return false
	}
	lines := strings.Split(string(text), "\n")
	if pos.Line > len(lines) {
		return false
	}
	line := lines[pos.Line-1]
	return strings.Contains(line, "error '"+message+"'") || strings.Contains(line, `error "`+message+`"`)
}

// position returns a place in a file of the repository; otherwise where there is none.
func (in *importer) position(loc ast.LocationRange, otherwise diag.Position) diag.Position {
	name := loc.FileName
	if !filepath.IsAbs(name) || !files.Within(in.root, name) {
		return otherwise
	}
	return diag.Position{File: in.displayPath(name), Line: loc.Begin.Line}
}

// displayPath returns a path as the user wrote that of the application.
func (in *importer) displayPath(path string) string {
	if rel, err := filepath.Rel(in.dir, path); err == nil {
		return filepath.Join(in.req.Path, rel)
	}
	return path
}
