package kustomize_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

// configMap is a valid resource.
const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"

func TestErrorsNameFileLineAndCause(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		exit  diag.Exit
		want  string // with the folder cut off
	}{
		"no kustomization":     {map[string]string{"a.yaml": configMap}, diag.ExitInput, ": open kustomization: no kustomization.yaml, kustomization.yml, Kustomization"},
		"two kustomizations":   {map[string]string{"kustomization.yaml": "resources: []", "Kustomization": "resources: []"}, diag.ExitInput, ": open kustomization: both kustomization.yaml and Kustomization"},
		"empty kustomization":  {map[string]string{"kustomization.yaml": ""}, diag.ExitInput, "/kustomization.yaml: kustomization.yaml is empty"},
		"missing resource":     {map[string]string{"kustomization.yml": "resources:\n- a.yaml\n- gone.yaml\n", "a.yaml": configMap}, diag.ExitInput, `/kustomization.yml:3: find "gone.yaml" of resources: no such file or directory`},
		"missing in a base":    {map[string]string{"kustomization.yaml": "resources: [base]", "base/Kustomization": "\nresources:\n- gone\n"}, diag.ExitInput, `/base/Kustomization:3: find "gone" of resources: no such file or directory`},
		"unknown field":        {map[string]string{"kustomization.yaml": "resources: []\nresourcse: []\n"}, diag.ExitInput, `/kustomization.yaml:2: invalid Kustomization: json: unknown field "resourcse"`},
		"wrong type":           {map[string]string{"kustomization.yaml": "patches:\n- a\n"}, diag.ExitInput, "/kustomization.yaml:1: invalid Kustomization: json: cannot unmarshal string into Go struct field Kustomization.patches of type types.Patch"},
		"no yaml":              {map[string]string{"kustomization.yaml": "resources:\n- [a\n"}, diag.ExitInput, "/kustomization.yaml:2: invalid Kustomization: did not find expected ',' or ']'"},
		"resource is no yaml":  {map[string]string{"kustomization.yaml": "resources: [a.yaml]", "a.yaml": "a: b\n\tc: d\n"}, diag.ExitInput, "/a.yaml:2: parse YAML: found a tab character that violates indentation"},
		"component is a file":  {map[string]string{"kustomization.yaml": "components: [a.yaml]", "a.yaml": configMap}, diag.ExitInput, `/kustomization.yaml:1: open "a.yaml" of components: not a folder`},
		"cycle":                {map[string]string{"kustomization.yaml": "resources: [base]", "base/kustomization.yaml": "resources: [../]"}, diag.ExitInput, `/base/kustomization.yaml:1: open "../" of resources: the kustomization leads back to itself`},
		"same object twice":    {map[string]string{"kustomization.yaml": "resources: [a.yaml, b.yaml]", "a.yaml": configMap, "b.yaml": configMap}, diag.ExitInput, "/kustomization.yaml:1: merging resources from 'b.yaml': may not add resource with an already registered id: ConfigMap.v1.[noGrp]/a.[noNs]"},
		"file outside":         {map[string]string{"kustomization.yaml": "configMapGenerator:\n- name: a\n  files: [../../../../../../../../etc/hostname]\n"}, diag.ExitInput, "it is not in or below"},
		"patch without target": {map[string]string{"kustomization.yaml": "resources: [a.yaml]\npatches:\n- path: p.yaml\n", "a.yaml": configMap, "p.yaml": strings.Replace(configMap, "a}", "other}", 1)}, diag.ExitInput, "no resource matches strategic merge patch"},
		"panic in kustomize":   {map[string]string{"kustomization.yaml": "crds: [empty.json]", "empty.json": ""}, diag.ExitInput, "/kustomization.yaml: kustomize panicked: runtime error: index out of range [0] with length 0"},

		"URL":                     {map[string]string{"kustomization.yaml": "\nresources:\n- https://user:token@example.com/a.yaml?sig=x\n"}, diag.ExitSource, "/kustomization.yaml:3: fetch https://example.com/a.yaml of resources: the network is not allowed"},
		"repository by ssh":       {map[string]string{"kustomization.yaml": "components: ['git@example.com:org/repo.git//folder?ref=v1']"}, diag.ExitSource, "/kustomization.yaml:1: fetch git@example.com:org/repo.git//folder?ref=v1 of components: the network is not allowed"},
		"repository at github":    {map[string]string{"kustomization.yaml": "resources: [github.com/org/repo/folder]"}, diag.ExitSource, "fetch github.com/org/repo/folder of resources: the network is not allowed"},
		"repository in a folder":  {map[string]string{"kustomization.yaml": "resources: [base]", "base/kustomization.yaml": "resources: ['file:///srv/repo']"}, diag.ExitSource, "/base/kustomization.yaml:1: fetch file:///srv/repo of resources"},
		"URL of a patch":          {map[string]string{"kustomization.yaml": "resources: [a.yaml]\npatches:\n- path: http://example.com/p.yaml\n", "a.yaml": configMap}, diag.ExitSource, "/kustomization.yaml:3: fetch http://example.com/p.yaml of patches"},
		"URL of a generator":      {map[string]string{"kustomization.yaml": "configMapGenerator:\n- name: a\n  files: ['k=https://example.com/f']\n"}, diag.ExitSource, "fetch https://example.com/f of configMapGenerator"},
		"URL in a plugin's file":  {map[string]string{"kustomization.yaml": "transformers: [t.yaml]", "t.yaml": "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: p}\npath: https://example.com/p.yaml\n"}, diag.ExitSource, "/kustomization.yaml:1: fetch https://example.com/p.yaml of PatchTransformer p"},
		"URL in a plugin inline":  {map[string]string{"kustomization.yaml": "generators:\n- |\n  apiVersion: builtin\n  kind: ConfigMapGenerator\n  metadata: {name: g}\n  envs: ['https://example.com/e']\n"}, diag.ExitSource, "fetch https://example.com/e of ConfigMapGenerator g"},
		"URL made in a folder":    {map[string]string{"kustomization.yaml": "transformers: [t]", "t/kustomization.yaml": "resources: [t.yaml]\npatches:\n- target: {kind: PatchTransformer}\n  patch: '[{\"op\": \"replace\", \"path\": \"/path\", \"value\": \"https://example.com/p\"}]'", "t/t.yaml": "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: p}\npath: p.yaml\n"}, diag.ExitSource, "/kustomization.yaml:1: fetch https://example.com/p of PatchTransformer p"},
		"exec function":           {map[string]string{"kustomization.yaml": "transformers: [f.yaml]", "f.yaml": "apiVersion: example.com/v1\nkind: Tool\nmetadata:\n  name: f\n  annotations:\n    config.kubernetes.io/function: 'exec: {path: /bin/true}'\n"}, diag.ExitInput, "/kustomization.yaml:1: load Tool f of transformers: it runs another program, which is not allowed"},
		"container function":      {map[string]string{"kustomization.yaml": "generators:\n- |\n  apiVersion: example.com/v1\n  kind: Tool\n  metadata:\n    name: f\n    annotations:\n      config.kubernetes.io/function: 'container: {image: example}'\n"}, diag.ExitInput, "/kustomization.yaml:3: load Tool f of generators: it runs another program, which is not allowed"},
		"Go or exec plugin":       {map[string]string{"kustomization.yaml": "validators: [v.yaml]", "v.yaml": "apiVersion: example.com/v1\nkind: Check\nmetadata: {name: c}\n"}, diag.ExitInput, "load Check c of validators: it runs another program, which is not allowed"},
		"plugin made in a folder": {map[string]string{"kustomization.yaml": "transformers: [t]", "t/kustomization.yaml": "resources: [v.yaml]", "t/v.yaml": "apiVersion: example.com/v1\nkind: Check\nmetadata: {name: c}\n"}, diag.ExitInput, "load Check c of transformers: it runs another program, which is not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, c.files)
			_, err := kustomize.Engine{}.Render(context.Background(), render.Request{Path: dir})
			mustFail(t, err, c.exit)
			if got := strings.TrimPrefix(err.Error(), dir); !strings.Contains(got, c.want) || strings.HasPrefix(c.want, "/") && !strings.HasPrefix(got, c.want) {
				t.Errorf("got\n%s, want\n%s", got, c.want)
			}
			if !strings.Contains(c.want, "fetch") { // which needs a network to fail in kustomize's own way
				if out, err := build(t, dir); err == nil {
					t.Errorf("kustomize build accepts it: %s", out)
				}
			}
		})
	}
}

