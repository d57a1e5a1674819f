package redact_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/redact"
)

const canary = "canary-7f3a"

type holder struct {
	Shown  redact.Secret
	hidden redact.Secret
	behind *redact.Secret
	list   []redact.Secret
	byKey  map[string]redact.Secret
}

func TestNoVerbShowsASecret(t *testing.T) {
	s := redact.New([]byte(canary))
	h := holder{s, s, &s, []redact.Secret{s}, map[string]redact.Secret{"k": s}}
	for _, v := range []any{s, &s, h, &h, h.list, h.byKey, []any{s}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%b", "%o", "%c", "%U", "%p", "%t", "%e", "%T"} {
			out := fmt.Sprintf(verb, v)
			for _, leak := range []string{canary, fmt.Sprintf("%x", canary), fmt.Sprintf("%d", canary[0]) + " " + fmt.Sprintf("%d", canary[1])} {
				if strings.Contains(strings.ToLower(out), leak) {
					t.Errorf("%s of %T shows the secret: %s", verb, v, out)
				}
			}
		}
	}
}

func TestNoEncoderShowsASecret(t *testing.T) {
	s := redact.New([]byte(canary))
	b, err := json.Marshal(map[string]any{"a": s, "b": holder{Shown: s, hidden: s}})
	if err != nil || strings.Contains(string(b), "canary") || !strings.Contains(string(b), redact.Mask) {
		t.Errorf("JSON shows %s (%v)", b, err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "s", s, "h", holder{hidden: s})
	if strings.Contains(log.String(), "canary") {
		t.Errorf("slog shows %s", log.String())
	}
}

func TestRevealGivesTheBytesBack(t *testing.T) {
	if got := string(redact.New([]byte(canary)).Reveal()); got != canary {
		t.Errorf("got %q", got)
	}
	if got := (redact.Secret{}).Reveal(); len(got) != 0 {
		t.Errorf("the zero secret holds %q", got)
	}
}
