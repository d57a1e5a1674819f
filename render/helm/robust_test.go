package helm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
)

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

func TestLinksInsideTheChartAreFollowedAsHelmFollowsThem(t *testing.T) {
	t.Parallel()
	dir := writeChart(t, map[string]string{"shared/a.yaml": "a: b\n", "shared/deep/c.yaml": "c: d\n", "files/x.txt": "x", "templates/f.yaml": "f: {{ .Files.Get \"more/x.txt\" }}\n"})
	link(t, "../shared", filepath.Join(dir, "templates/linked"))
	link(t, "../shared/a.yaml", filepath.Join(dir, "templates/again.yaml"))
	link(t, filepath.Join(dir, "files"), filepath.Join(dir, "more"))
	top := filepath.Join(t.TempDir(), "link-to-chart")
	link(t, dir, top)
	for _, path := range []string{dir, top} {
		sameAsHelm(t, render.Request{Path: path})
	}
}

func TestLinkThatLeavesTheChartNeedsPermission(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside")
	writeFile(t, filepath.Join(outside, "secret.txt"), "password\n")
	for _, name := range []string{"file.txt", "folder", "templates/t.yaml", "charts/sub"} {
		dir := writeChart(t, map[string]string{"templates/a.yaml": "a: b\n"})
		target := filepath.Join(outside, "secret.txt")
		if name == "folder" || name == "charts/sub" {
			target = outside
		}
		link(t, target, filepath.Join(dir, name))
		_, err := Engine{}.Render(t.Context(), render.Request{Path: dir})
		var d *diag.Error
		if !errors.As(err, &d) || d.Pos.File != filepath.Join(dir, name) || d.Hint == "" || !strings.Contains(err.Error(), "leads out of the chart") {
			t.Errorf("%s: error %v", name, err)
		}
		if name == "file.txt" || name == "folder" {
			must(t, render.Request{Path: dir, Allow: config.Permissions{OutsideRoot: true}})
		}
	}
}

func TestIgnoredLinkMayLeadAnywhere(t *testing.T) {
	t.Parallel()
	dir := writeChart(t, map[string]string{"templates/a.yaml": "a: b\n", ".helmignore": "docs\n"})
	link(t, t.TempDir(), filepath.Join(dir, "docs"))
	sameAsHelm(t, render.Request{Path: dir})
}

func TestLinksInACircleAreAnError(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]string{"loop": ".", "templates/up": "..", "a/b/c": "../../a"} {
		dir := writeChart(t, map[string]string{"templates/a.yaml": "a: b\n"})
		link(t, target, filepath.Join(dir, name))
		_, err := Engine{}.Render(t.Context(), render.Request{Path: dir})
		if err == nil || !strings.Contains(err.Error(), "leads back") {
			t.Errorf("%s -> %s: error %v", name, target, err)
		}
	}
	dir := writeChart(t, nil)
	link(t, "itself", filepath.Join(dir, "itself"))
	if _, err := (Engine{}).Render(t.Context(), render.Request{Path: dir}); err == nil {
		t.Error("a link to itself is no error")
	}
}

func TestRenderEndsWithItsContext(t *testing.T) {
	t.Parallel()
	never, end := io.Pipe() // a render that waits for ever: its values do not come
	t.Cleanup(func() { _ = end.Close() })
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("no more time")
	cancel(cause)
	req := request("shop")
	values("-")(&req)
	_, err := Engine{Stdin: never}.Render(ctx, req)
	if !errors.Is(err, cause) || diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), req.Path) {
		t.Errorf("error %v", err)
	}
}

func TestErrorsNameTheTemplateAndItsLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]diag.Position{
		"a: b\n{{ nope }}":             {File: "templates/t.yaml", Line: 2},
		"a: b\n\n{{ fail \"no\" }}":    {File: "templates/t.yaml", Line: 3},
		"{{ if }}":                     {File: "templates/t.yaml", Line: 1},
		"\n{{ .Values.a.b.c }}":        {File: "templates/t.yaml", Line: 2},
		"\n{{ include \"broken\" . }}": {File: "templates/t.yaml", Line: 2},
		"a: b\n c: d":                  {File: "templates/t.yaml"},
		"- a":                          {File: "templates/t.yaml"},
		"{{ required \"it is needed\" .Values.x }}": {File: "templates/t.yaml", Line: 1},
	} {
		dir := writeChart(t, map[string]string{"templates/t.yaml": text, "templates/_h.tpl": "{{ define \"broken\" }}\n{{ fail \"deep\" }}{{ end }}"})
		out, err := Engine{}.Render(t.Context(), render.Request{Path: dir})
		var d *diag.Error
		if out != nil || !errors.As(err, &d) || d.Exit != diag.ExitInput && d.Exit != diag.ExitOK {
			t.Fatalf("%q: %v", text, err)
		}
		if got := d.Pos; got.File != filepath.Join(dir, want.File) || got.Line != want.Line {
			t.Errorf("%q: error at %s, want %s: %v", text, got, want, err)
		}
	}
}