func mustFail(t *testing.T, err error, exit diag.Exit) {
	t.Helper()
	var e *diag.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a *diag.Error", err)
	}
	if got := diag.ExitOf(err); got != exit {
		t.Errorf("exit code %d, want %d", got, exit)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %q", err)
	}
}

func TestErrorsHoldNoSecret(t *testing.T) {
	t.Parallel()
	const value = "hunter2hunter2"
	secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: " + value + "}\n"
	for name, files := range map[string]map[string]string{
		"literal without a key": {"kustomization.yaml": "secretGenerator:\n- name: s\n  literals: [" + value + "]\n"},
		"one of the literals":   {"kustomization.yaml": "secretGenerator:\n- name: s\n  literals: [p=" + value + ", '=']\n"},
		"generated twice":       {"kustomization.yaml": "secretGenerator:\n- name: s\n  literals: [p=" + value + "]\n- name: s\n  literals: [p=" + value + "]\n"},
		"line that is no text":  {"kustomization.yaml": "secretGenerator:\n- name: s\n  envs: [e]\n", "e": value + "\xff\n"},
		"not a number in JSON":  {"kustomization.yaml": "resources: [s.yaml]", "s.yaml": secret + "f: .inf\n"},
		"two in one namespace":  {"kustomization.yaml": "namespace: ns\nresources: [s.yaml]", "s.yaml": secret + "---\n" + strings.Replace(secret, "name: s", "name: s, namespace: b", 1)},
		"data is no map":        {"kustomization.yaml": "resources: [s.yaml]\nsecretGenerator:\n- {name: s, behavior: merge, literals: [a=b]}\n", "s.yaml": strings.Replace(secret, "stringData: {password: "+value+"}", "stringData: "+value, 1)},
		"broken inline patch":   {"kustomization.yaml": "resources: [s.yaml]\npatches:\n- patch: '[{\"op\": \"add\", \"value\": \"" + value + "\"'\n  target: {kind: Secret}\n", "s.yaml": secret},
		"patch and path":        {"kustomization.yaml": "resources: [s.yaml]\npatches:\n- path: s.yaml\n  patch: 'a: " + value + "'\n", "s.yaml": secret},
		"index in a value":      {"kustomization.yaml": "resources: [s.yaml]\nreplacements:\n- source: {kind: Secret, fieldPath: stringData.password, options: {delimiter: '/', index: 7}}\n  targets: [{select: {kind: Secret}, fieldPaths: [metadata.name]}]\n", "s.yaml": secret},
		"plugin's literals":     {"kustomization.yaml": "generators:\n- |\n  apiVersion: builtin\n  kind: SecretGenerator\n  metadata: {name: s}\n  literals: [" + value + "]\n"},
		"annotation, no name":   {"kustomization.yaml": "resources: [s.yaml]", "s.yaml": strings.Replace(secret, "{name: s}", "{annotations: {last: "+value+"}}", 1)},
		"line without a key":    {"kustomization.yaml": "secretGenerator:\n- name: s\n  envs: [e]\n", "e": value + "\n" + value + "\n"},
		"key is a number":       {"kustomization.yaml": "resources: [s.yaml]", "s.yaml": strings.Replace(secret, "password:", "80:", 1)},
		"two in a component":    {"kustomization.yaml": "resources: [s.yaml]\ncomponents: [c]", "c/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamespace: ns\n", "s.yaml": secret + "---\n" + strings.Replace(secret, "name: s", "name: s, namespace: b", 1)},
		"merged in a component": {"kustomization.yaml": "components: [c]", "c/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nsecretGenerator:\n- name: s\n  behavior: merge\n  literals: [\"p=}: " + value + "\"]\n"},
		"operation on a value":  {"kustomization.yaml": "resources: [s.yaml]\npatches:\n- target: {kind: Secret}\n  patch: '[{\"op\": \"test\", \"path\": \"/stringData/password\", \"value\": \"not " + value + "\"}]'\n", "s.yaml": secret},
		"twice by a plugin":     {"kustomization.yaml": "resources: [s.yaml]\ngenerators:\n- |\n  apiVersion: builtin\n  kind: SecretGenerator\n  metadata: {name: s}\n  literals: [p=" + value + "]\n", "s.yaml": secret},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, files)
			if out, err := build(t, dir); err == nil {
				t.Fatalf("kustomize build accepts it: %s", out)
			}
			_, err := kustomize.Engine{}.Render(context.Background(), render.Request{Path: dir})
			mustFail(t, err, diag.ExitInput)
			if strings.Contains(err.Error(), value) || strings.Contains(err.Error(), "aHVudGVyMmh1bnRlcjI") {
				t.Errorf("the error holds the secret: %v", err)
			}
			t.Log(strings.ReplaceAll(err.Error(), dir, ""))
		})
	}
}

