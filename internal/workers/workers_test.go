package workers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/internal/memory"
	"github.com/rollstamp/rollstamp/internal/workers"
)

// asWorker is the argument with which this program is a worker.
const asWorker = "__test-worker"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == asWorker {
		if err := workers.Serve(context.Background(), &requests{}, os.Stdout, begin); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// begin is the worker's side of these tests: a request is the name of what it does.
func begin(first []byte) (workers.Handler, error) {
	if string(first) == "refuse" {
		return nil, errors.New("no such setting")
	}
	if pipe, ok := strings.CutPrefix(string(first), "wait "); ok {
		if _, err := os.ReadFile(pipe); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, request []byte, host workers.Host) ([]byte, error) {
		switch name, rest, _ := strings.Cut(string(request), " "); name {
		case "echo":
			return []byte(rest), nil
		case "first":
			return first, nil
		case "pid":
			return fmt.Append(nil, os.Getpid()), nil
		case "environment":
			return []byte(strings.Join(os.Environ(), " ")), nil
		case "ask":
			return askOften(host)
		case "nested":
			return askNested(ctx, host, rest)
		case "both":
			return holdNested(ctx, host, rest)
		case "hold":
			return hold(rest), nil
		case "cancelled":
			<-ctx.Done()
			return []byte("seen"), nil
		case "fail":
			return nil, errors.New("not this one")
		case "panic":
			panic("secret")
		case "crash":
			go panic("secret") // which nothing recovers
		case "stack":
			return fmt.Append(nil, deeper(1)), nil
		case "memory":
			return bytes.Repeat([]byte("x"), 1<<30), nil
		case "slowly":
			return fill(), nil
		case "large":
			return make([]byte, 5<<20), nil
		case "grow":
			return grow(), nil
		case "keep":
			return keep(ctx), nil
		case "killed":
			return nil, errors.Join(note(rest), killMyself())
		}
		for { // without end
			runtime.Gosched()
		}
	}, nil
}

// deeper calls itself without end.
func deeper(n int) int {
	if n == 0 {
		return 0
	}
	return deeper(n+1) + 1
}

// fill uses memory bit by bit.
func fill() []byte {
	var all [][]byte
	for {
		all = append(all, bytes.Repeat([]byte("x"), 1<<20))
		if len(all) == 1<<40 {
			return all[0]
		}
	}
}

// grow uses more than half of the memory, and no more than there is.
func grow() []byte { return bytes.Repeat([]byte("x"), 70<<20)[:1] }

// keep uses more than half of the memory until ctx ends.
func keep(ctx context.Context) []byte {
	b := bytes.Repeat([]byte("x"), 80<<20)
	<-ctx.Done()
	return b[:1]
}

// hold uses so many MiB for a while that whoever looks sees it.
func hold(count string) []byte {
	n, _ := strconv.Atoi(count) // it is of this test
	b := bytes.Repeat([]byte("x"), n<<20)
	for begun := time.Now(); time.Since(begun) < 10*memory.Interval; {
		runtime.Gosched()
	}
	return b[:1]
}

// holdNested uses so many MiB as a worker of this worker does.
func holdNested(ctx context.Context, host workers.Host, count string) ([]byte, error) {
	mine := hold(count)
	_, err := askNested(ctx, host, "hold "+count)
	runtime.KeepAlive(mine)
	return nil, err
}

// askNested sends a request to a worker of this worker, when that is there and the host knows.
func askNested(ctx context.Context, host workers.Host, request string) ([]byte, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := workers.New(workers.Program{Path: program, Args: []string{asWorker}}, workers.Limits{Workers: 1, Answer: mib})
	l, err := p.Lease(ctx)
	if err != nil {
		return nil, err
	}
	defer l.Release()
	if _, err := host.Ask(nil); err != nil {
		return nil, err
	}
	return l.Do(ctx, []byte(request), func([]byte) []byte { return nil })
}

func askOften(host workers.Host) ([]byte, error) {
	var all sync.WaitGroup
	answers := make([]string, 20)
	for i := range answers {
		all.Go(func() {
			b, err := host.Ask(fmt.Append(nil, i))
			answers[i] = fmt.Sprint(string(b), err)
		})
	}
	all.Wait()
	return []byte(strings.Join(answers, " ")), nil
}

// poolOf returns a pool of this program. After the test, no process and no descriptor of it is left.
func poolOf(t *testing.T, first string, limits workers.Limits) *workers.Pool {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	before := descriptors(t)
	if limits.Answer == 0 {
		limits.Answer = 1 << 20
	}
	p := workers.New(workers.Program{Path: program, Args: []string{asWorker}, First: []byte(first)}, limits)
	t.Cleanup(func() {
		p.Close()
		if after := descriptors(t); after > before {
			t.Errorf("%d descriptors are open, %d were before", after, before)
		}
	})
	return p
}

func descriptors(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // not on this system
	}
	return len(all)
}

