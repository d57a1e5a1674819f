package helm

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

// writeChart makes a chart of its own files and a Chart.yaml where they hold none.
func writeChart(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "c")
	if _, ok := files["Chart.yaml"]; !ok {
		writeFile(t, filepath.Join(dir, "Chart.yaml"), "apiVersion: v2\nname: c\nversion: 1.0.0\n")
	}
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
	return dir
}

func writeFile(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// changedKeys returns the keys of the lines that differ between a render and the second one.
func changedKeys(t *testing.T, out *render.Output) []string {
	t.Helper()
	a, b := bytes.Split(out.Text, []byte("\n")), bytes.Split(out.SecondRender, []byte("\n"))
	if len(a) != len(b) {
		t.Fatalf("%d lines, the second render %d", len(a), len(b))
	}
	var keys []string
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			key, _, _ := strings.Cut(strings.TrimSpace(string(a[i])), ":")
			keys = append(keys, key)
		}
	}
	return keys
}

func TestASecondRenderDiffersInRandomAndTimedContentOnly(t *testing.T) {
	t.Parallel()
	if got, want := changedKeys(t, must(t, request("dice"))), []string{"rolled", "year", "day", "id"}; !slices.Equal(got, want) {
		t.Errorf("changed keys %v, want %v", got, want)
	}
}

func TestASecondRenderShowsRandomValuesThroughTpl(t *testing.T) {
	t.Parallel()
	req := request("dice")
	req.Helm.SetJSON = []string{`random=false`, `tplText="{{ randAlpha 12 }}"`}
	if got, want := changedKeys(t, must(t, req)), []string{"later"}; !slices.Equal(got, want) {
		t.Errorf("changed keys %v, want %v", got, want)
	}
}

func TestASecondRenderShowsTheDayInValuesThroughTpl(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"values.yaml":      "when: '{{ now | date \"2006-01-02\" }}'\ndeep: [{when: '{{ now.Year }}'}]\nraw: '{{ now }}'\n",
		"templates/a.yaml": "when: {{ tpl .Values.when . }}\ndeep: {{ tpl (index .Values.deep 0).when . }}\nfixed: x\n",
	}
	if got, want := changedKeys(t, must(t, render.Request{Path: writeChart(t, files)})), []string{"when", "deep"}; !slices.Equal(got, want) {
		t.Errorf("changed keys %v, want %v", got, want)
	}
	files["templates/a.yaml"] += "raw: {{ .Values.raw | quote }}\nchance: {{ uuidv4 }}\n"
	if got, want := changedKeys(t, must(t, render.Request{Path: writeChart(t, files)})), []string{"chance"}; !slices.Equal(got, want) {
		t.Errorf("content that looks like a template: changed keys %v, want %v", got, want)
	}
}

func TestTheClockOfASecondRenderDiffersInEveryPart(t *testing.T) {
	t.Parallel()
	parts := []string{"year", "month", "day", "weekday", "hour", "minute", "second", "age", "quoted"}
	dir := writeChart(t, map[string]string{"templates/a.yaml": `
year: {{ now | date "06" }}
month: {{ now.Month }}
day: {{ date "2" now }}
weekday: {{ now | date "Mon" }}
hour: {{ dateInZone "15" (now) "UTC" }}
minute: {{ now.Minute }}
second: {{ $t := now }}{{ $t.Second }}
age: {{ toDate "2006-01-02" "2020-01-01" | ago }}
quoted: {{ tpl "{{ now | date \"2006\" }}" . }}
`})
	if got := changedKeys(t, must(t, render.Request{Path: dir})); !slices.Equal(got, parts) {
		t.Errorf("changed keys %v, want %v", got, parts)
	}
}

func TestAChartWithoutRandomContentHasNoSecondRender(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"shop", "storefront", "ledger", "almanac", "probe", "ragged"} {
		if out := must(t, request(name)); out.SecondRender != nil {
			t.Errorf("%s has a second render, different in %v", name, changedKeys(t, out))
		}
	}
	req := request("dice")
	set("random=false")(&req)
	if out := must(t, req); out.SecondRender != nil {
		t.Errorf("dice with fixed content has a second render, different in %v", changedKeys(t, out))
	}
}

