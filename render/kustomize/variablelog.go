package kustomize

import (
	"bytes"
	"io"
	"log"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/rollstamp/rollstamp/diag"
)

const (
	// neverReplaced is what kustomize logs of variables, before their names in no order.
	neverReplaced = "well-defined vars that were never replaced: "
	// badReplacement is what it logs, with the value, where a variable is a list or a mapping.
	badReplacement = "MakePrimitiveReplacer: bad replacement "
)

// variableLog has what kustomize's library logs of variables while it builds: it names no file there, and quotes values
// of objects. All else goes where it went before.
type variableLog struct {
	mu       sync.Mutex
	builds   int // that run now
	original io.Writer
	unused   sync.Map // by goroutine, in which one build runs: the set of names
}

var loggedVariables variableLog

// collect collects the variables that are never replaced in a build that runs in this goroutine, until the function
// that it returns is called, which returns their names.
func (l *variableLog) collect() (names func() []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.builds++; l.builds == 1 {
		l.original = log.Writer()
		log.SetOutput(variableLines{l, l.original})
	}
	goroutine, unused := thisGoroutine(), map[string]bool{}
	l.unused.Store(goroutine, unused)
	return func() []string {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.unused.Delete(goroutine)
		if l.builds--; l.builds == 0 {
			log.SetOutput(l.original)
		}
		return slices.Sorted(maps.Keys(unused))
	}
}

// variableLines is what package log writes to meanwhile. It takes no lock: package log holds its own.
type variableLines struct {
	of    *variableLog
	other io.Writer
}

func (v variableLines) Write(message []byte) (int, error) {
	text := strings.TrimSpace(string(message))
	names, isUnused := strings.CutPrefix(text, neverReplaced)
	if !isUnused && !strings.HasPrefix(text, badReplacement) {
		return v.other.Write(message)
	}
	if unused, ok := v.of.unused.Load(thisGoroutine()); ok && isUnused {
		for name := range strings.SplitSeq(names, ",") {
			unused.(map[string]bool)[name] = true
		}
	}
	return len(message), nil
}

// thisGoroutine returns what names the goroutine of its caller.
func thisGoroutine() string {
	var text [64]byte
	name, _, _ := bytes.Cut(text[:runtime.Stack(text[:], false)], []byte(" ["))
	return string(name)
}

// hasVariables reports whether a kustomization of the build has variables.
func (p *plan) hasVariables() bool {
	for _, k := range p.read {
		if len(k.kust.Vars) > 0 {
			return true
		}
	}
	return false
}

// unusedVariables returns findings about variables of a build, in the order of their names.
func (p *plan) unusedVariables(names []string) (out []diag.Finding) {
	for _, name := range names {
		pos := diag.Position{File: p.root.shown}
		for _, dir := range slices.Sorted(maps.Keys(p.read)) {
			k := p.read[dir]
			if found := k.entries(named("name", name), "vars"); len(found) > 0 {
				pos = k.one(found, "vars")
				break
			}
		}
		out = append(out, diag.New(diag.VariableUnused, "", "variable "+diag.Quote(name)+" is never replaced").At(pos))
	}
	return out
}
