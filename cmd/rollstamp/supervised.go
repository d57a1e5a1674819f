package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/contain"
	"github.com/rollstamp/rollstamp/internal/memory"
	"github.com/rollstamp/rollstamp/internal/workers"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

// supervisedFlag marks a process that another one of this program watches, with the descriptors after the usual three:
// where it reports what it works on, where its order is, and standard error.
const supervisedFlag = "__supervised"

// The descriptors of a supervised process.
const (
	reportsAt = iota + 3
	orderAt
	errorsAt
)

// order is what a supervised process is to do differently.
type order struct {
	Failed map[string]failed // applications that have ended a process: they fail
	Only   string            // the one that is tried by itself; "" is all
	Once   bool              // with Only: the run ends when it has been tried once
}

// failed is how an application has ended a process.
type failed struct {
	Cause workers.Cause
	File  string // of it, that was evaluated; "" where none was
	After string // the time in which it did not finish, where it was that
}

// supervised reports what a process works on.
type supervised struct {
	order
	mu      sync.Mutex
	reports io.Writer
}

// What is reported, before the names as a list of JSON on a line.
const (
	reportBegin = "begin "
	reportAt    = "at " // and a second name: of a file, or empty
	reportEnd   = "end "
	reportLate  = "late " // and a second name: the time in which it did not finish
	reportDone  = "done"  // the run has come to its end, whatever its exit code
)

// newSupervised reads the order, and ends the process when whoever gave it is gone.
func newSupervised() (*supervised, error) {
	in := bufio.NewReader(workers.Inherit(orderAt, "order"))
	s := &supervised{reports: workers.Inherit(reportsAt, "reports")}
	line, err := in.ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &s.order) != nil {
		return nil, errors.New("the order of a supervised process is not understood")
	}
	debug.SetMaxStack(workers.MaxStack)
	go func() {
		_, _ = in.ReadByte() // nothing more comes
		os.Exit(int(diag.ExitInternal))
	}()
	return s, nil
}

// Begin reports an application, or refuses it. Whoever gets its error adds the place.
func (s *supervised) Begin(name, _ string) (end func(), err error) {
	if how, ok := s.Failed[name]; ok {
		return nil, containedError(name, how)
	}
	if s.Only != "" && name != s.Only {
		return nil, diag.Input(diag.Position{File: name}, errors.New("not tried"), "")
	}
	s.report(reportBegin, name)
	return func() {
		s.report(reportEnd, name)
		if s.Only != "" && s.Once {
			os.Exit(0)
		}
	}, nil
}

// At reports the file of an application that is evaluated.
func (s *supervised) At(name, file string) { s.report(reportAt, name, file) }

// Late reports an application that goes on after its time.
func (s *supervised) Late(name string, after time.Duration) {
	s.report(reportLate, name, after.String())
}

// report writes a line: what it is about, and names as a list of JSON.
func (s *supervised) report(what string, names ...string) {
	line, _ := json.Marshal(names) // texts always can be
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.reports.Write(append(append([]byte(what), line...), '\n')) // without a reader the process ends
}

// done reports the end of the run.
func (s *supervised) done() {
	if s != nil {
		s.report(reportDone)
	}
}

// refuseMemory has the kernel keep the process to limit bytes, or to what Watch keeps it to where limit is 0: a text
// that doubles, or an array that grows, asks for gigabytes between two looks. The eighth above is for what the runtime
// has given back, which the kernel still counts.
func refuseMemory(limit int64) {
	if limit == 0 {
		limit = memory.Limit()
	}
	memory.LimitData(limit + limit/8)
}

// refuseMuchMore has the kernel keep a process that nobody watches to four times what Watch keeps it to, or what is
// usual: the watch comes first, where it comes to run at all while gigabytes are copied. Else what the kernel refuses
// ends the process in the runtime's words and leaves others their memory. A lower limit is for the watch alone, as a
// few doublings are done sooner than a busy machine lets it run. What the container has is not asked for, which would
// cost each start: there, that is refused.
func refuseMuchMore(limit int64) {
	const times = 4
	if isSet := debug.SetMemoryLimit(-1) != math.MaxInt64; isSet && limit == 0 {
		return
	}
	if limit = max(limit, memory.Usual); limit < math.MaxInt64/(2*times) {
		memory.LimitData(times * limit)
	}
}

// endForMemory ends the process where the memory ends, so that the one who watches can find out for whom.
func (s *supervised) endForMemory(memory.Exceeded) {
	os.Exit(workers.ExitFull)
}

// reportingAtOnce runs a command that reports as it goes on. Where another process watches, it reports in the end: what
// ends the process before that is done again without the application that did it.
func (p *program) reportingAtOnce(run func() error) error {
	if p.supervised == nil {
		return run()
	}
	shown := p.err
	var reports bytes.Buffer
	p.err = &reports
	defer func() {
		p.err = shown
		_, _ = reports.WriteTo(shown)
	}()
	return run()
}

// containedError is the error of an application that has ended a process.
func containedError(name string, how failed) error {
	pos, while := diag.Position{File: name}, contain.Evaluated(how.File)
	if how.After != "" {
		return diag.Input(pos, errors.New("not finished after "+how.After+while), render.LoopHint)
	}
	switch how.Cause {
	case workers.StackOverflow:
		return diag.Input(pos, errors.New("what it renders calls itself without end"+while), render.RecursionHint)
	case workers.OutOfMemory:
		return diag.Input(pos, errors.New("it needs more memory than the run may have"+while), pipeline.MemoryHint)
	}
	return diag.Input(pos, errors.New("the process that rendered it ended: "+string(how.Cause)+while),
		"Render it by itself with --isolate=false to see the reason.")
}

// working are the applications that a supervised process works on, by what it reports.
type working struct {
	names map[string]int
	files map[string]string // of these, that are evaluated, by the application
	late  map[string]string // the time of those that were not finished in it, and may go on
	done  bool
}

// overdue returns the applications that were not finished in their time when the process ended, as having failed. They
// have, whatever ended it, and what they go on filling is blamed on nobody else.
func (w *working) overdue() map[string]failed {
	out := make(map[string]failed, len(w.late))
	for name, after := range w.late {
		out[name] = failed{File: w.files[name], After: after}
	}
	return out
}

// interrupted returns the error of a run that ends with them, after others failed.
func (w *working) interrupted(failed map[string]failed) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(failed)) {
		errs = append(errs, containedError(name, failed[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(w.names)) {
		errs = append(errs, diag.Input(diag.Position{File: name}, errors.New("interrupted"), ""))
	}
	if len(errs) == 0 {
		return context.Canceled
	}
	return errors.Join(errs...)
}

// read reads reports until there are no more.
func (w *working) read(r io.Reader) {
	w.names, w.files, w.late = map[string]int{}, map[string]string{}, map[string]string{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		what, of := lines.Text(), [2]string{}
		for _, begins := range []string{reportBegin, reportAt, reportEnd, reportLate, reportDone} {
			if rest, ok := strings.CutPrefix(what, begins); ok {
				_ = json.Unmarshal([]byte(rest), &of) // it is of this program
				what = begins
				break
			}
		}
		name := of[0]
		switch what {
		case reportBegin:
			w.names[name]++
		case reportAt:
			w.files[name] = of[1]
		case reportLate:
			w.late[name] = of[1]
		case reportEnd:
			if w.names[name]--; w.names[name] == 0 {
				delete(w.names, name)
			}
		case reportDone:
			w.done = true
		}
	}
}
