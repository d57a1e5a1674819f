package plain_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/plain"
)

// tree writes files (path, content, path, content, ...) into a new folder and returns its path.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(root, files[i])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func rendered(t *testing.T, req render.Request) *render.Output {
	t.Helper()
	out, err := plain.Engine{}.Render(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRenderTakesTheSelectedFilesSortedByPath(t *testing.T) {
	root := tree(t,
		"b.yml", "b: 1\n", "a.yaml", "a: 1\n", "c.json", "{}", "README.md", "no", ".hidden.yaml", "apiVersion: 1\n",
		".pre-commit-config.yaml", "repos: 1\n", ".github/w.yaml", "on: 1\n",
		".rollstamp.yaml", "no: 1\n", ".git/config.yaml", "no: 1\n",
		"sub/d.yaml", "d: 1\n", "sub-x/e.yaml", "e: 1\n", "tests/t.yaml", "t: 1\n", "a/b/c/deep.yaml", "deep: 1\n")
	cases := []struct {
		name string
		opts render.PlainOptions
		want string
	}{
		{"a folder without those below it", render.PlainOptions{}, "apiVersion a b {}"},
		{"all folders", render.PlainOptions{Recursive: true}, "apiVersion a deep b {} e d t"},
		{"a pattern without a slash means the file's name, wherever it is", render.PlainOptions{Recursive: true, Include: []string{"[de]*.yaml"}}, "deep e d"},
		{"** matches any number of folders", render.PlainOptions{Recursive: true, Include: []string{"a/**/*.yaml"}}, "deep"},
		{"** matches no folder, too", render.PlainOptions{Recursive: true, Include: []string{"**/a.yaml", "**/d.yaml"}}, "a d"},
		{"an excluded folder goes with all below it", render.PlainOptions{Recursive: true, Exclude: []string{"tests", "a/**"}}, "apiVersion a b {} e d"},
		{"exclusion beats inclusion", render.PlainOptions{Include: []string{"*.yaml"}, Exclude: []string{".*"}}, "a"},
		{"other endings are taken when they are asked for", render.PlainOptions{Include: []string{"*.md"}}, "no"},
		{"nothing selected is an empty text", render.PlainOptions{Include: []string{"none"}}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out := rendered(t, render.Request{Path: root, Plain: c.opts})
			var got []string
			for _, doc := range strings.Split(string(out.Text), "---\n") {
				if doc != "" {
					got = append(got, strings.TrimSuffix(strings.TrimSuffix(doc, "\n"), ": 1"))
				}
			}
			if g := strings.Join(got, " "); g != c.want {
				t.Errorf("got %q, want %q", g, c.want)
			}
			if len(out.Inputs) != len(got) || !slices.IsSorted(out.Inputs) {
				t.Errorf("inputs are %q", out.Inputs)
			}
		})
	}
}

func TestRenderJoinsFilesAsDocumentsAndRemembersWhereTheyBegan(t *testing.T) {
	root := tree(t, "1.yaml", "\xef\xbb\xbfa: 1", "2.yaml", "", "3.yaml", "# c\r\nb: 2\r\n")
	out := rendered(t, render.Request{Path: root})
	if want := "---\na: 1\n---\n---\n# c\r\nb: 2\r\n"; string(out.Text) != want {
		t.Fatalf("text is %q, want %q", out.Text, want)
	}
	for i, want := range []string{"a: 1", "---", "# c"} {
		o := out.Origins[i]
		if o.File != filepath.Join(root, string("123"[i])+".yaml") || o.Line != 1 || !strings.HasPrefix(string(out.Text[o.Offset:]), want) {
			t.Errorf("origin %d is %+v, before %q", i, o, out.Text[o.Offset:])
		}
	}
}

func TestRenderTakesASingleFileAsItIs(t *testing.T) {
	const text = "\xef\xbb\xbf# no line end"
	root := tree(t, "values.txt", text)
	out := rendered(t, render.Request{Path: filepath.Join(root, "values.txt"), Namespace: "shop"})
	if string(out.Text) != text || out.Namespace != "shop" {
		t.Errorf("got %q in %q", out.Text, out.Namespace)
	}
}

