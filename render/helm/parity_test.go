package helm

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/internal/stock"
	"github.com/rollstamp/rollstamp/render"
)

const charts = "../../testdata/charts"

// options makes one set of arguments, for both sides.
type options func(*render.Request)

func values(files ...string) options {
	return func(r *render.Request) { r.Helm.ValuesFiles = append(r.Helm.ValuesFiles, files...) }
}
func set(s ...string) options {
	return func(r *render.Request) { r.Helm.Set = append(r.Helm.Set, s...) }
}
func setJSON(s ...string) options { return func(r *render.Request) { r.Helm.SetJSON = s } }
func showOnly(s ...string) options {
	return func(r *render.Request) { r.Helm.ShowOnly = s }
}
func kube(v string) options               { return func(r *render.Request) { r.Helm.KubeVersion = v } }
func apis(v ...string) options            { return func(r *render.Request) { r.Helm.APIVersions = v } }
func namespace(n string) options          { return func(r *render.Request) { r.Namespace = n } }
func named(n string) options              { return func(r *render.Request) { r.Helm.ReleaseName = n } }
func includeCRDs(r *render.Request)       { r.Helm.IncludeCRDs = true }
func skipCRDs(r *render.Request)          { r.Helm.SkipCRDs = true }
func skipTests(r *render.Request)         { r.Helm.SkipTests = true }
func noHooks(r *render.Request)           { r.Helm.NoHooks = true }
func isUpgrade(r *render.Request)         { r.Helm.IsUpgrade = true }
func skipSchema(r *render.Request)        { r.Helm.SkipSchemaValidation = true }
func enableDNS(r *render.Request)         { r.Helm.EnableDNS = true }
func unchanged(*render.Request)           {}
func request(chart string) render.Request { return render.Request{Path: filepath.Join(charts, chart)} }

// helmArguments spells req as a command line of the real helm.
func helmArguments(req render.Request) []string {
	o := req.Helm
	args := []string{"template"}
	if o.ReleaseName != "" {
		args = append(args, o.ReleaseName)
	}
	args = append(args, req.Path)
	flag := func(name string, values ...string) {
		for _, v := range values {
			if v != "" {
				args = append(args, name, v)
			}
		}
	}
	flag("--namespace", req.Namespace)
	flag("--name-template", o.NameTemplate)
	flag("--values", o.ValuesFiles...)
	flag("--set", o.Set...)
	flag("--set-string", o.SetString...)
	flag("--set-file", o.SetFile...)
	flag("--set-json", o.SetJSON...)
	flag("--set-literal", o.SetLiteral...)
	flag("--kube-version", o.KubeVersion)
	flag("--api-versions", o.APIVersions...)
	flag("--show-only", o.ShowOnly...)
	for name, on := range map[string]bool{
		"--include-crds": o.IncludeCRDs, "--skip-crds": o.SkipCRDs, "--skip-tests": o.SkipTests, "--no-hooks": o.NoHooks,
		"--skip-schema-validation": o.SkipSchemaValidation, "--is-upgrade": o.IsUpgrade, "--enable-dns": o.EnableDNS,
	} {
		if on {
			args = append(args, name)
		}
	}
	return args
}

// realHelm runs the real helm, with no configuration of whoever runs the test.
func realHelm(t *testing.T, stdin string, args ...string) (stdout []byte, stderr string, err error) {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command(stock.Helm(t), args...)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "KUBECONFIG=" + filepath.Join(home, "none")}
	cmd.Stdin = strings.NewReader(stdin)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	return out.Bytes(), errOut.String(), err
}

func must(t *testing.T, req render.Request) *render.Output {
	t.Helper()
	out, err := Engine{}.Render(t.Context(), req)
	if err != nil {
		t.Fatalf("render %s: %v", req.Path, err)
	}
	return out
}

// sameAsHelm renders req with both and returns ours.
func sameAsHelm(t *testing.T, req render.Request) *render.Output {
	t.Helper()
	want, stderr, err := realHelm(t, "", helmArguments(req)...)
	if err != nil {
		t.Fatalf("helm %v: %v\n%s", helmArguments(req), err, stderr)
	}
	got := must(t, req)
	if !bytes.Equal(got.Text, want) {
		t.Errorf("helm %v: %s", helmArguments(req), firstDifference(got.Text, want))
	}
	return got
}