func TestAliasesThatStandForTooMuchAreRefused(t *testing.T) {
	t.Parallel()
	bomb := configMap + "x:\n  a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("  %c: &%c [%s*%c]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 8), c-1)
	}
	indented := strings.ReplaceAll(bomb, "\n", "\n    ")
	for name, files := range map[string]map[string]string{
		"in a resource":        {"kustomization.yaml": "resources: [a.yaml]", "a.yaml": bomb},
		"in itself":            {"kustomization.yaml": "resources: [a.yaml]", "a.yaml": configMap + "x: &x [*x]\n"},
		"in an inline patch":   {"kustomization.yaml": "resources: [a.yaml]\npatches:\n- patch: |\n    " + indented + "\n", "a.yaml": configMap},
		"in the kustomization": {"kustomization.yaml": strings.Replace(bomb, configMap, "", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := kustomize.Engine{}.Render(context.Background(), render.Request{Path: write(t, files)})
			mustFail(t, err, diag.ExitInput)
			t.Log(err)
		})
	}
	out, err := kustomize.Engine{}.Render(context.Background(), render.Request{Path: write(t, map[string]string{
		"kustomization.yaml": "resources: [a.yaml]", "a.yaml": configMap + "data: &data {a: b}\nmore: *data\n",
	})})
	mustDo(t, err)
	if !strings.Contains(string(out.Text), "more:\n  a: b") {
		t.Errorf("got %s", out.Text)
	}
}