// ask sends one request to a worker of the pool.
func ask(ctx context.Context, p *workers.Pool, request string) (string, error) {
	l, err := p.Lease(ctx)
	if err != nil {
		return "", err
	}
	defer l.Release()
	b, err := l.Do(ctx, []byte(request), func(q []byte) []byte { return append([]byte("re "), q...) })
	return string(b), err
}

const mib = 1 << 20

func TestAWorkerAnswersAndStays(t *testing.T) {
	p := poolOf(t, "settings", workers.Limits{Workers: 1, Memory: 128 * mib})
	pid, err := ask(t.Context(), p, "pid")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 20 {
		want = append(want, fmt.Sprintf("re %d<nil>", i))
	}
	for request, want := range map[string]string{
		"echo hello": "hello", "first": "settings", "environment": "", "ask": strings.Join(want, " "), "pid": pid,
		"echo " + strings.Repeat("x", 900_000): strings.Repeat("x", 900_000),
	} {
		if got, err := ask(t.Context(), p, request); got != want || err != nil {
			t.Errorf("%.20s: %.200q, %v", request, got, err)
		}
	}
	for request, want := range map[string]string{"fail": "not this one", "panic": "internal fault: panic in "} {
		if _, err := ask(t.Context(), p, request); err == nil || !strings.HasPrefix(err.Error(), want) ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", request, err)
		}
	}
	if again, err := ask(t.Context(), p, "pid"); again != pid || err != nil || p.Counts().Started != 1 {
		t.Errorf("it is process %s, %v, and was %s", again, err, pid)
	}
}

func TestAWorkerThatEndsIsReplacedWithItsCause(t *testing.T) {
	for request, want := range map[string]workers.Cause{
		"crash": workers.Crashed, "stack": workers.StackOverflow, "memory": workers.OutOfMemory,
		"slowly": workers.OutOfMemory, "loop": workers.OutOfTime, "large": workers.TooLarge,
	} {
		t.Run(request, func(t *testing.T) {
			p := poolOf(t, "", workers.Limits{Workers: 1, Memory: 256 * mib})
			if err := p.Warm(t.Context()); err != nil {
				t.Fatal(err)
			}
			ctx := t.Context()
			if want == workers.OutOfTime {
				limited, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
				defer cancel()
				ctx = limited
			}
			_, err := ask(ctx, p, request)
			var ended *workers.Ended
			if !errors.As(err, &ended) || ended.Cause != want || strings.Contains(err.Error(), "secret") {
				t.Fatalf("it ended with %v", err)
			}
			if ended.After > time.Minute { // on a machine that is busy
				t.Errorf("it took %s", ended.After)
			}
			if want == workers.OutOfTime && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the cause of the end is lost: %v", err)
			}
			if got, err := ask(t.Context(), p, "echo next"); got != "next" || err != nil {
				t.Errorf("the next one: %q, %v", got, err)
			}
			if p.Counts().Ended[want] != 1 {
				t.Errorf("it counts %v", p.Counts())
			}
		})
	}
}

func TestAWorkerOfAWorkerThatOverflowsItsStackIsKnown(t *testing.T) {
	p := poolOf(t, "", workers.Limits{Workers: 1, Memory: 256 * mib})
	for request, want := range map[string]workers.Cause{
		"stack": workers.StackOverflow, "slowly": workers.OutOfMemory,
	} {
		if _, err := ask(t.Context(), p, "nested "+request); err == nil || !strings.Contains(err.Error(), ": "+string(want)) {
			t.Errorf("%s: %v", request, err)
		}
	}
}

// TestWhatAWorkerAndItsOwnUseTogetherIsLimited has each of both use less than the limit, and both together more.
func TestWhatAWorkerAndItsOwnUseTogetherIsLimited(t *testing.T) {
	p := poolOf(t, "", workers.Limits{Workers: 1, Memory: 256 * mib})
	for request, want := range map[string]workers.Cause{"both 70": "", "both 170": workers.OutOfMemory} {
		_, err := ask(t.Context(), p, request)
		var ended *workers.Ended
		if errors.As(err, &ended); (err == nil) != (want == "") || err != nil && ended.Cause != want {
			t.Errorf("%s: %v", request, err)
		}
	}
}