func TestRenderSaysWhichFoldersItDidNotRead(t *testing.T) {
	root := tree(t, "a.yaml", "a: 1\n", "sub/b.yaml", "b: 1\n")
	out := rendered(t, render.Request{Path: root})
	if len(out.Findings) != 1 || out.Findings[0].Code != diag.Skipped || !strings.Contains(out.Findings[0].Message, "sub") {
		t.Errorf("findings are %+v", out.Findings)
	}
	if out := rendered(t, render.Request{Path: root, Plain: render.PlainOptions{Recursive: true}}); len(
		out.Findings,
	) != 0 {
		t.Errorf("recursive: findings are %+v", out.Findings)
	}
}

func TestRenderFollowsLinksInsideTheFolderOnly(t *testing.T) {
	outside := tree(t, "o.yaml", "o: 1\n", "deep/p.yaml", "p: 1\n")
	root := tree(t, "a.yaml", "a: 1\n", "sub/b.yaml", "b: 1\n")
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("sub/b.yaml", "b.yaml")
	link("..", "sub/up")
	link(".", "self")
	all := render.Request{Path: root, Plain: render.PlainOptions{Recursive: true}}
	if got := string(rendered(t, all).Text); got != "---\na: 1\n---\nb: 1\n---\nb: 1\n" {
		t.Errorf("links inside: %q", got)
	}
	link(filepath.Join(outside, "o.yaml"), "o.yaml")
	refused(t, all, "o.yaml: symbolic link leads out of the application's folder")
	all.Allow = config.Permissions{OutsideRoot: true}
	link(filepath.Join(outside, "deep"), "deep")
	link(root, filepath.Join("sub", "root"))
	if got := string(rendered(t, all).Text); got != "---\na: 1\n---\nb: 1\n---\np: 1\n---\no: 1\n---\nb: 1\n" {
		t.Errorf("links outside, allowed: %q", got)
	}
	all.Allow = config.Permissions{}
	all.Plain.Exclude = []string{"o.yaml"}
	refused(t, all, "deep: symbolic link leads out of the application's folder")
}

func TestRenderRefusesWhatIsNoFile(t *testing.T) {
	t.Run("a pipe", func(t *testing.T) {
		root := tree(t)
		if err := syscall.Mkfifo(filepath.Join(root, "p.yaml"), 0o600); err != nil {
			t.Fatal(err)
		}
		refused(t, render.Request{Path: root}, "p.yaml: neither a file nor a folder")
		refused(t, render.Request{Path: filepath.Join(root, "p.yaml")}, "p.yaml: neither a file nor a folder")
	})
	t.Run("a link to a device", func(t *testing.T) {
		root := tree(t)
		if err := os.Symlink("/dev/zero", filepath.Join(root, "z.yaml")); err != nil {
			t.Fatal(err)
		}
		refused(t, render.Request{Path: root, Allow: config.Permissions{OutsideRoot: true}}, "z.yaml: neither a file nor a folder")
	})
	t.Run("a link to itself", func(t *testing.T) {
		root := tree(t)
		if err := os.Symlink("l.yaml", filepath.Join(root, "l.yaml")); err != nil {
			t.Fatal(err)
		}
		refused(t, render.Request{Path: root}, "l.yaml: read: follow symbolic link")
	})
	t.Run("nothing", func(t *testing.T) {
		refused(t, render.Request{Path: filepath.Join(t.TempDir(), "absent")}, "absent: read: no such file or directory")
	})
}

func TestRenderRefusesABadPattern(t *testing.T) {
	_, err := plain.Engine{}.Render(context.Background(), render.Request{Path: t.TempDir(), Plain: render.PlainOptions{Exclude: []string{"[a"}}})
	if diag.ExitOf(err) != diag.ExitUsage || !strings.Contains(err.Error(), `--exclude "[a"`) {
		t.Errorf("got %v", err)
	}
}

func TestRenderEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	root := tree(t, "a.yaml", "a: 1\n")
	if _, err := (plain.Engine{}).Render(ctx, render.Request{Path: root}); err == nil {
		t.Error("a cancelled render gave an answer")
	}
}

func refused(t *testing.T, req render.Request, want string) {
	t.Helper()
	_, err := plain.Engine{}.Render(context.Background(), req)
	if err == nil || diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want one of the input with %q", err, want)
	}
}