func TestAChartThatRefusesAnotherTimeIsRenderedAgainAsItIs(t *testing.T) {
	t.Parallel()
	dir := writeChart(t, map[string]string{"templates/a.yaml": `
{{- if ne (now | date "2006" | atoi) (.Values.year | int) }}{{ fail "not this year" }}{{ end }}
a: {{ randAlphaNum 20 }}
`})
	req := render.Request{Path: dir}
	set(fmt.Sprint("year=", time.Now().Year()))(&req)
	if got, want := changedKeys(t, must(t, req)), []string{"a"}; !slices.Equal(got, want) {
		t.Errorf("changed keys %v, want %v", got, want)
	}
}

func TestARandomReleaseNameNeedsASecondRender(t *testing.T) {
	t.Parallel()
	req := request("ledger")
	req.Helm.NameTemplate = "r-{{ randNumeric 12 }}"
	if out := must(t, req); out.SecondRender == nil {
		t.Error("no second render")
	}
}

func TestKeysAreListedInOneOrder(t *testing.T) {
	t.Parallel()
	var values, want strings.Builder
	for i := range 30 {
		fmt.Fprintf(&values, "k%02d: 1\n", i)
		fmt.Fprintf(&want, "k%02d.", i)
	}
	dir := writeChart(t, map[string]string{"values.yaml": values.String(), "templates/a.yaml": `
a: {{ keys .Values | join "." }}.
b: {{ range $k := .Values | keys }}{{ $k }}.{{ end }}
c: {{ (omit .Values "x" | keys) | join "." -}} .
d: {{ index (keys (pick .Values "k03" "k01")) 0 }}
`})
	out := string(must(t, render.Request{Path: dir}).Text)
	for _, line := range []string{"a: " + want.String(), "b: " + want.String(), "c: " + want.String(), "d: k01"} {
		if !strings.Contains(out, line+"\n") {
			t.Errorf("no line %q in\n%s", line, out)
		}
	}
}

func TestReadingCapabilitiesWithoutAPinnedVersionIsAFinding(t *testing.T) {
	t.Parallel()
	out := must(t, request("probe"))
	want := diag.Position{File: filepath.Join(charts, "probe/templates/surroundings.yaml"), Line: 6}
	if len(out.Findings) != 1 || out.Findings[0].Code != diag.Capabilities || out.Findings[0].File != want.File ||
		out.Findings[0].Line != want.Line {
		t.Errorf("findings %+v, want one at %s", out.Findings, want)
	}
	req := request("probe")
	kube("1.34")(&req)
	if out := must(t, req); len(out.Findings) != 0 {
		t.Errorf("with a pinned version: %+v", out.Findings)
	}
	if out := must(t, request("shop")); len(out.Findings) != 0 {
		t.Errorf("shop reads no capabilities: %+v", out.Findings)
	}
}

func TestUnknownHookThatIsLeftOutIsAFinding(t *testing.T) {
	t.Parallel()
	out := must(t, request("ledger"))
	if len(out.Findings) != 1 || out.Findings[0].Code != diag.Skipped || out.Findings[0].Object != "ConfigMap release-name-nobody-knows-this-hook" {
		t.Errorf("findings %+v", out.Findings)
	}
}