func firstDifference(got, want []byte) string {
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d\n got %q\nwant %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("got %d lines, want %d", len(g), len(w))
}

func TestOutputEqualsHelms(t *testing.T) {
	t.Parallel()
	production := values(filepath.Join(charts, "shop/ci/production.yaml"))
	for _, c := range []struct {
		chart string
		sets  []options
	}{
		{"shop", []options{unchanged, production, set("tags.outbound=true,tax.enabled=false"), set("sessions.enabled=false,pages.enabled=false"),
			set("tags=null"), set("global.pages=false"), setJSON(`order={"limits":{"weight":9}}`), set("replicas=null"),
			namespace("market"), named("a.b-c"), showOnly("templates/config.yaml"), showOnly("charts/*/templates/*"),
			showOnly("templates/d*", "templates/config.yaml", "templates/d*")}},
		{"storefront", []options{unchanged, set("config.title=plain,nameOverride=x"), set(`config.a\.b=dotted`), namespace("n")}},
		{"ledger", []options{unchanged, includeCRDs, skipTests, noHooks, set("backup=false"), showOnly("templates/tests/*"), kube("1.25"),
			func(r *render.Request) { includeCRDs(r); skipCRDs(r); skipTests(r) },
			func(r *render.Request) { includeCRDs(r); showOnly("crds/*", "templates/workload.yaml")(r) }}},
		{"almanac", []options{unchanged, set("place=Riga,extra=null"), setJSON(`extra=[{"name":"x","text":"{{ 1 }}"}]`)}},
		{"strict", []options{unchanged, set("port=1"), set("child.size=3"), func(r *render.Request) { skipSchema(r); set("port=none,auth.x=1")(r) }}},
		{"probe", []options{unchanged, isUpgrade, enableDNS, kube("1.19.3"), kube("v1.34.0-gke.1"), kube("1.30"), apis("monitoring.example.test/v1", "apps/v1/Deployment"),
			namespace("elsewhere"), named("r2"), func(r *render.Request) { r.Helm.SetString = []string{"a=1,b=true", "c={x,y}"} },
			func(r *render.Request) { r.Helm.SetLiteral = []string{`lit={a,b}\,c`} },
			func(r *render.Request) {
				r.Helm.SetFile = []string{"file=" + filepath.Join(charts, "almanac/pages/lines.list")}
			},
			func(r *render.Request) { r.Helm.NameTemplate = `{{ "NAME" | lower }}-{{ add 1 2 }}` },
			func(r *render.Request) {
				set("a=1,b=2.0,c=1e3,d=0x10,e=null,f=,g={}")(r)
				r.Helm.SetString = []string{"a=2"}
			},
			set("l[2]=x", "l[0].y=z", "deep.er.est=1")}},
		{"dice", []options{set("random=false")}},
		{"ragged", []options{unchanged, set("list={a,b,c}"), noHooks, showOnly("templates/markers.yaml"), showOnly("templates/*.yaml")}},
		{"legacy", []options{unchanged, set("old.enabled=false"), includeCRDs}},
	} {
		for i, opt := range c.sets {
			req := request(c.chart)
			opt(&req)
			t.Run(fmt.Sprint(c.chart, i), func(t *testing.T) { sameAsHelm(t, req) })
		}
	}
}

func TestPackagedChartRendersAsHelmRendersIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"shop", "almanac", "ledger"} {
		if out, stderr, err := realHelm(t, "", "package", filepath.Join(charts, name), "--destination", dir); err != nil {
			t.Fatalf("helm package %s: %v\n%s%s", name, err, out, stderr)
		}
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) != 3 {
		t.Fatalf("packaged %v (%v)", archives, err)
	}
	for _, a := range archives {
		got := sameAsHelm(t, render.Request{Path: a})
		if len(got.Inputs) != 1 || got.Inputs[0] != a {
			t.Errorf("inputs are %v, want the archive", got.Inputs)
		}
	}
}