func TestFilesKeepTheOrderThatTheUserGave(t *testing.T) {
	root := tree(t, "a.yaml", "\xef\xbb\xbfa: 1", "b.yaml", "b: 1\n")
	a, b := filepath.Join(root, "a.yaml"), filepath.Join(root, "b.yaml")
	out, pieces, err := plain.Files(context.Background(), []string{b, "-", a}, strings.NewReader("s: 1"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "---\nb: 1\n---\ns: 1\n---\na: 1\n"; string(out.Text) != want {
		t.Fatalf("text is %q, want %q", out.Text, want)
	}
	want := []plain.Piece{
		{Name: b, Start: 0, End: 9, Separator: "---\n"},
		{Name: "<stdin>", Start: 9, End: 18, Separator: "---\n", Bare: true},
		{Name: a, Start: 18, End: 27, Separator: "---\n", Mark: true, Bare: true},
	}
	if !reflect.DeepEqual(pieces, want) {
		t.Errorf("pieces are %+v, want %+v", pieces, want)
	}
	for i, text := range []string{"b: 1\n", "s: 1", "\xef\xbb\xbfa: 1"} {
		if got := pieces[i].Restore(out.Text[pieces[i].Start:pieces[i].End]); string(got) != text {
			t.Errorf("%s is restored to %q, want %q", pieces[i].Name, got, text)
		}
	}
	if !slices.Equal(out.Inputs, []string{a, b}) {
		t.Errorf("inputs are %q", out.Inputs)
	}
}

func TestFilesReadALongStreamFromAPipeWhole(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("# a line of some length, many times over, so that the first buffer is too small\n", 500_000)
	go func() {
		_, _ = w.WriteString(text)
		_ = w.Close()
	}()
	out, _, err := plain.Files(context.Background(), []string{"-"}, r)
	if err != nil || string(out.Text) != text {
		t.Errorf("got %d bytes of %d: %v", len(out.Text), len(text), err)
	}
}

func TestRenderTakesJSONValuesOneAfterAnotherAsDocuments(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"as jq prints them", "{\"a\":\"}{\"}\n{\"b\":[{}]}\n", "{\"a\":\"}{\"}\n---\n{\"b\":[{}]}\n"},
		{"on one line", `{"a":"\\"}{"b":1} {"c":2}`, `{"a":"\\"}` + "\n---\n" + `{"b":1} ` + "\n---\n" + `{"c":2}`},
		{"one value stays as it is", " {\"a\":1}\n", " {\"a\":1}\n"},
		{"flow style that only looks like it stays as it is", "{a: '}{'}\n", "{a: '}{'}\n"},
		{"half a value stays as it is", `{"a":1}{"b":`, `{"a":1}{"b":`},
		{"documents stay as they are", "{\"a\":1}\n---\n{\"b\":1}\n", "{\"a\":1}\n---\n{\"b\":1}\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			root := tree(t, "x.json", c.text)
			out := rendered(t, render.Request{Path: filepath.Join(root, "x.json")})
			if string(out.Text) != c.want {
				t.Errorf("got %q, want %q", out.Text, c.want)
			}
		})
	}
	out := rendered(t, render.Request{Path: tree(t, "x.json", "{\"a\":\n1}\n{\"b\":2}\n")})
	if o := out.Origins[1]; o.Line != 3 || !strings.HasPrefix(string(out.Text[o.Offset:]), `{"b"`) {
		t.Errorf("the second value's origin is %+v", o)
	}
}

func TestRenderClosesADocumentBeforeADirective(t *testing.T) {
	root := tree(t, "a.yaml", "%YAML 1.1\n---\na: 1\n", "b.yaml", "%YAML 1.1\n---\nb: 1\n", "c.yaml", "c: 1\n")
	out := rendered(t, render.Request{Path: root})
	if want := "%YAML 1.1\n---\na: 1\n...\n%YAML 1.1\n---\nb: 1\n---\nc: 1\n"; string(out.Text) != want {
		t.Errorf("got %q, want %q", out.Text, want)
	}
	for i, name := range []string{"a.yaml", "b.yaml", "c.yaml"} {
		if o := out.Origins[i]; filepath.Base(o.File) != name || (i < 2) != (out.Text[o.Offset] == '%') {
			t.Errorf("origin %d is %+v", i, o)
		}
	}
}