func TestAProgramRunsWhereItIsAllowedAndEnabled(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"kustomization.yaml": "resources: [a.yaml]\ntransformers: [f.yaml]\n",
		"a.yaml":             configMap + "data: {when: before}\n",
		"f.yaml":             "apiVersion: example.com/v1\nkind: Tool\nmetadata:\n  name: f\n  annotations:\n    config.kubernetes.io/function: 'exec: {path: ./tool}'\n",
		"tool":               "#!/bin/sh\nsed s/before/after/\n",
	})
	mustDo(t, os.Chmod(dir+"/tool", 0o755))
	req := render.Request{Path: dir, Allow: config.Permissions{ExecPlugins: true},
		Kustomize: render.KustomizeOptions{EnableAlphaPlugin: true, EnableExec: true}}
	want, err := build(t, dir, "--enable-alpha-plugins", "--enable-exec")
	mustDo(t, err)
	out, err := kustomize.Engine{}.Render(context.Background(), req)
	mustDo(t, err)
	if !bytes.Equal(out.Text, want) || !bytes.Contains(want, []byte("when: after")) {
		t.Errorf("got\n%s, want\n%s", out.Text, want)
	}
	for _, o := range []render.KustomizeOptions{{EnableAlphaPlugin: true}, {EnableExec: true}} {
		req.Kustomize = o
		_, err = kustomize.Engine{}.Render(context.Background(), req)
		mustFail(t, err, diag.ExitInput)
	}
}