func TestErrorsOfChartFilesNameThem(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"values.yaml": "a: b\nc: [\n", "Chart.yaml": "name: c\nversion: [\n"} {
		dir := writeChart(t, map[string]string{name: text})
		_, err := Engine{}.Render(t.Context(), render.Request{Path: dir})
		var d *diag.Error
		if !errors.As(err, &d) || d.Pos.File != filepath.Join(dir, name) || d.Pos.Line == 0 {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestErrorsHoldNoSecretValues(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-hunter2"
	for name, text := range map[string]string{
		"tpl that does not parse": `{{ tpl (printf "{{ %s" .Values.plain) . }}`,
		"tpl that fails":          `{{ tpl (printf "%s {{ .a.b }}" .Values.plain) . }}`,
		"author's message":        `{{ fail (printf "bad password %s" .Values.auth.password) }}`,
		"a part of it":            `{{ fail (.Values.auth.password | trunc 7) }}`,
		"a part in other words":   `{{ fail (printf "it is %s, so" (.Values.auth.password | trunc 5)) }}`,
		"a part as base64":        `{{ fail (.Values.auth.password | trunc 7 | b64enc) }}`,
		"a part as a name":        `{{ include (.Values.auth.password | trunc 7) . }}`,
		"the end of it":           `{{ fail (.Values.auth.password | substr 8 14) }}`,
		"a file":                  `{{ fail (.Files.Get "f") }}`,
		"a key of TLS":            `{{ fail (.Values.clientKey | trunc 7) }}`,
		"a variable":              `{{ fail ((index .Values.env 0).value | trunc 7) }}`,
		"below a secret's key":    `{{ fail (printf "bad %s" (index .Values.secrets.list 0)) }}`,
		"number":                  `{{ mustToDate "2006" .Values.plain }}`,
		"broken YAML":             `{{ printf "a: %s: %s" .Values.plain .Values.plain }}`,
		"YAML that is no object":  `{{ .Values.plain }}`,
		"YAML of wrong types":     `{"kind": ["{{ .Values.plain }}"]}`,
		"key that is no scalar":   `{{ printf "? [%s]\n: a" .Values.plain }}`,
		"alias":                   `a: *{{ .Values.plain }}`,
		"Secret":                  "kind: Secret\nstringData:\n  a: {{ .Values.plain }}: x\n",
	} {
		values := fmt.Sprintf("plain: %[1]s\nauth: {password: %[1]s}\nsecrets: {list: [%[1]s]}\nclientKey: %[1]s\n"+
			"env: [{name: DB_PASSWORD, value: %[1]s}]\n", secret)
		dir := writeChart(t, map[string]string{"templates/t.yaml": text, "values.yaml": values, "f": "password: " + secret})
		_, err := Engine{}.Render(t.Context(), render.Request{Path: dir})
		if err == nil {
			t.Errorf("%s: no error", name)
		} else if strings.Contains(err.Error(), "hunt") || strings.Contains(err.Error(), "unter2") ||
			strings.Contains(err.Error(), "aHVudGVyMg") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, set := range []options{
		set("password=" + secret + "," + secret), setJSON("password={" + secret), set("auth.token=" + secret),
		func(r *render.Request) { r.Helm.SetString = []string{"password=x," + secret} },
	} {
		req := request("strict")
		set(&req)
		if _, err := (Engine{}).Render(t.Context(), req); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("error %v", err)
		}
	}
}

func TestErrorsShowWordsThatAreAPartOfOthersOrOfTheirKey(t *testing.T) {
	t.Parallel()
	const message = "Either tokenSecretName or insecureTokenValue must be provided, and a token in tokenSecretKey of internal users"
	dir := writeChart(t, map[string]string{
		"values.yaml":      "tokenSecretName: ''\ntokenSecretKey: token\npassword: tern\n",
		"templates/t.yaml": `{{ fail .Values.message }}`,
	})
	req := render.Request{Path: dir}
	req.Helm.SetString = []string{`message=` + strings.ReplaceAll(message, ",", `\,`)}
	_, err := Engine{}.Render(t.Context(), req)
	if err == nil || !strings.HasSuffix(err.Error(), message) {
		t.Errorf("error %v", err)
	}
}

func TestErrorsAreCutToALineThatCanBeRead(t *testing.T) {
	t.Parallel()
	dir := writeChart(t, map[string]string{"templates/t.yaml": `{{ fail (repeat 100000 "x") }}`})
	_, err := Engine{}.Render(t.Context(), render.Request{Path: dir})
	if err == nil || len(err.Error()) > 2*maxCause {
		t.Errorf("error of %d bytes", len(err.Error()))
	}
}

func TestAnErrorIsCutInItsMiddle(t *testing.T) {
	t.Parallel()
	const deep = 12
	helpers := ""
	for i := range deep {
		name := strings.Repeat("library.workload.", 5)
		helpers += fmt.Sprintf("{{- define \"%s%d\" }}{{ include \"%s%d\" . }}{{ end -}}\n", name, i, name, i+1)
		if i == deep-1 {
			helpers += fmt.Sprintf("{{- define \"%s%d\" }}{{ .Values.database.host.name }}{{ end -}}\n", name, deep)
		}
	}
	dir := writeChart(t, map[string]string{"templates/_h.tpl": helpers,
		"templates/t.yaml": `{{ include "` + strings.Repeat("library.workload.", 5) + `0" . }}`})
	_, err := Engine{}.Render(t.Context(), render.Request{Path: dir})
	if err == nil || len(err.Error()) > 2*maxCause || !strings.Contains(err.Error(), "t.yaml:1") ||
		!strings.Contains(err.Error(), " ... ") || !strings.HasSuffix(err.Error(), "nil pointer evaluating interface {}.host") {
		t.Errorf("error %v", err)
	}
}

func TestPanicsAreErrors(t *testing.T) {
	t.Parallel()
	_, err := Engine{Stdin: panicReader{}}.Render(t.Context(), render.Request{Path: filepath.Join(charts, "shop"), Helm: render.HelmOptions{ValuesFiles: []string{"-"}}})
	if diag.ExitOf(err) != diag.ExitInternal || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v", err)
	}
}

type panicReader struct{}

func (panicReader) Read([]byte) (int, error) { panic("hunter2") }

func TestInputsAreAllFilesThatWereRead(t *testing.T) {
	t.Parallel()
	dir := writeChart(t, map[string]string{"templates/a.yaml": "a: {{ .Values.file | quote }}\n", "ignored.txt": "", ".helmignore": "ignored.txt\n", "charts/s/Chart.yaml": "name: s\nversion: 1.0.0\n"})
	other := filepath.Join(t.TempDir(), "v.yaml")
	writeFile(t, other, "b: c\n")
	got := must(t, render.Request{Path: dir, Helm: render.HelmOptions{ValuesFiles: []string{other}, SetFile: []string{"file=" + other}}}).Inputs
	want := []string{filepath.Join(dir, ".helmignore"), filepath.Join(dir, "Chart.yaml"), filepath.Join(dir, "charts/s/Chart.yaml"), filepath.Join(dir, "templates/a.yaml"), other}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("inputs\n got %v\nwant %v", got, want)
	}
}

