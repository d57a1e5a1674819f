package argocd

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/diag"
)

func TestOnlyAFailureOfASourceIsTriedAgain(t *testing.T) {
	flaky := diag.Source(errors.New("503"), "")
	for _, c := range []struct {
		name  string
		fails []error
		calls int
		want  error
	}{
		{"passing", []error{nil}, 1, nil},
		{"once", []error{flaky, nil}, 2, nil},
		{"input", []error{diag.Input(diag.Position{}, errors.New("bad"), ""), nil}, 1, errors.New("bad")},
		{"source, then input", []error{flaky, diag.Usage(errors.New("bad"), "")}, 2, errors.New("bad")},
	} {
		calls := 0
		err := Retry(context.Background(), func(context.Context) error {
			calls++
			return c.fails[calls-1]
		})
		if calls != c.calls || (err == nil) != (c.want == nil) || err != nil && err.Error() != c.want.Error() {
			t.Errorf("%s: %d calls, %v", c.name, calls, err)
		}
	}
}

func TestNothingIsTriedAgainWhenTheTimeIsOver(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), firstPause)
	defer cancel()
	calls := 0
	err := Retry(ctx, func(context.Context) error { calls++; return diag.Source(errors.New("503"), "") })
	if calls != 1 || diag.ExitOf(err) != diag.ExitSource {
		t.Errorf("%d calls, %v", calls, err)
	}
	ended, end := context.WithCancelCause(context.Background())
	end(errors.New("over"))
	if wait(ended, time.Hour) {
		t.Error("a pause goes on behind the end")
	}
}
