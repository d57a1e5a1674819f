package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestSettingsArePrintedWithTheirSources(t *testing.T) {
	t.Chdir(tree(t, map[string]string{".rollstamp.yaml": `namespace: shop
workloads:
- match: {kind: Deployment, labels: "app in (a, b)"}
  mode: off
kinds:
- kind: Pool
  template: spec.template
  references: [{path: spec.ref, kind: Secret, name: ""}]
`}))
	here := place(t, "")
	e := env(EnvHashKey, "0123456789abcdef", EnvCacheDir, "/cache")
	s, err := Resolve(Inputs{Place: here, Env: e, Flags: Flags{"fail-on": {"error"}}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := s.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	const want = `file: DIR/.rollstamp.yaml  # nearest .rollstamp.yaml
policy: ""  # default
level: 1  # default
namespace: shop  # DIR/.rollstamp.yaml:1
kubeVersion: ""  # default
apiVersions: []  # default
failOn: error  # flag --fail-on
severities: {}  # default
liveVolumes: false  # default
hashKey: optional  # default
hash-key: '[redacted]'  # env ROLLSTAMP_HASH_KEY
hashDomain: ""  # default
workloads:  # DIR/.rollstamp.yaml:2
    - match:
        kind: Deployment
        labels: app in (a, b)
      mode: "off"
ignore: []  # default
kinds:  # DIR/.rollstamp.yaml:5
    - kind: Pool
      template: spec.template
      podSpec: spec.template.spec
      annotations: spec.template.metadata.annotations
      references:
        - path: spec.ref
          kind: Secret
          name: ""
producers: []  # default
secrets.policy: spec  # default
secrets.onError: fail  # default
secrets.refresh: annotate  # default
secrets.storeAddress: false  # default
secrets.ask: []  # default
apps: []  # default
context: []  # default
render.include: []  # default
render.exclude: []  # default
render.recursive: false  # default
render.foreignChecksums: keep  # default
render.foreignAnnotations:  # default
    - checksum/*
    - checksum-*
    - '*/checksum'
    - config-hash
    - '*/config-hash'
argocd: []  # default
allow.network: false  # default
allow.exec-plugins: false  # default
allow.outside-root: false  # default
allow.stores: false  # default
allow.store-values: false  # default
stores: []  # default
sealingKeyFiles: []  # default
sops: null  # default
cacheDir: /cache  # env ROLLSTAMP_CACHE_DIR
color: true  # default
`
	if got := strings.ReplaceAll(withoutNewer(t, out.String(), want), here.Dir, "DIR"); got != want {
		t.Errorf("got\n%s", got)
	}
	var read map[string]any
	if err := yaml.Unmarshal(out.Bytes(), &read); err != nil || len(read) != len(s.Lines()) {
		t.Errorf("the text is no YAML of %d settings: %v", len(s.Lines()), err)
	}
}

// withoutNewer returns what is printed without the settings that want does not know, which nobody has given.
func withoutNewer(t *testing.T, printed, want string) string {
	t.Helper()
	var out strings.Builder
	known := true
	for line := range strings.Lines(printed) {
		if name, _, top := strings.Cut(line, ":"); top && !strings.HasPrefix(line, " ") {
			known = strings.Contains("\n"+want, "\n"+name+":")
			if !known && !strings.HasSuffix(line, "  # "+string(Default)+"\n") {
				t.Errorf("nobody gave %s", line)
			}
		}
		if known {
			out.WriteString(line)
		}
	}
	return out.String()
}

func TestSettingsAsJSONSayTheSameAsTheText(t *testing.T) {
	e := env(EnvHashKey, "0123456789abcdef")
	s := mustResolve(t, "workloads: [{match: {name: a, labels: b}, liveVolumes: false}]", e, Flags{})
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Schema   int
		Settings map[string]struct {
			Value  any
			Source string
		}
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if read.Schema != 1 || len(read.Settings) != len(s.Lines()) {
		t.Errorf("schema %d, %d settings", read.Schema, len(read.Settings))
	}
	for _, r := range s.Lines() {
		got := read.Settings[r.Name]
		var want, text any
		plain, err := yaml.Marshal(r.Value)
		if err == nil {
			err = yaml.Unmarshal(plain, &text)
		}
		if err != nil {
			t.Fatal(err)
		}
		asJSON, err := json.Marshal(text)
		if err == nil {
			err = json.Unmarshal(asJSON, &want)
		}
		if err != nil || !reflect.DeepEqual(got.Value, want) || got.Source != string(r.Source) {
			t.Errorf("%s: JSON says %v from %s, text %v from %s (%v)", r.Name, got.Value, got.Source, want, r.Source, err)
		}
	}
}

func TestAHashKeyInTheEnvironmentIsNeverPrinted(t *testing.T) {
	s := mustResolve(t, "", env(EnvHashKey, "0123456789abcdef"), Flags{})
	key, _, err := s.HashKey()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%v %+v %#v %v %+v %#v %s\n", s, s, s, key, *key, key, key)
	if err := s.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(&out).Encode([]any{s, key}); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"0123456789abcdef", "48 49 50", "0x30, 0x31", "MDEyMzQ1"} {
		if strings.Contains(out.String(), form) {
			t.Errorf("shown as %s:\n%s", form, out.String())
		}
	}
}
