package manifest_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/manifest"
)

func TestWhatPeopleWriteStaysInTheStrictReader(t *testing.T) {
	for _, text := range []string{
		"args: [--port=80, -v, --, -]\n",
		"args: [\n  --zap-log-level=info,\n  --metrics-bind-address=:8080\n]\n",
		"env: {--flag: --value}\n",
		"args:\n- --backend\n- :8080\n- ::1\n",
		"rules:\n- pattern: :shutdown(timeout=60)\n",
		"listen: [http://x:80, 0.0.0.0:80]\n",
	} {
		if d, err := manifest.Parse([]byte(text)); err != nil || !d.Fast() {
			t.Errorf("the YAML library reads it: %q (%v)", text, err)
		}
	}
}

func TestATabInFrontOfALineOfAFlowIsLeftToTheYAMLLibrary(t *testing.T) {
	for _, text := range []string{
		"a: [0\n\t]\n", "a: [0,\n\t1]\n", "a: {b: 0\n \t}\n", "a: {b: 0\n\n\t}\n", "a: {b:\n\tc}\n",
	} {
		if d, err := manifest.Parse([]byte(text)); err == nil && d.Fast() {
			t.Errorf("the strict reader reads it: %q", text)
		}
	}
}
