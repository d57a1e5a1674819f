package stamp

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/hashing"
)

// Variables are written as often as asked without a change, other strategies take them out again, and so does
// unstamping, under any settings.
func TestVariablesComeAndGo(t *testing.T) {
	t.Parallel()
	written := 0
	for _, s := range stories(t) {
		if strings.Contains(s.in, hashing.DefaultPrefix) {
			continue
		}
		opts := s.options(t)
		env := withStrategy(opts, config.StrategyEnv)
		p, err := planOf(t, []byte(s.in), env)
		if err != nil {
			continue
		}
		once := bytesOf(t, p)
		if bytes.Contains(once, []byte("ROLLSTAMP_")) {
			written++
		}
		again, err := planOf(t, once, env)
		if err != nil || again.HasChanges() {
			t.Errorf("%s: another time\n%s\nbecomes another text (%v)", s.name, once, err)
			continue
		}
		_, excepted := notBack[s.name]
		back, err := Unstamp(context.Background(), once, Options{Settings: withStrategy(opts, "").Settings})
		if err != nil || bytes.Contains(back, []byte("ROLLSTAMP_")) {
			t.Errorf("%s:\n%s\ncame back as\n%s (%v)", s.name, once, back, err)
			continue
		}
		isEncodedAgain := bytes.Contains([]byte(messages(p)), []byte(encodedAgain))
		if !excepted && !isEncodedAgain && string(back) != s.in {
			t.Errorf("%s:\n%s\nbecame\n%s\nand came back as\n%s", s.name, s.in, once, back)
		}
		none, err := planOf(t, once, withStrategy(opts, config.StrategyNone))
		if err != nil || bytes.Contains(bytesOf(t, none), []byte("ROLLSTAMP_")) {
			t.Errorf("%s: variables stay under the strategy none (%v)", s.name, err)
		}
		other, err := planOf(t, once, opts)
		if err != nil || bytes.Contains(bytesOf(t, other), []byte("ROLLSTAMP_")) {
			t.Errorf("%s: variables stay beside annotations (%v)", s.name, err)
			continue
		}
		if plain, err := planOf(t, []byte(s.in), opts); err == nil && !isEncodedAgain && !excepted &&
			!bytes.Equal(bytesOf(t, plain), bytesOf(t, other)) {
			t.Errorf("%s: annotations after variables are\n%s\nwant\n%s", s.name, bytesOf(t, other), bytesOf(t, plain))
		}
		back2, err := planOf(t, bytesOf(t, other), env)
		if err != nil || !isEncodedAgain && !excepted && !bytes.Equal(bytesOf(t, back2), once) {
			t.Errorf("%s: variables after annotations are another text (%v)", s.name, err)
		}
	}
	if written < 50 {
		t.Errorf("only %d stories have variables", written)
	}
}

func messages(p *planned) string {
	var out strings.Builder
	for _, f := range p.Plan.Findings {
		out.WriteString(f.Message + "\n")
	}
	return out.String()
}

func withStrategy(opts Options, strategy config.Strategy) Options {
	settings := opts.settings().Clone()
	settings.Strategy.Value = strategy
	opts.Settings = settings
	return opts
}

// A container uses a Secret under the name with a digest as it did under the one without.
func TestAVariableStaysInItsContainerUnderANewName(t *testing.T) {
	t.Parallel()
	text := `apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: made}
spec:
  secretStoreRef: {name: s}
  data: [{remoteRef: {key: x}, secretKey: k}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: w}
spec:
  template:
    spec:
      containers:
      - name: reads
        envFrom: [{secretRef: {name: made}}]
      - name: other
`
	opts := withStrategy(suffixing(config.RefreshSuffix), config.StrategyEnv)
	once, _ := stampedText(t, text, opts)
	if nameIn(once, "made") == "" || strings.Count(once, "ROLLSTAMP_SECRET_MADE") != 1 {
		t.Errorf("there is\n%s", once)
	}
}
