package diag_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

func TestAnErrorIsTheSameInAnotherProcess(t *testing.T) {
	at := diag.Position{File: "web.yaml", Line: 3}
	own := &diag.Error{Exit: diag.ExitSource, Object: "Secret db", Pos: at, Err: errors.New("read: gone"), Hint: "Look."}
	for name, err := range map[string]error{
		"of ours":         own,
		"wrapped":         fmt.Errorf("render chart: %w", own),
		"without a class": errors.New("a library's"),
		"of one cause":    diag.Input(at, own, ""),
		"without a code":  &diag.Error{Err: errors.New("read: gone")},
	} {
		t.Run(name, func(t *testing.T) {
			sent, jsonErr := json.Marshal(diag.MessageOf(err))
			var m diag.Message
			if jsonErr != nil || json.Unmarshal(sent, &m) != nil {
				t.Fatal("the message is no JSON")
			}
			got := m.Err(errors.New(m.Text))
			if got.Error() != err.Error() || diag.HintOf(got) != diag.HintOf(err) || diag.ExitOf(got) != diag.ExitOf(err) {
				t.Errorf("got %q (%v, %q), want %q (%v, %q)", got, diag.ExitOf(got), diag.HintOf(got),
					err, diag.ExitOf(err), diag.HintOf(err))
			}
			var before, after *diag.Error
			if errors.As(err, &before) != errors.As(got, &after) {
				t.Errorf("a class was lost or added: %#v", got)
			}
		})
	}
}