func TestASecondRenderShowsRandomContentWhereverItEndsUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"left in the values by another template": {map[string]string{
			"templates/b.yaml": `{{ $_ := set .Values "pw" (randAlphaNum 20) }}`, "templates/a.yaml": "pw: {{ .Values.pw }}\nx: y\n",
		}, []string{"pw"}},
		"left in the values by itself": {map[string]string{
			"templates/a.yaml": `{{ if not .Values.pw }}{{ $_ := set .Values "pw" (randAlphaNum 20) }}{{ end }}pw: {{ .Values.pw }}`,
		}, []string{"pw"}},
		"hashed by another template": {map[string]string{
			"templates/a.yaml": "pw: {{ randAlphaNum 20 }}\n", "templates/b.yaml": "sum: {{ include (print $.Template.BasePath \"/a.yaml\") . | sha256sum }}\n",
		}, []string{"pw", "sum"}},
		"hashed by a template that formats its path": {map[string]string{
			"templates/a.yaml": "pw: {{ randAlphaNum 20 }}\n", "templates/b.yaml": "sum: {{ include (printf \"%s/%s.yaml\" $.Template.BasePath \"a\") . | sha256sum }}\n",
		}, []string{"pw", "sum"}},
		"left beside the values by another template": {map[string]string{
			"templates/b.yaml": `{{ $_ := set $ "pw" (randAlphaNum 20) }}`, "templates/a.yaml": "pw: {{ .pw }}\nx: y\n",
		}, []string{"pw"}},
		"left in other values": {map[string]string{
			"templates/b.yaml": `{{ $_ := set $ "Values" (dict "pw" (randAlphaNum 20)) }}`, "templates/a.yaml": "pw: {{ .Values.pw }}\nx: y\n",
		}, []string{"pw"}},
		"left in the release": {map[string]string{
			"templates/b.yaml": `{{ $_ := set $.Release "pw" (randAlphaNum 20) }}`, "templates/a.yaml": "pw: {{ .Release.pw }}\nx: y\n",
		}, []string{"pw"}},
		"left in a subchart": {map[string]string{
			"charts/s/Chart.yaml": "name: s\nversion: 1.0.0\n", "charts/s/templates/a.yaml": `{{ $_ := set $ "pw" (randAlphaNum 20) }}`,
			"templates/a.yaml": "pw: {{ .Subcharts.s.pw }}\nx: y\n",
		}, []string{"pw"}},
		"below a template that others leave their mark for": {map[string]string{
			"templates/b.yaml": `{{ $_ := set .Values "on" true }}`, "templates/a.yaml": "{{ if .Values.on }}pw: {{ randAlphaNum 20 }}{{ end }}\nx: y\n",
		}, []string{"pw"}},
		"in a subchart's helper": {map[string]string{
			"charts/s/Chart.yaml": "name: s\nversion: 1.0.0\n", "charts/s/templates/_h.tpl": `{{ define "s.pw" }}{{ randAlphaNum 20 }}{{ end }}`,
			"templates/a.yaml": "pw: {{ include \"s.pw\" . }}\n",
		}, []string{"pw"}},
		"switched off": {map[string]string{"templates/a.yaml": "{{ if .Values.on }}pw: {{ randAlphaNum 20 }}{{ end }}\nx: y\n"}, nil},
	} {
		out := must(t, render.Request{Path: writeChart(t, c.files)})
		if c.want == nil && out.SecondRender != nil {
			t.Errorf("%s: a second render", name)
		}
		if c.want == nil {
			continue
		}
		if out.SecondRender == nil {
			t.Errorf("%s: no second render", name)
		} else if got := changedKeys(t, out); !slices.Equal(got, c.want) {
			t.Errorf("%s: changed keys %v, want %v", name, got, c.want)
		}
	}
}

func TestOfPartialsWithOneTextTheOneThatCountsIsParsed(t *testing.T) {
	t.Parallel()
	const text = `{{ define "who" }}{{ .Chart.Name }}, all alike{{ end }}`
	dir := writeChart(t, map[string]string{
		"charts/s/Chart.yaml": "name: s\nversion: 1.0.0\n", "charts/s/templates/_a.tpl": text,
		"charts/s/templates/_b.tpl": `{{ define "who" }}another{{ end }}`,
		"templates/_a.tpl":          text, "templates/_z.tpl": `{{ define "who" }}not the last{{ end }}`, "templates/_c.tpl": text,
		"templates/a.yaml": "who: {{ include \"who\" . }}\n",
	})
	if out := must(t, render.Request{Path: dir}); !strings.Contains(string(out.Text), "who: c, all alike\n") {
		t.Errorf("rendered %s", out.Text)
	}
}

func TestASecondRenderOfAChartThatMakesKeysDiffersInThem(t *testing.T) {
	t.Parallel()
	dir := writeChart(t, map[string]string{"templates/a.yaml": `
{{- $ca := genCA "x" 9 }}{{ $c := genSignedCert "y" nil (list "z") 9 $ca }}
ca: {{ $ca.Cert | b64enc }}
cert: {{ $c.Cert | b64enc }}
key: {{ $c.Key | b64enc }}
own: {{ (genSelfSignedCert "y" (list "127.0.0.1") nil 9).Cert | b64enc }}
private: {{ genPrivateKey "rsa" | b64enc }}
piped: {{ (9 | genCA "x").Cert | b64enc }}
fixed: x
`})
	if got, want := changedKeys(t, must(t, render.Request{Path: dir})), []string{"ca", "cert", "key", "own", "private", "piped"}; !slices.Equal(got, want) {
		t.Errorf("changed keys %v, want %v", got, want)
	}
}

func TestARequestForOneRenderGetsNoSecond(t *testing.T) {
	t.Parallel()
	req := request("dice")
	req.Once = true
	if out := must(t, req); out.SecondRender != nil || len(out.Text) == 0 {
		t.Errorf("a second render, or nothing: %q", out.Text)
	}
}