func TestUnknownFlagValuesAreUsageErrors(t *testing.T) {
	t.Parallel()
	for _, o := range []render.KustomizeOptions{{LoadRestrictor: "none"}, {Reorder: "random"}} {
		_, err := kustomize.Engine{}.Render(context.Background(), render.Request{Path: fixtures + "/layered/base", Kustomize: o})
		mustFail(t, err, diag.ExitUsage)
	}
}

func TestAnEndedContextEndsTheBuild(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("time is up"))
	dir := fixtures + "/layered/base"
	_, err := kustomize.Engine{}.Render(ctx, render.Request{Path: dir})
	mustFail(t, err, diag.ExitInput)
	if want := dir + ": render kustomization: time is up"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestInputsAreTheFilesRead(t *testing.T) {
	t.Parallel()
	out, err := kustomize.Engine{}.Render(context.Background(), render.Request{Path: fixtures + "/components/plain"})
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(fixtures + "/components")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range out.Inputs {
		got = append(got, strings.TrimPrefix(f, root+"/"))
	}
	want := "app/api.yaml app/kustomization.yaml features/cache/cache.yaml features/cache/kustomization.yaml plain/kustomization.yaml"
	if strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// The application lies in repo/app. Its border is the repository where there is one.
func TestNothingOutsideOfTheRootIsRead(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"repo/app/kustomization.yaml":  "resources: [a.yaml]",
		"repo/app/a.yaml":              configMap,
		"repo/base/kustomization.yaml": "resources: [a.yaml]",
		"repo/base/a.yaml":             configMap,
		"else/kustomization.yaml":      "resources: [a.yaml]",
		"else/a.yaml":                  configMap,
	}
	const (
		read    = ""
		refused = "it lies outside of the application's root"
		stock   = "it is not in or below" // kustomize's own rule
	)
	for name, c := range map[string]struct {
		kust      string
		link      [2]string // at the first lies a link to the second
		git, lone string    // what happens in a repository, and without one
		opts      render.KustomizeOptions
	}{
		"base in a sibling folder":           {kust: "resources: [../base]", git: read, lone: read},
		"base outside of the repository":     {kust: "resources: [../../else]", git: refused, lone: read},
		"link to a base":                     {kust: "resources: [base]", link: [2]string{"repo/app/base", "../base"}, git: read, lone: refused},
		"sibling link to a sibling":          {kust: "resources: [../other]", link: [2]string{"repo/other", "base"}, git: read, lone: read},
		"link out of the repository":         {kust: "resources: [../other]", link: [2]string{"repo/other", "../else"}, git: refused, lone: refused},
		"link to a file outside":             {kust: "resources: [b.yaml]", link: [2]string{"repo/app/b.yaml", "../../else/a.yaml"}, git: refused, lone: refused},
		"link to a file in the repository":   {kust: "resources: [b.yaml]", link: [2]string{"repo/app/b.yaml", "../base/a.yaml"}, git: stock, lone: refused},
		"the same, unrestricted":             {kust: "resources: [b.yaml]", link: [2]string{"repo/app/b.yaml", "../base/a.yaml"}, git: read, lone: refused, opts: render.KustomizeOptions{LoadRestrictor: unrestricted}},
		"file above, unrestricted":           {kust: "resources: [../base/a.yaml]", git: read, lone: read, opts: render.KustomizeOptions{LoadRestrictor: unrestricted}},
		"file far above, unrestricted":       {kust: "resources: [../../else/a.yaml]", git: refused, lone: read, opts: render.KustomizeOptions{LoadRestrictor: unrestricted}},
		"generator file outside, a link":     {kust: "configMapGenerator: [{name: g, files: [secret]}]", link: [2]string{"repo/app/secret", "/etc/hostname"}, git: refused, lone: refused},
		"the kustomization itself is a link": {kust: "-", link: [2]string{"repo/app/kustomization.yaml", "../../else/kustomization.yaml"}, git: refused, lone: refused},
	} {
		for _, git := range []bool{true, false} {
			want := c.lone
			if git {
				want = c.git
			}
			t.Run(name+map[bool]string{true: " in a repository"}[git], func(t *testing.T) {
				dir := write(t, files)
				if git {
					mustDo(t, os.Mkdir(filepath.Join(dir, "repo/.git"), 0o755))
				}
				app := filepath.Join(dir, "repo/app")
				mustDo(t, os.Remove(filepath.Join(app, "kustomization.yaml")))
				if c.kust != "-" {
					mustDo(t, os.WriteFile(filepath.Join(app, "kustomization.yaml"), []byte(c.kust), 0o644))
				}
				if c.link[0] != "" {
					mustDo(t, os.Symlink(c.link[1], filepath.Join(dir, c.link[0])))
				}
				req := render.Request{Path: app, Kustomize: c.opts}
				_, err := kustomize.Engine{}.Render(context.Background(), req)
				if want == read {
					if err != nil {
						t.Errorf("refused: %v", err)
					}
					return
				}
				mustFail(t, err, diag.ExitInput)
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %s", err, want)
				}
				req.Allow = config.Permissions{OutsideRoot: true}
				if _, err := (kustomize.Engine{}).Render(context.Background(), req); err != nil &&
					strings.Contains(err.Error(), refused) {
					t.Errorf("refused although allowed: %v", err)
				}
			})
		}
	}
}