func TestSubchartsInArchivesAndHiddenOnesAreTakenAsHelmTakesThem(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "shop")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(charts, "shop"))); err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(dir, "charts")
	if out, stderr, err := realHelm(t, "", "package", filepath.Join(sub, "cache"), "--destination", sub); err != nil {
		t.Fatalf("helm package: %v\n%s%s", err, out, stderr)
	}
	if err := os.RemoveAll(filepath.Join(sub, "cache")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(sub, "mail"), filepath.Join(sub, "_mail")); err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(dir, "Chart.yaml")
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("  - name: mail\n    version: 2.x.x\n    tags: [outbound, notify]\n"), nil, 1)
	if err := os.WriteFile(manifest, text, 0o644); err != nil {
		t.Fatal(err)
	}
	sameAsHelm(t, render.Request{Path: dir})
}

func TestValuesFromStandardInputRenderAsHelmRendersThem(t *testing.T) {
	t.Parallel()
	const stdin = "banner: piped\norder: {limits: {items: 7}}\n"
	req := request("shop")
	values("-", filepath.Join(charts, "shop/ci/production.yaml"))(&req)
	want, stderr, err := realHelm(t, stdin, helmArguments(req)...)
	if err != nil {
		t.Fatalf("helm: %v\n%s", err, stderr)
	}
	got, err := Engine{Stdin: strings.NewReader(stdin)}.Render(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Text, want) {
		t.Error(firstDifference(got.Text, want))
	}
}

func TestWhatHelmRefusesIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		chart string
		opt   options
		exit  diag.Exit
	}{
		{"base", unchanged, diag.ExitInput},
		{"no-such-chart", unchanged, diag.ExitInput},
		{"ledger", kube("1.24.9"), diag.ExitInput},
		{"ledger", kube("soon"), diag.ExitUsage},
		{"ledger", named("Not_A_Name"), diag.ExitUsage},
		{"ledger", func(r *render.Request) { r.Helm.NameTemplate = "{{ nope }}" }, diag.ExitUsage},
		{"ledger", func(r *render.Request) { named("a")(r); r.Helm.NameTemplate = "b" }, diag.ExitUsage},
		{"ledger", showOnly("templates/nothing.yaml"), diag.ExitInput},
		{"ledger", showOnly("templates/[.yaml"), diag.ExitInput},
		{"ledger", func(r *render.Request) { noHooks(r); showOnly("templates/hooks.yaml", "templates/tests/*")(r) }, diag.ExitInput},
		{"strict", set("port=none"), diag.ExitInput},
		{"strict", set("child.size=11"), diag.ExitInput},
		{"strict", set("child=3"), diag.ExitInput},
		{"strict", func(r *render.Request) { skipSchema(r); set("mode=null")(r) }, diag.ExitInput},
		{"almanac", setJSON(`sign="{{ nope }}"`), diag.ExitInput},
		{"shop", set("tax=1"), diag.ExitInput},
		{"shop", set("a"), diag.ExitUsage},
		{"shop", set("a[-1]=1"), diag.ExitUsage},
		{"shop", setJSON("a={"), diag.ExitUsage},
		{"shop", values("no-such-file.yaml"), diag.ExitInput},
		{"shop", values(filepath.Join(charts, "almanac/drafts/broken.yaml")), diag.ExitInput},
		{"shop", func(r *render.Request) { r.Helm.SetFile = []string{"a=no-such-file"} }, diag.ExitInput},
	} {
		req := request(c.chart)
		c.opt(&req)
		t.Run(fmt.Sprint(helmArguments(req)[1:]), func(t *testing.T) {
			if out, _, err := realHelm(t, "", helmArguments(req)...); err == nil {
				t.Fatalf("helm renders it:\n%s", out)
			}
			out, err := Engine{}.Render(t.Context(), req)
			if err == nil {
				t.Fatalf("we render it:\n%s", out.Text)
			}
			if got := diag.ExitOf(err); got != c.exit {
				t.Errorf("exit %d, want %d: %v", got, c.exit, err)
			}
		})
	}
}
