package secrets

import (
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// fluxObject is a Kustomization of Flux over the folder apps.
const fluxObject = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  interval: 1h
  path: ./apps
  prune: true
  sourceRef: {kind: GitRepository, name: flux-system}
  decryption: {provider: sops}
  postBuild: {substitute: {level: debug}}
`

// reader is a Deployment that reads Secrets.
func reader(secrets ...string) string {
	text := `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: web
        env: [{name: A, value: b}]
        envFrom:
`
	for _, name := range secrets {
		text += "        - secretRef: {name: " + name + "}\n"
	}
	return text
}

// hidden is a value that is nowhere in what is encrypted, and must not be in what is printed.
const hidden = "cnry7f3aXhunter2"

const onlyValues = "--encrypted-regex=^(data|stringData|value)$"

// encryptedTrees are folders apps, with the files that sops encrypts and its flags for them.
var encryptedTrees = map[string]struct {
	files   map[string]string
	encrypt map[string][]string
	reports string // a finding
}{
	"files of generators": {files: map[string]string{
		"web.yaml": reader("env", "files", "named", "ini"), "login": "# of all\nPASSWORD=" + hidden + "\nTOKEN=a=b\nEMPTY=\n", "more.env": "MORE=" + hidden + "\n",
		"config.json": `{"password": "` + hidden + `", "port": 5432}`, "key.txt": hidden, "config.yaml": "# a comment\npassword: " + hidden + "\nlist: [a, b]\n",
		"docker": `{"auths": {"a": {"auth": "` + hidden + `"}}}`, "app.ini": "[db]\npassword = " + hidden + "\n",
		"kustomization.yaml": "resources: [web.yaml]\nnamespace: shop\nsecretGenerator:\n- {name: env, envs: [login, more.env]}\n- {name: files, files: [config.json, key.txt, config.yaml], literals: [a=b]}\n" +
			"- {name: named, type: kubernetes.io/dockerconfigjson, files: [.dockerconfigjson=docker]}\n- {name: ini, files: [app.ini]}\n",
	}, encrypt: map[string][]string{"login": {"--input-type=dotenv", "--output-type=dotenv"}, "more.env": nil, "config.json": nil, "key.txt": nil, "config.yaml": nil,
		"docker": {"--input-type=json", "--output-type=json"}, "app.ini": nil}},
	"nested kustomizations": {files: map[string]string{
		"kustomization.yaml": "resources: [base]\ncomponents: [more]\nnamePrefix: x-\n", "base/kustomization.yaml": "resources: [web.yaml]\nsecretGenerator:\n- {name: env, envs: [login.env]}\n",
		"base/web.yaml": reader("env", "more"), "base/login.env": "PASSWORD=" + hidden + "\n",
		"more/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nsecretGenerator:\n- {name: more, files: [key.txt]}\n", "more/key.txt": hidden,
	}, encrypt: map[string][]string{"base/login.env": nil, "more/key.txt": nil}},
	"a folder without a kustomization": {files: map[string]string{
		"web.yaml": reader("login"), "login.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {a: " + hidden + "}\n",
		"below/kustomization.yaml": "secretGenerator:\n- {name: env, envs: [login.env]}\n", "below/login.env": "PASSWORD=" + hidden + "\n",
	}, encrypt: map[string][]string{"login.yaml": {onlyValues}, "below/login.env": nil}},
	"patches": {files: map[string]string{
		"kustomization.yaml": "resources: [web.yaml, login.yaml, ../other]\npatches: [{path: patch.yaml}, {path: json.json, target: {kind: Secret, name: other}}]\n",
		"web.yaml":           reader("login", "other"), "login.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {user: root}\n",
		"patch.yaml":                  "apiVersion: v1\nkind: Secret\nmetadata:\n  name: login\nstringData:\n  password: " + hidden + "\n  more: |\n    a\n    " + hidden + "\n",
		"json.json":                   `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "other"}, "stringData": {"b": "` + hidden + `"}}`,
		"../other/kustomization.yaml": "resources: [s.yaml]\n", "../other/s.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: other}\nstringData: {a: b}\n",
	}, encrypt: map[string][]string{"patch.yaml": {onlyValues}, "json.json": {onlyValues}}},
	"variables in what is encrypted": {files: map[string]string{
		"kustomization.yaml": "resources: [web.yaml, login.yaml]\nnamespace: shop\n", "web.yaml": reader("login"),
		"login.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData:\n  a: " + hidden + " ${level} $${level}\n  b: ${none:=x}\ndata: {c: " + base64.StdEncoding.EncodeToString([]byte("${level}")) + "}\n",
	}, encrypt: map[string][]string{"login.yaml": {onlyValues}}},
	"a file in a Secret": {files: map[string]string{
		"kustomization.yaml": "resources: [web.yaml, login.yaml]\n", "web.yaml": reader("login"), "login.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\ndata:\n  a.yaml: FILE\n", "FILE": "a: " + hidden + "\n",
	}, encrypt: map[string][]string{"FILE": {"--input-type=yaml", "--output-type=yaml"}}},
	"a patch of a workload": {files: map[string]string{
		"kustomization.yaml": "resources: [web.yaml]\npatches: [{path: patch.yaml}]\n", "web.yaml": reader(),
		"patch.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: web, env: [{name: A, value: " + hidden + "}]}]}}}\n",
	}, encrypt: map[string][]string{"patch.yaml": {onlyValues}}, reports: "sops-ciphertext"},
}

// writeTree writes a repository with the folder apps, and encrypts what sops shall. A file FILE stands in the others as
// base64.
func writeTree(t *testing.T, c command, files map[string]string, encrypt map[string][]string) string {
	t.Helper()
	c.dir = t.TempDir()
	dir := filepath.Join(c.dir, "apps")
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		c.write(t, filepath.Join("apps", name), text)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) { // upper case first
		text := files[name]
		if _, err := os.Stat(filepath.Join(dir, "FILE")); err == nil {
			text = strings.ReplaceAll(text, "FILE", base64.StdEncoding.EncodeToString([]byte(c.read(t, "apps/FILE"))))
		}
		write(name, text)
		if flags, is := encrypt[name]; is {
			c.run(t, append(append([]string{"encrypt", "--in-place", "--age", c.recipient}, flags...), filepath.Join("apps", name))...)
			if strings.Contains(c.read(t, filepath.Join("apps", name)), hidden) {
				t.Fatalf("%s is not encrypted", name)
			}
		}
	}
	c.write(t, "flux.yaml", fluxObject)
	c.write(t, "hash-key", "sixteen bytes or more")
	if err := os.Mkdir(filepath.Join(c.dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	return c.dir
}

// decryptedTree is a copy of a tree in which sops has decrypted what it encrypted.
func decryptedTree(t *testing.T, c command, dir string, files map[string]string, encrypt map[string][]string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	c.dir = to
	for _, name := range slices.Sorted(maps.Keys(encrypt)) {
		before := c.read(t, filepath.Join("apps", name))
		c.run(t, append([]string{"decrypt", "--in-place"}, append(slices.DeleteFunc(slices.Clone(encrypt[name]), isRule), filepath.Join("apps", name))...)...)
		if name == "FILE" {
			replaceIn(t, to, base64.StdEncoding.EncodeToString([]byte(before)), base64.StdEncoding.EncodeToString([]byte(c.read(t, "apps/FILE"))))
		}
	}
	return to
}

func isRule(flag string) bool { return strings.HasPrefix(flag, "--encrypted-regex") }

// replaceIn replaces a text in all files below a folder.
func replaceIn(t *testing.T, dir, before, after string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(strings.ReplaceAll(string(text), before, after)), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// marks are the lines of a render with names and stamps.
var marks = regexp.MustCompile(`(?m)^.*(name: |checksum\.rollstamp\.dev/).*$`)

// ofHashedName are stamps of Secrets whose names end in a hash of kustomize.
var ofHashedName = regexp.MustCompile(`checksum\.rollstamp\.dev/secret\.[^:]*-[0-9a-z]{10}:`)

func TestWhatFluxDecryptsIsBuiltAsWhatIsInClear(t *testing.T) {
	for name, tree := range encryptedTrees {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCommand(t)
			dir := writeTree(t, c, tree.files, tree.encrypt)
			env := []string{"SOPS_AGE_KEY=" + string(c.key.Reveal())}
			build := []string{"flux", "build", "flux.yaml", "--hash-key-file", "hash-key"}
			want, errs, exit := rollstamp(t, decryptedTree(t, c, dir, tree.files, tree.encrypt), env, build...)
			if exit != 0 || !strings.Contains(want, "checksum.") && tree.reports == "" {
				t.Fatalf("in clear: exit code %d\n%s%s", exit, errs, want)
			}
			got, errs, exit := rollstamp(t, dir, env, append(build, "--open-sops")...)
			if exit != 0 || tree.reports != "" && !strings.Contains(errs, tree.reports) {
				t.Fatalf("exit code %d\n%s", exit, errs)
			}
			names, expected := marks.FindAllString(got, -1), marks.FindAllString(want, -1)
			expected = slices.DeleteFunc(expected, func(line string) bool { // a hash of what is decrypted is in no stamp
				return ofHashedName.MatchString(line) && !slices.Contains(names, line)
			})
			if !slices.Equal(names, expected) {
				t.Errorf("names and stamps are\n%s\nand in clear\n%s", strings.Join(names, "\n"), strings.Join(expected, "\n"))
			}
			hides(t, dir, env)
		})
	}
}

// hides runs commands over a tree and looks for the value that it has encrypted, in all that is printed and written.
func hides(t *testing.T, dir string, env []string) {
	t.Helper()
	cache, out := t.TempDir(), t.TempDir()
	env = append(slices.Clone(env), "XDG_CACHE_HOME="+cache, "TMPDIR="+cache)
	before := filepath.Join(t.TempDir(), "before")
	if err := os.CopyFS(before, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	replaceIn(t, before, "level: debug", "level: info")
	keys := []string{"--open-sops", "--hash-key-file", "hash-key"}
	for _, args := range [][]string{
		{"flux", "build", "flux.yaml", "-v"}, {"flux", "build", "flux.yaml", "--no-stamp"}, {"explain", "--as", "flux", "flux.yaml", "-o", "json"},
		{"explain", "--as", "flux", "flux.yaml", "-v"}, {"check", "--as", "flux", "flux.yaml"}, {"graph", "--as", "flux", "flux.yaml"},
		{"diff", "--as", "flux", filepath.Join(before, "flux.yaml"), "flux.yaml"}, {"diff", "--as", "flux", filepath.Join(before, "flux.yaml"), "flux.yaml", "-o", "json"},
		{"render", "--as", "flux", "flux.yaml", "--output-dir", out}, {"flux", "stamp", "flux.yaml", "--check"}, {"flux", "push", "oci://127.0.0.1:1/a", "flux.yaml", "--dry-run"},
	} {
		if slices.Contains(args, "--no-stamp") {
			args = append(args, "--open-sops")
		} else {
			args = append(args, keys...)
		}
		printed, errs, exit := rollstamp(t, dir, env, args...)
		if exit > 3 {
			t.Errorf("%v: exit code %d\n%s", args, exit, errs)
		}
		if shows(printed) || shows(errs) {
			t.Errorf("%v shows the value:\n%s%s", args, printed, errs)
		}
	}
	for _, written := range []string{cache, out} {
		err := filepath.WalkDir(written, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if shows(string(text)) {
				t.Errorf("%s holds the value", path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// shows reports whether the value is in a text, in whatever form.
func shows(text string) bool {
	for shift := range 3 {
		encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(" ", shift) + hidden))
		if strings.Contains(strings.Join(strings.Fields(text), ""), encoded[4:len(encoded)-4]) {
			return true
		}
	}
	return strings.Contains(text, hidden) || strings.Contains(text, hex.EncodeToString([]byte(hidden)))
}

func TestEncryptingAgainRenamesNothingOfFlux(t *testing.T) {
	c := newCommand(t)
	tree := encryptedTrees["files of generators"]
	dir := writeTree(t, c, tree.files, tree.encrypt)
	env := []string{"SOPS_AGE_KEY=" + string(c.key.Reveal())}
	build := func() string {
		out, errs, exit := rollstamp(t, dir, env, "flux", "build", "flux.yaml", "--open-sops", "--hash-key-file", "hash-key")
		if exit != 0 {
			t.Fatalf("exit code %d\n%s", exit, errs)
		}
		return strings.Join(marks.FindAllString(out, -1), "\n")
	}
	c.dir = dir
	first := build()
	commitAll(t, dir)
	c.run(t, "rotate", "--in-place", "apps/config.yaml")
	if build() != first {
		t.Error("another ciphertext of the same value has another name")
	}
	printed, errs, _ := rollstamp(t, dir, env, "diff", "--as", "flux", "flux.yaml", "--from", "HEAD",
		"--open-sops", "--hash-key-file", "hash-key", "-o", "json")
	if !strings.Contains(printed, `"same-content"`) || strings.Contains(printed, `"keys-not-consumed"`) {
		t.Errorf("what is encrypted again is not reported as that:\n%s%s", printed, errs)
	}
	c.run(t, "set", "apps/config.yaml", `["password"]`, `"other"`)
	if build() == first {
		t.Error("another value has the same name")
	}
}

func TestOnlyTheKeysOfWhatIsEncryptedChangeWhoseValuesDo(t *testing.T) {
	for name, file := range map[string]string{"files of generators": "apps/login", "variables in what is encrypted": "apps/login.yaml"} {
		t.Run(name, func(t *testing.T) {
			c := newCommand(t)
			tree := encryptedTrees[name]
			c.dir = writeTree(t, c, tree.files, tree.encrypt)
			commitAll(t, c.dir)
			env, format := []string{"SOPS_AGE_KEY=" + string(c.key.Reveal())}, tree.encrypt[filepath.Base(file)]
			diff := func() string {
				printed, errs, exit := rollstamp(t, c.dir, env, "diff", "--as", "flux", "flux.yaml", "--from", "HEAD", "--open-sops",
					"--hash-key-file", "hash-key", "--exit-zero")
				if exit != 0 || shows(printed+errs) {
					t.Errorf("exit code %d, or the value is shown:\n%s%s", exit, printed, errs)
				}
				return printed
			}
			if format[0] == onlyValues {
				format = nil
			}
			c.run(t, append([]string{"rotate", "--in-place"}, append(format, file)...)...)
			if printed := diff(); strings.Contains(printed, "data.") || !strings.Contains(printed, "encrypted again") {
				t.Errorf("encrypted again:\n%s", printed)
			}
			key := map[string]string{"apps/login": `["TOKEN"]`, "apps/login.yaml": `["stringData"]["b"]`}[file]
			c.run(t, append([]string{"set"}, append(format, file, key, `"another"`)...)...)
			changed := map[string]string{"apps/login": "TOKEN changed", "apps/login.yaml": "b changed"}[file]
			if printed := diff(); !strings.Contains(printed, "1 workload restarts") || !strings.Contains(printed, ": "+changed+"\n") {
				t.Errorf("one value is another one:\n%s", printed)
			}
		})
	}
}

// commitAll makes a repository of a folder, with all that it has in one commit.
func commitAll(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "all"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args[0], err, out)
		}
	}
}

func TestFluxStampCheckListsWhatRestartsWithDecryptedSecrets(t *testing.T) {
	c := newCommand(t)
	tree := encryptedTrees["variables in what is encrypted"]
	dir := writeTree(t, c, tree.files, tree.encrypt)
	env := []string{"SOPS_AGE_KEY=" + string(c.key.Reveal())}
	stamp := []string{"flux", "stamp", "flux.yaml", "--open-sops", "--hash-key-file", "hash-key"}
	c.dir = dir
	for _, before := range []string{"stamped for the first time", "what is read of it changed"} {
		printed, errs, exit := rollstamp(t, dir, env, append(stamp, "--check")...)
		if exit != 1 || !strings.Contains(printed, "1 workload restarts\n") || !strings.Contains(printed, before) {
			t.Errorf("exit code %d, without %q:\n%s%s", exit, before, printed, errs)
		}
		if _, errs, exit := rollstamp(t, dir, env, stamp...); exit != 0 {
			t.Fatalf("exit code %d\n%s", exit, errs)
		}
		if printed, errs, exit := rollstamp(t, dir, env, append(stamp, "--check")...); exit != 0 {
			t.Errorf("after it was written: exit code %d\n%s%s", exit, printed, errs)
		}
		c.run(t, "set", "apps/login.yaml", `["stringData"]["a"]`, `"other"`)
	}
}

func TestStampsOfCiphertextAndOfValuesDoNotReplaceEachOther(t *testing.T) {
	c := newCommand(t)
	tree := encryptedTrees["variables in what is encrypted"]
	dir := writeTree(t, c, tree.files, tree.encrypt)
	c.dir = dir
	env := []string{"SOPS_AGE_KEY=" + string(c.key.Reveal())}
	run := func(want int, args ...string) string {
		t.Helper()
		printed, errs, exit := rollstamp(t, dir, env, append(args, "--hash-key-file", "hash-key")...)
		if exit != want {
			t.Fatalf("%q: exit code %d\n%s%s", args, exit, printed, errs)
		}
		return printed
	}
	run(0, "flux", "stamp", "flux.yaml")
	run(1, "flux", "stamp", "flux.yaml", "--open-sops", "--check")
	run(0, "adopt", "--as", "flux", "flux.yaml", "--open-sops", "--from-ciphertext")
	run(0, "flux", "stamp", "flux.yaml", "--open-sops", "--check")
	c.run(t, "set", "apps/login.yaml", `["stringData"]["a"]`, `"other"`)
	if printed := run(1, "flux", "stamp", "flux.yaml", "--open-sops", "--check"); !strings.Contains(printed, "1 workload restarts") {
		t.Errorf("a value changed:\n%s", printed)
	}
	run(0, "flux", "stamp", "flux.yaml", "--open-sops")
	if printed := run(1, "flux", "stamp", "flux.yaml", "--check"); !strings.HasPrefix(printed, "1 stamp was not compared") ||
		strings.Contains(printed, "restart") {
		t.Errorf("without the keys of SOPS:\n%s", printed)
	}
}

func TestAdoptingFromCiphertextHoldsForWhatIsDecryptedBeforeTheBuild(t *testing.T) {
	for _, name := range []string{"patches", "a file in a Secret", "nested kustomizations"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCommand(t)
			tree := encryptedTrees[name]
			dir := writeTree(t, c, tree.files, tree.encrypt)
			env := []string{"SOPS_AGE_KEY=" + string(c.key.Reveal())}
			for _, args := range [][]string{
				{"flux", "stamp", "flux.yaml"}, {"adopt", "--as", "flux", "flux.yaml", "--open-sops", "--from-ciphertext"},
				{"flux", "stamp", "flux.yaml", "--open-sops", "--check"},
			} {
				printed, errs, exit := rollstamp(t, dir, env, append(args, "--hash-key-file", "hash-key")...)
				if exit != 0 || shows(printed+errs) {
					t.Fatalf("%q: exit code %d\n%s%s", args, exit, printed, errs)
				}
			}
		})
	}
}

func TestWhatFluxCannotDecryptIsAnErrorAtItsPlace(t *testing.T) {
	c := newCommand(t)
	env := []string{"SOPS_AGE_KEY=" + string(c.key.Reveal())}
	other := []string{"SOPS_AGE_KEY=" + string(newCommand(t).key.Reveal())}
	yaml := map[string]string{"config.yaml": "password: " + hidden + "\n", "web.yaml": reader("s"), "kustomization.yaml": "resources: [web.yaml]\nsecretGenerator:\n- {name: s, files: [renamed=config.yaml]}\n"}
	named := maps.Clone(yaml)
	named["kustomization.yaml"] = "resources: [web.yaml]\nsecretGenerator:\n- {name: s, files: [config.yaml]}\n"
	patch := maps.Clone(encryptedTrees["a patch of a workload"].files)
	part := maps.Clone(patch)
	part["kustomization.yaml"] += "replacements:\n- source: {kind: Deployment, fieldPath: 'spec.template.spec.containers.0.env.0.value', options: {delimiter: X, index: 1}}\n  targets: [{select: {kind: Deployment}, fieldPaths: [metadata.annotations.a], options: {create: true}}]\n"
	variables := map[string]string{"web.yaml": reader("login"), "login.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {a: 'x${" + hidden + "}'}\n"}
	for name, r := range map[string]struct {
		files   map[string]string
		encrypt map[string][]string
		env     []string
		says    []string
	}{
		"a key without the format":     {yaml, map[string][]string{"config.yaml": nil}, env, []string{"field 'renamed'", "failed to emit encrypted YAML file as decrypted binary", "apps/kustomization.yaml", "config.yaml"}},
		"another key":                  {named, map[string][]string{"config.yaml": nil}, other, []string{"apps/config.yaml", "no key at hand"}},
		"a name in a patch":            {patch, map[string][]string{"patch.yaml": {"--encrypted-regex=^(name|value)$"}}, env, []string{"apps/kustomization.yaml:2", "apps/patch.yaml", "others then"}},
		"a part of a value elsewhere":  {part, map[string][]string{"patch.yaml": {onlyValues}}, env, []string{"apps/kustomization.yaml:2", "apps/patch.yaml", "others then"}},
		"a variable that has no value": {variables, map[string][]string{"login.yaml": {onlyValues}}, env, []string{"Secret login", "apps/login.yaml"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeTree(t, c, r.files, r.encrypt)
			out, errs, exit := rollstamp(t, dir, r.env, "flux", "build", "flux.yaml", "--open-sops", "--hash-key-file", "hash-key")
			if out != "" || exit != 3 || !strings.Contains(errs, "hint: ") || shows(errs) {
				t.Errorf("exit code %d, %q\n%s", exit, out, errs)
			}
			for _, words := range r.says {
				if !strings.Contains(errs, words) {
					t.Errorf("%q is not in\n%s", words, errs)
				}
			}
		})
	}
}

func TestWithoutKeysPatchesAndWorkloadsAreReported(t *testing.T) {
	c := newCommand(t)
	for _, name := range []string{"patches", "a patch of a workload"} {
		tree := encryptedTrees[name]
		_, errs, exit := rollstamp(t, writeTree(t, c, tree.files, tree.encrypt), nil, "flux", "build", "flux.yaml", "--hash-key-file", "hash-key")
		if exit != 0 || !strings.Contains(errs, "apps/kustomization.yaml:2: the patch apps/patch.yaml is encrypted") {
			t.Errorf("%s: exit code %d\n%s", name, exit, errs)
		}
	}
}

func TestVerifyChecksWhatFluxBuildDecrypts(t *testing.T) {
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(policy, []byte("sops: {mac: ignore}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	keys := []string{"--open-sops", "--hash-key-file", "hash-key"}
	for name, severity := range map[string]string{"variables in what is encrypted": "error", "files of generators": "info"} {
		c := newCommand(t)
		tree := encryptedTrees[name]
		dir := writeTree(t, c, tree.files, tree.encrypt)
		env := []string{"SOPS_AGE_KEY=" + string(c.key.Reveal()), "ROLLSTAMP_POLICY=" + policy}
		built, errs, exit := rollstamp(t, dir, env, append([]string{"flux", "build", "flux.yaml"}, keys...)...)
		if exit != 0 {
			t.Fatalf("%s: exit code %d\n%s", name, exit, errs)
		}
		if err := os.WriteFile(filepath.Join(dir, "built.yaml"), []byte(built), 0o600); err != nil {
			t.Fatal(err)
		}
		if printed, errs, exit := rollstamp(t, dir, env, append([]string{"verify", "built.yaml"}, keys...)...); exit != 0 {
			t.Errorf("%s, with the keys: exit code %d\n%s%s", name, exit, printed, errs)
		}
		printed, errs, _ := rollstamp(t, dir, nil, "verify", "built.yaml", "--hash-key-file", "hash-key")
		if !strings.HasPrefix(printed, severity+": ") || !strings.Contains(printed, "[stamp-not-checked]") ||
			strings.Contains(printed, "[stamp-missing]") {
			t.Errorf("%s, without the keys of SOPS:\n%s%s", name, printed, errs)
		}
	}
}
