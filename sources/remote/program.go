package remote

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/companion"
	"github.com/rollstamp/rollstamp/sources"
)

// Name is the file name of the program that asks stores.
const Name = "rollstamp-stores"

// Program asks stores by running Name.
type Program struct {
	Path    string // of the program; "" is Name beside the running one
	Release string // of the running one, which must be the program's
	Request Request

	Children *Children // counts the program while it runs; nil where nobody waits for it
}

var _ sources.VersionResolver = Program{}

const (
	maxHello    = 4 << 10
	maxResponse = 64 << 20
)

// Resolve runs the program once. Where there is nothing to ask, it is not started. The answers that there are come
// along with an error, too.
func (p Program) Resolve(ctx context.Context, refs []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	if len(refs) == 0 {
		return nil, nil, nil
	}
	path, err := p.path()
	if err != nil {
		return nil, nil, err
	}
	r, err := p.run(ctx, path, refs)
	if err != nil {
		return nil, nil, err
	}
	issue := withMoreTime(ctx, join(r.Issues, refs))
	if issue != nil && len(r.Answers) == 0 {
		return nil, nil, issue
	}
	if len(r.Answers) != len(refs) {
		return nil, nil, fail(path, fmt.Errorf("%d answers to %d questions", len(r.Answers), len(refs)))
	}
	out := make([]sources.Answer, len(refs))
	for i, a := range r.Answers {
		if a.Version != "" && a.Digest != "" || a == (answer{}) && issue == nil {
			return nil, nil, fail(path, errors.New("an answer is neither a version nor a digest"))
		}
		out[i] = sources.Answer{Version: a.Version, Digest: a.Digest}
	}
	return out, nil, issue
}

const installHint = "Install " + Name + " of the same release beside rollstamp, or name it with " +
	config.EnvStores + "."

func fail(path string, err error) error {
	return &diag.Error{Exit: diag.ExitInternal, Err: fmt.Errorf("run %s: %w", path, err), Hint: installHint}
}

// wrongProgram is the error of a program that is none of ours, or of another release: what was installed or named has
// to be mended.
func wrongProgram(path string, err error) error {
	return diag.Usage(fmt.Errorf("run %s: %w", path, err), installHint)
}

// foreign is the error of a hello that is none of this release's; nil of one that is.
func foreign(path string, line []byte, err error, release string) error {
	var hello Hello
	switch {
	case err != nil || json.Unmarshal(line, &hello) != nil || hello.Protocol == 0:
		return wrongProgram(path, errors.New("it is another program"))
	case hello != Hello{Protocol, release}:
		return wrongProgram(path, fmt.Errorf("it is of release %q, this program of %q", hello.Release, release))
	}
	return nil
}

// find returns the path of the program.
func (p Program) find() (string, error) { return companion.Find(Name, p.Path) }

// path finds the program that asks stores.
func (p Program) path() (string, error) {
	path, err := p.find()
	if err != nil {
		return "", diag.Usage(fmt.Errorf("ask stores: %w", err), installHint)
	}
	return path, nil
}

// run asks all questions.
func (p Program) run(ctx context.Context, path string, refs []sources.Ref) (*response, error) {
	request := p.Request
	request.Refs, request.Deadline = refs, forAnswers(ctx)
	var r response
	if err := p.exchange(ctx, path, nil, request, &r); err != nil && ctx.Err() != nil {
		return nil, cut(ctx, refs)
	} else if err != nil {
		return nil, err
	}
	return &r, nil
}

// exchange starts the program and talks to it. What it says on standard error is dropped: it has nothing to say there,
// and if it crashes, the words may be anybody's.
func (p Program) exchange(ctx context.Context, path string, args []string, request, answer any) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // before the wait below nothing is left to be said
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = environment(cmd)
	cmd.WaitDelay = toEnd
	in, err := cmd.StdinPipe()
	if err != nil {
		return fail(path, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fail(path, err)
	}
	defer p.Children.begin()()
	if err := cmd.Start(); err != nil {
		return wrongProgram(path, err)
	}
	hello := time.AfterFunc(helloWithin, cancel)
	err = p.talk(path, in, out, request, answer, func() { hello.Stop() })
	if err != nil {
		cancel()
	}
	if ended := cmd.Wait(); err == nil && ended != nil {
		err = fail(path, ended)
	}
	return err
}

// forAnswers returns until when stores may be waited for: what is left of the time of ctx is for telling what they
// answered, and did not.
func forAnswers(ctx context.Context) time.Time {
	end, limited := ctx.Deadline()
	if !limited {
		return time.Time{}
	}
	return end.Add(-min(time.Until(end)/8, maxReserve))
}

const maxReserve = time.Second

// cut is the error of a run that was over before the program had answered: no answer in time for each of what was
// asked.
func cut(run context.Context, refs []sources.Ref) error {
	if !errors.Is(run.Err(), context.DeadlineExceeded) {
		return diag.Input(diag.Position{}, errors.New("ask stores: interrupted"), "")
	}
	all := make([]issue, len(refs))
	for i := range refs {
		all[i] = issue{Class: sources.TimedOut, Ref: i}
	}
	return withMoreTime(run, join(all, refs))
}

// withMoreTime says in the errors of stores that did not answer within the time of a run that more of it may help.
func withMoreTime(run context.Context, err error) error {
	end, limited := run.Deadline()
	if !limited || time.Until(end) > 2*maxReserve {
		return err
	}
	for _, one := range diag.Unjoin(err) {
		var e *diag.Error
		var f *sources.Failure
		if errors.As(one, &e) && errors.As(one, &f) && f.Class == sources.TimedOut {
			e.Hint = "Give the stores more time with --timeout, or run it again when they answer; --on-error last-known takes the lock's version meanwhile."
		}
	}
	return err
}

// environment is ours, with what programs of others do not get, and without the hash key, of which the program gets
// what it needs.
func environment(cmd *exec.Cmd) (env []string) {
	for _, v := range config.WithHidden(cmd.Environ()) {
		if !strings.HasPrefix(v, config.EnvHashKey+"=") {
			env = append(env, v)
		}
	}
	return env
}

// helloWithin is how long the program may take to say hello. One that says nothing is another program.
const helloWithin = 10 * time.Second

// talk listens to the hello, after which it calls greeted, asks, and takes the answer.
func (p Program) talk(path string, in io.WriteCloser, out io.Reader, request, answer any, greeted func()) error {
	defer in.Close()
	reader := bufio.NewReaderSize(io.LimitReader(out, maxResponse), maxHello)
	line, err := reader.ReadSlice('\n')
	greeted()
	if err := foreign(path, line, err, p.Release); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(request); err != nil {
		return fail(path, errors.New("the request cannot be written"))
	}
	if _, err := text.WriteTo(in); err != nil {
		return fail(path, errors.New("it does not listen"))
	}
	if err := json.NewDecoder(reader).Decode(answer); err != nil {
		return fail(path, errors.New("it gave no answer"))
	}
	return nil
}