func TestARequestThatNobodyWaitsForIsCancelled(t *testing.T) {
	p := poolOf(t, "", workers.Limits{Workers: 1})
	pid, err := ask(t.Context(), p, "pid")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if got, err := ask(ctx, p, "cancelled"); got != "seen" || err != nil {
		t.Errorf("it got %q, %v", got, err)
	}
	if again, err := ask(t.Context(), p, "pid"); again != pid || err != nil {
		t.Errorf("it is process %s, %v, and was %s", again, err, pid)
	}
}

func TestAWorkerWhoseMemoryHasGrownIsReplaced(t *testing.T) {
	p := poolOf(t, "", workers.Limits{Workers: 1, Memory: 256 * mib})
	pid, err := ask(t.Context(), p, "pid")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := ask(t.Context(), p, "grow"); err != nil {
			t.Fatal(err)
		}
	}
	if again, err := ask(t.Context(), p, "pid"); again == pid || err != nil {
		t.Errorf("it is process %s still, %v", again, err)
	}
	if c := p.Counts(); c.Renewed == 0 || c.Busy != 0 {
		t.Errorf("it counts %+v", c)
	}
}

func TestAProgramThatIsNoWorkerIsAnError(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]workers.Program{
		"none":    {Path: filepath.Join(t.TempDir(), "none")},
		"another": {Path: program, Args: []string{"-test.run", "^$"}},
		"refuses": {Path: program, Args: []string{asWorker}, First: []byte("refuse")},
	} {
		pool := workers.New(p, workers.Limits{Workers: 1, Answer: mib})
		_, err := ask(t.Context(), pool, "echo")
		var ended *workers.Ended
		if !errors.As(err, &ended) || ended.Cause != workers.NotStarted {
			t.Errorf("%s: %v", name, err)
		}
		if name == "refuses" && !strings.Contains(err.Error(), "no such setting") {
			t.Errorf("its reason is lost: %v", err)
		}
		pool.Close()
	}
}

func TestAClosedPoolHasNoWorkers(t *testing.T) {
	p := poolOf(t, "", workers.Limits{Workers: 2})
	l, err := p.Lease(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		p.Close()
	}()
	if _, err := ask(t.Context(), p, "echo a"); err != nil && !errors.Is(err, workers.ErrClosed) {
		t.Error(err)
	}
	if got, err := l.Do(t.Context(), []byte("echo b"), nil); string(got) != "b" || err != nil {
		t.Errorf("what ran got %q, %v", got, err)
	}
	l.Release()
	<-closed
	if _, err := ask(t.Context(), p, "echo c"); !errors.Is(err, workers.ErrClosed) {
		t.Errorf("afterwards: %v", err)
	}
}

func BenchmarkARequest(b *testing.B) {
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	p := workers.New(workers.Program{Path: program, Args: []string{asWorker}}, workers.Limits{Workers: 1, Answer: mib})
	defer p.Close()
	for _, request := range []string{"echo", "ask"} {
		b.Run(request, func(b *testing.B) {
			for b.Loop() {
				if _, err := ask(b.Context(), p, request); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestTheLongestAtWorkEndsForTheMemoryThatOthersNeed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the memory of another process is read from /proc")
	}
	p := poolOf(t, "", workers.Limits{Workers: 1, Spare: 1, Memory: 128 << 20})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begin := func() (ended chan error) {
		lease, err := p.Lease(ctx)
		if err != nil {
			t.Fatal(err)
		}
		ended = make(chan error, 1)
		go func() {
			defer lease.Release()
			_, err := lease.Do(ctx, []byte("keep"), nil)
			ended <- err
		}()
		return ended
	}
	if !p.HasSpare() {
		t.Error("a pool that does nothing has none to spare")
	}
	first := begin()
	for p.HasSpare() {
		runtime.Gosched()
	}
	second := begin()
	var ended *workers.Ended
	if err := <-first; !errors.As(err, &ended) || ended.Cause != workers.Crowded {
		t.Errorf("the first one ended with %v", err)
	}
	cancel()
	// A busy machine may end it as one that nobody waits for.
	if err := <-second; errors.As(err, &ended) && ended.Cause == workers.Crowded {
		t.Errorf("the second one ended with %v", err)
	}
}
