package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
)

// streams are the process's ends: what goes to out is a result, everything else goes to err.
type streams struct {
	in   io.Reader
	out  io.Writer
	err  io.Writer
	host host // that started the process as its plugin

	isProcess    bool // they are those of the process, and its arguments are those of the run
	isSupervised bool // another process watches this one
}

// writeBuffer is large enough that a stream of many small splices costs few calls of the system.
const writeBuffer = 64 << 10

// emit writes a complete result to standard output.
func (s streams) emit(result io.WriterTo) error {
	w := bufio.NewWriterSize(s.out, writeBuffer)
	_, err := result.WriteTo(w)
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		return diag.Input(diag.Position{}, fmt.Errorf("write standard output: %w", err), "")
	}
	return nil
}

// jsonForm is how a result is written as JSON.
type jsonForm struct {
	indent  string
	escaped bool // <, > and & are escapes, as in a text that goes into a page
}

// The forms of commands for people who read along, and of one that a program alone reads.
var (
	indentedJSON = jsonForm{indent: "  "}
	compactJSON  = jsonForm{}
)

// emitJSON writes a complete result to standard output. What names it in an error.
func (s streams) emitJSON(what string, value any, form jsonForm) error {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(form.escaped)
	enc.SetIndent("", form.indent)
	if err := enc.Encode(value); err != nil {
		return fmt.Errorf("print %s: %w", what, err)
	}
	return s.emit(&out)
}

// slurp reads a file or standard input.
func (s streams) slurp(path string) (text []byte, err error) {
	if path == "-" {
		text, err = io.ReadAll(s.in)
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, diag.Input(diag.Position{File: path}, fmt.Errorf("read: %w", files.Cause(err)), files.HintOf(err))
	}
	return text, nil
}

// terminal reports whether a person may be looking at w. The null device passes for a terminal, without harm.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// guardDir returns the folder in which runs of this user see that another one writes a file that both change. Where
// there is no cache, it has a name that others can guess, so it has to be ours alone.
func guardDir(cache string) (string, error) {
	if cache != "" {
		return filepath.Join(cache, "locks"), nil
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("rollstamp-%d", os.Geteuid()))
	if err := files.PrivateFolder(dir); err != nil {
		return "", diag.Usage(fmt.Errorf("use %s: %w", dir, err), "Remove it, or name a folder with "+config.EnvCacheDir+".")
	}
	return dir, nil
}
