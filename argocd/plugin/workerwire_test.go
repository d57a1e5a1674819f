package plugin

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/workers"
)

func TestAnAnswerSaysHowAProcessOfTheWorkerEnded(t *testing.T) {
	want := workers.Ended{Cause: workers.StackOverflow, After: 3 * time.Second, Err: errors.New("not sent")}
	sent := diag.Input(diag.Position{File: "apps/web"}, fmt.Errorf("render with Helm 4: %w", &want), "Look for it.")
	b, err := (&workerAnswer{Errors: workerErrors(sent)}).encode()
	if err != nil {
		t.Fatal(err)
	}
	a, err := decodeAnswer(b)
	if err != nil {
		t.Fatal(err)
	}
	got := a.failure()
	var ended *workers.Ended
	if got.Error() != sent.Error() || diag.HintOf(got) != "Look for it." || !errors.As(got, &ended) ||
		ended.Cause != want.Cause || ended.After != want.After {
		t.Errorf("got %v with %+v", got, ended)
	}
}
