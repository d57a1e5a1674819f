package fault_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/fault"
)

func caught(fn func()) (err error) {
	defer fault.Catch(&err)
	fn()
	return errors.New("no panic")
}

func explode(list []int) { _ = list[len(list)] }

func TestCatchNamesThePlaceOfAPanic(t *testing.T) {
	err := caught(func() { explode([]int{1}) })
	if diag.ExitOf(err) != diag.ExitInternal || diag.HintOf(err) == "" {
		t.Errorf("exit %d, hint %q", diag.ExitOf(err), diag.HintOf(err))
	}
	for _, want := range []string{"index out of range [1] with length 1", "fault_test.explode (fault_test.go:"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %q", want, err)
		}
	}
}

func TestCatchNeverQuotesThePanicValue(t *testing.T) {
	const secret = "hunter2"
	for _, value := range []any{secret, errors.New(secret), struct{ s string }{secret}} {
		if err := caught(func() { panic(value) }); strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "panic in") {
			t.Errorf("error is %q", err)
		}
	}
}

func TestCatchReturnsAnErrorUnchanged(t *testing.T) {
	if err := caught(func() {}); err.Error() != "no panic" {
		t.Errorf("error is %q", err)
	}
}

func TestRunDetachedReturnsWhenTheContextEnds(t *testing.T) {
	at := diag.Position{File: "chart"}
	ctx, cancel := context.WithCancel(t.Context())
	out, finished, err := fault.RunDetached(ctx, at, func() (int, error) { return 7, errors.New("seven") })
	if out != 7 || !finished || err == nil || err.Error() != "seven" {
		t.Errorf("got %d, finished %v, %v", out, finished, err)
	}
	_, finished, err = fault.RunDetached(ctx, at, func() (int, error) { explode([]int{1}); return 0, nil })
	if !finished || diag.ExitOf(err) != diag.ExitInternal || !strings.HasPrefix(err.Error(), "chart: internal fault: ") || !strings.Contains(err.Error(), " in fault_test.explode (") {
		t.Errorf("finished %v, %v", finished, err)
	}
	goesOn := make(chan bool)
	defer close(goesOn)
	cancel()
	if _, finished, err := fault.RunDetached(ctx, at, func() (int, error) { <-goesOn; return 1, nil }); finished ||
		err != nil {
		t.Errorf("finished %v, %v", finished, err)
	}
}