func TestOriginsNameTheFileOfEachDocument(t *testing.T) {
	t.Parallel()
	req := request("ledger")
	includeCRDs(&req)
	out := must(t, req)
	const doc = "---\n# Source: ledger/"
	for i, o := range out.Origins {
		rest := string(out.Text[o.Offset:])
		if o.Line == 0 && !strings.HasPrefix(rest, doc+strings.TrimPrefix(o.File, filepath.Join(charts, "ledger")+"/")+"\n") {
			t.Errorf("origin %+v lies at %.60q", o, rest)
		}
		if i > 0 && o.Offset <= out.Origins[i-1].Offset {
			t.Errorf("origins are not ascending: %+v after %+v", o, out.Origins[i-1])
		}
		if o.Line > 0 {
			text, err := os.ReadFile(o.File)
			if err != nil || !strings.HasPrefix(rest, string(text)) {
				t.Errorf("origin %+v does not begin the file (%v)", o, err)
			}
		}
	}
	if want := strings.Count(string(out.Text), doc); len(out.Origins) != want+2 {
		t.Errorf("%d origins, want one for each of %d documents and one for each of 2 CRD files", len(out.Origins), want)
	}
	showOnly("templates/*.yaml")(&req)
	out = must(t, req)
	for _, o := range out.Origins {
		if rest := string(out.Text[o.Offset:]); !strings.HasPrefix(rest, doc+strings.TrimPrefix(o.File, filepath.Join(charts, "ledger")+"/")+"\n") {
			t.Errorf("origin %+v lies at %.60q", o, rest)
		}
	}
}

func TestNamespaceOfTheReleaseIsTold(t *testing.T) {
	t.Parallel()
	req := request("shop")
	if got := must(t, req).Namespace; got != "default" {
		t.Errorf("namespace %q", got)
	}
	req.Namespace = "market"
	if got := must(t, req).Namespace; got != "market" {
		t.Errorf("namespace %q", got)
	}
}

func TestInflateTellsWhetherTheChartIsRandom(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"dice": true, "shop": false} {
		text, random, err := Engine{}.Inflate(t.Context(), render.Chart{Path: filepath.Join(charts, name), ReleaseName: "r", Namespace: "n"})
		if err != nil || random != want || len(text) == 0 {
			t.Errorf("%s: random %v, %d bytes, error %v", name, random, len(text), err)
		}
	}
}

func TestPositionsAreOfFilesThatExist(t *testing.T) {
	t.Parallel()
	dir := copyOf(t, "shop", "kiosk", "base")
	shop := filepath.Join(dir, "shop")
	if err := os.Rename(filepath.Join(shop, "charts/tax"), filepath.Join(shop, "charts/folder-of-another-name")); err != nil {
		t.Fatal(err)
	}
	helm(t, "package", filepath.Join(shop, "charts/mail"), "--destination", filepath.Join(shop, "charts"))
	if err := os.RemoveAll(filepath.Join(shop, "charts/mail")); err != nil {
		t.Fatal(err)
	}
	req := render.Request{Path: shop}
	set("tags.outbound=true")(&req)
	want := []string{"templates/config.yaml", "charts/cache/templates/cache.yaml", "charts/folder-of-another-name/templates/tax.yaml", "charts/mail-2.9.0.tgz/templates/job.yaml"}
	var got []string
	for _, o := range must(t, req).Origins {
		rel, err := filepath.Rel(shop, o.File)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, rel)
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("no document of %s in %v", w, got)
		}
	}
	helper := filepath.Join(dir, "base/templates/_config.tpl")
	writeFile(t, helper, "{{ define \"base.config\" }}\n{{ if }}")
	_, err := Engine{}.Render(t.Context(), render.Request{Path: filepath.Join(dir, "kiosk")})
	var d *diag.Error
	if !errors.As(err, &d) || filepath.Clean(d.Pos.File) != helper || d.Pos.Line != 2 {
		t.Errorf("error %v, want it at %s:2", err, helper)
	}
}
