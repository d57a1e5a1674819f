package fault_test

import (
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

func TestCatchTellsWhereTheRuntimePanicked(t *testing.T) {
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

func TestCatchKeepsQuietWhatAPanicSays(t *testing.T) {
	const secret = "hunter2"
	for _, value := range []any{secret, errors.New(secret), struct{ s string }{secret}} {
		if err := caught(func() { panic(value) }); strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "panic in") {
			t.Errorf("error is %q", err)
		}
	}
}

func TestCatchLeavesAnErrorAsItIs(t *testing.T) {
	if err := caught(func() {}); err.Error() != "no panic" {
		t.Errorf("error is %q", err)
	}
}