func TestASubmoduleBelongsToTheRepositoryAroundIt(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		".git/HEAD":               "",
		"base/kustomization.yaml": "resources: [a.yaml]",
		"base/a.yaml":             configMap,
		"sub/.git":                "gitdir: ../.git/modules/sub\n",
		"sub/kustomization.yaml":  "resources: [../base]",
		"tree/.git":               "gitdir: /elsewhere/.git/worktrees/tree\n",
		"tree/kustomization.yaml": "resources: [../base]",
	})
	if _, err := (kustomize.Engine{}).Render(context.Background(), render.Request{Path: dir + "/sub"}); err != nil {
		t.Error(err)
	}
	_, err := kustomize.Engine{}.Render(context.Background(), render.Request{Path: dir + "/tree"})
	mustFail(t, err, diag.ExitInput)
}

func TestAFolderReachedThroughALinkIsRendered(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"releases/5/app/kustomization.yaml": "resources: [../base]", "releases/5/base/kustomization.yaml": "resources: [a.yaml]", "releases/5/base/a.yaml": configMap})
	mustDo(t, os.Symlink("releases/5", filepath.Join(dir, "current")))
	out, err := kustomize.Engine{}.Render(context.Background(), render.Request{Path: dir + "/current/app"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out.Text), "kind: ConfigMap") {
		t.Errorf("got %s", out.Text)
	}
}

// write lays files out in a new folder and returns its path without links.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	mustDo(t, err)
	for name, text := range files {
		path := filepath.Join(dir, name)
		mustDo(t, os.MkdirAll(filepath.Dir(path), 0o755))
		mustDo(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
