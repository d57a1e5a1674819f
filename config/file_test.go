package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

// tree writes files into a new folder and returns it, without symbolic links. A name that ends in / is a folder; a
// text that begins with "-> " is a link.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		dir := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			dir = path
		}
		err := os.MkdirAll(dir, 0o755)
		target, link := strings.CutPrefix(text, "-> ")
		switch {
		case err != nil || strings.HasSuffix(name, "/"):
		case link:
			err = os.Symlink(target, path)
		default:
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func place(t *testing.T, path string) Place {
	t.Helper()
	p, err := Locate(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func load(t *testing.T, path string) *File {
	t.Helper()
	f, err := Load(place(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// fails checks that err is a mistake of the user with all of want in its message.
func fails(t *testing.T, err error, want ...string) {
	t.Helper()
	if diag.ExitOf(err) != diag.ExitUsage {
		t.Errorf("exit code %d of error %v", diag.ExitOf(err), err)
		return
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("no %q in error:\n%v", w, err)
		}
	}
}

func TestTheNearestFileUpToTheRepositoryRootIsInForce(t *testing.T) {
	root := tree(t, map[string]string{
		".rollstamp.yaml":                 "namespace: above-the-repository",
		"repo/.git/":                      "",
		"repo/.rollstamp.yaml":            "namespace: repository",
		"repo/apps/shop/.rollstamp.yaml":  "namespace: shop",
		"repo/apps/shop/base/deploy.yaml": "",
		"repo/apps/blog/":                 "",
		"bare/.git":                       "gitdir: elsewhere",
		"bare/app/":                       "",
		"loose/.rollstamp.yaml":           "namespace: loose",
		"loose/app/":                      "",
		"link":                            "-> repo/apps/shop",
	})
	for path, want := range map[string]string{
		"repo":                            "repo/.rollstamp.yaml",
		"repo/apps/shop":                  "repo/apps/shop/.rollstamp.yaml",
		"repo/apps/shop/base":             "repo/apps/shop/.rollstamp.yaml",
		"repo/apps/shop/base/deploy.yaml": "repo/apps/shop/.rollstamp.yaml",
		"repo/apps/blog":                  "repo/.rollstamp.yaml",
		"bare/app":                        "", // not past the root of its repository
		"loose":                           "loose/.rollstamp.yaml",
		"loose/app":                       "", // without a repository only the folder itself counts
		"link":                            "repo/apps/shop/.rollstamp.yaml",
	} {
		if want != "" {
			want = filepath.Join(root, want)
		}
		if got := load(t, filepath.Join(root, path)).Path(); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestTheEmptyPathIsTheWorkingDirectory(t *testing.T) {
	root := tree(t, map[string]string{".rollstamp.yaml": "namespace: here"})
	t.Chdir(root)
	if got := place(t, ""); got != (Place{Dir: root, Root: root}) {
		t.Errorf("got %+v", got)
	}
}

func TestAPathThatIsNotThereIsAnInputError(t *testing.T) {
	_, err := Locate(filepath.Join(t.TempDir(), "nowhere"))
	if diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("got %v", err)
	}
}

func TestAFileIsNotMergedWithThoseAboveIt(t *testing.T) {
	root := tree(t, map[string]string{
		".git/":               "",
		".rollstamp.yaml":     "namespace: a\nfailOn: error\n",
		"app/.rollstamp.yaml": "namespace: b\n",
	})
	f := load(t, filepath.Join(root, "app"))
	if _, given := f.Where("failOn"); given || f.given.FailOn.Value != "" || f.given.Namespace.Value != "b" {
		t.Errorf("got %+v", f)
	}
}

func TestAParentsValuesAreDefaultsThatTheChildReplacesWhole(t *testing.T) {
	root := tree(t, map[string]string{
		".git/": "",
		"base/grandparent.yaml": "level: 1\nhashDomain: team\nkubeVersion: v1.33.0\n" +
			"render: {include: [a], recursive: true}\n" +
			"ignore:\n- name: a\n- name: b\n",
		"base/parent.yaml": "extends: grandparent.yaml\nkubeVersion: v1.34.0\nnamespace: parent\n",
		"app/.rollstamp.yaml": "# the app\nextends: ../base/parent.yaml\nnamespace: app\n" +
			"render:\n  exclude: [b]\nignore:\n- name: c\n",
	})
	f := load(t, filepath.Join(root, "app"))
	if f.Path() != filepath.Join(root, "app/.rollstamp.yaml") || f.given.extends.Value != "../base/parent.yaml" {
		t.Errorf("path %s extends %s", f.Path(), f.given.extends.Value)
	}
	if f.given.Namespace.Value != "app" || f.given.KubeVersion.Value != "v1.34.0" ||
		f.given.HashDomain.Value != "team" || f.given.Level.Value != 1 {
		t.Errorf("got %+v", f)
	}
	if len(f.given.Ignore.Value) != 1 || f.given.Ignore.Value[0].Name != "c" || f.given.Recursive.Value ||
		f.given.Include.Value != nil || !slices.Equal(f.given.Exclude.Value, []Glob{"b"}) {
		t.Errorf("a list or block was not replaced whole: %+v %+v", f.given.Ignore.Value, f.given.Exclude)
	}
	for field, want := range map[string]string{
		"namespace": "app/.rollstamp.yaml:3", "kubeVersion": "base/parent.yaml:2",
		"hashDomain":     "base/grandparent.yaml:2",
		"render.exclude": "app/.rollstamp.yaml:5", "ignore[0].name": "app/.rollstamp.yaml:7",
	} {
		if pos, _ := f.Where(field); pos.String() != filepath.Join(root, want) {
			t.Errorf("%s: got %s, want %s", field, pos, want)
		}
	}
	for _, field := range []string{"render.include", "ignore[1].name", "failOn"} {
		if pos, given := f.Where(field); given {
			t.Errorf("%s is said to be given at %s", field, pos)
		}
	}
}

func TestWhatAParentDeniesStaysDenied(t *testing.T) {
	root := tree(t, map[string]string{
		".git/":               "",
		"parent.yaml":         "deny: [network, outside-root]",
		"app/.rollstamp.yaml": "extends: ../parent.yaml\ndeny: [network, exec-plugins]",
	})
	f := load(t, filepath.Join(root, "app"))
	if !slices.Equal(f.given.denied.Value, []Permission{PermitNetwork, PermitExecPlugins, PermitOutsideRoot}) {
		t.Errorf("got %v", f.given.denied.Value)
	}
	if f.denied[PermitOutsideRoot].String() != filepath.Join(root, "parent.yaml:1") ||
		f.denied[PermitNetwork].String() != filepath.Join(root, "app/.rollstamp.yaml:2") {
		t.Errorf("got %v", f.denied)
	}
}

func TestExtendsStaysInTheRepositoryAndEnds(t *testing.T) {
	const secret = "namespace: [outside-text]"
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"circle of one": {
			map[string]string{"app/.rollstamp.yaml": "extends: .rollstamp.yaml"},
			[]string{"app/.rollstamp.yaml:1: extends", "circle"},
		},
		"circle of two": {
			map[string]string{"app/.rollstamp.yaml": "extends: ../b.yaml", "b.yaml": "level: 1\nextends: app/.rollstamp.yaml"},
			[]string{"b.yaml:2: extends", "circle"},
		},
		"circle by a link": {
			map[string]string{"app/.rollstamp.yaml": "extends: ../b.yaml", "b.yaml": "-> app/.rollstamp.yaml"},
			[]string{"app/.rollstamp.yaml:1: extends", "circle"},
		},
		"upwards": {
			map[string]string{"app/.rollstamp.yaml": "level: 1\nextends: ../../outside.yaml"},
			[]string{"app/.rollstamp.yaml:2: ", "leads out of"},
		},
		"upwards, nothing": {
			map[string]string{"app/.rollstamp.yaml": "extends: ../../nothing.yaml"},
			[]string{"app/.rollstamp.yaml:1: ", "leads out of"},
		},
		"by a link": {
			map[string]string{"app/.rollstamp.yaml": "extends: l.yaml", "app/l.yaml": "-> ../../outside.yaml"},
			[]string{"app/.rollstamp.yaml:1: ", "leads out of"},
		},
		"by a linked dir": {
			map[string]string{"app/.rollstamp.yaml": "extends: l/outside.yaml", "app/l": "-> ../.."},
			[]string{"app/.rollstamp.yaml:1: ", "leads out of"},
		},
		"the file itself": {
			map[string]string{"app/.rollstamp.yaml": "-> ../../outside.yaml"}, []string{"leads out of"},
		},
		"absolute": {
			map[string]string{"app/.rollstamp.yaml": "extends: /etc/rollstamp.yaml"},
			[]string{"app/.rollstamp.yaml:1: extends: want a path relative to this file"},
		},
		"empty": {
			map[string]string{"app/.rollstamp.yaml": "extends: ''"},
			[]string{"app/.rollstamp.yaml:1: extends: want a path relative to this file"},
		},
		"not there": {
			map[string]string{"app/.rollstamp.yaml": "extends: b.yaml"},
			[]string{"app/.rollstamp.yaml:1: ", "b.yaml: no such file"},
		},
		"a folder": {
			map[string]string{"app/.rollstamp.yaml": "extends: ../app"}, []string{"is not a regular file"},
		},
		"broken parent": {
			map[string]string{"app/.rollstamp.yaml": "extends: ../b.yaml", "b.yaml": "\nnamspace: x"},
			[]string{"b.yaml:2: unknown field \"namspace\"; did you mean namespace?"},
		},
		"file is a folder": {map[string]string{"app/.rollstamp.yaml/": ""}, []string{"is not a regular file"}},
		"file is very long": {
			map[string]string{"app/.rollstamp.yaml": strings.Repeat("# long\n", maxFile/7+1)},
			[]string{"is larger than"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"outside.yaml": secret, "repo/.git/": "", "repo/app/": ""}
			for name, text := range c.files {
				files["repo/"+name] = text
			}
			_, err := Load(place(t, filepath.Join(tree(t, files), "repo/app")))
			fails(t, err, c.want...)
			if err != nil && strings.Contains(err.Error(), "outside-text") {
				t.Errorf("the error shows a file outside the repository: %v", err)
			}
		})
	}
}

func TestARepositoryIsTheNearestWithGitOrElseWithAMark(t *testing.T) {
	root := t.TempDir()
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{
		"packed/.github", "packed/apps/web", "git/.git/modules", "git/.github", "git/sub/.github", "git/sub/app",
		"git/module/app", "tree/app", "none/app",
	} {
		if err := os.MkdirAll(filepath.Join(real, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{
		"git/module/.git": "gitdir: ../.git/modules/module\n",
		"tree/.git":       "gitdir: /elsewhere/.git/worktrees/tree\n",
	} {
		if err := os.WriteFile(filepath.Join(real, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		"packed/apps/web": "packed", "git/sub/app": "git", "git/module/app": "git", "tree/app": "tree",
		"none/app": "",
	} {
		got, ok := Repository(filepath.Join(real, dir))
		if ok != (want != "") || ok && got != filepath.Join(real, want) {
			t.Errorf("%s: got %q %v, want %q", dir, got, ok, want)
		}
	}
}

func TestTheContextStaysInTheRepository(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{".git", "app", "platform"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"../platform": "", "../absent": "", ".": "", "../../x": "stays in", elsewhere: "stays in",
		"../link": "leads out of",
	} {
		if err := os.WriteFile(filepath.Join(root, "app", FileName), []byte("context: ["+path+"]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		place, err := Locate(filepath.Join(root, "app"))
		if err != nil {
			t.Fatal(err)
		}
		f, err := Load(place)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", path, err)
		case want == "" && string(f.given.Context.Value[0]) != filepath.Join(place.Root, "app", path):
			t.Errorf("%s: got %s", path, f.given.Context.Value[0])
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)),
			want != "" && !strings.Contains(err.Error(), FileName+":1"):
			t.Errorf("%s: got %v", path, err)
		}
	}
}
