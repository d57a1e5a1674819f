package stamp

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
)

var update = flag.Bool("update", false, "write the stories' results again")

// story is a text that comes in and what goes out: the stamped text with its findings as comments, or an error.
type story struct{ file, name, in, out string }

// stories reads testdata/*.txt: "=== " and a name, the text that comes in and, after a line of "=>", what goes out.
// Lines of the text that begin with "#: " are comments to YAML, and the configuration to the story.
func stories(t testing.TB) []story {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no stories in testdata", err)
	}
	var out []story
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(string(b), "=== ")
		for _, p := range parts[1:] {
			name, rest, _ := strings.Cut(p, "\n")
			in, want, _ := strings.Cut(rest, "=>\n")
			out = append(out, story{f, name, in, want})
		}
	}
	return out
}

// options resolves the configuration of a story.
func (s story) options(t testing.TB) Options {
	t.Helper()
	var lines []string
	for line := range strings.Lines(s.in) {
		if rest, ok := strings.CutPrefix(line, "#: "); ok {
			lines = append(lines, rest)
		}
	}
	if len(lines) == 0 {
		return Options{}
	}
	return configured(t, strings.Join(lines, ""))
}

// configured returns the options that follow from the text of a configuration file.
func configured(t testing.TB, file string) Options {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".rollstamp.yaml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	place, err := config.Locate(dir)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := config.Resolve(config.Inputs{Place: place, Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatalf("%v\n%s", err, file)
	}
	return Options{Settings: settings, Namespace: string(settings.Namespace.Value)}
}

func TestStories(t *testing.T) {
	files := map[string]*strings.Builder{}
	names := map[string]bool{}
	for _, s := range stories(t) {
		if names[s.name] {
			t.Errorf("two stories are called %q", s.name)
		}
		names[s.name] = true
		got := s.transcript(t)
		if files[s.file] == nil {
			files[s.file] = &strings.Builder{}
		}
		files[s.file].WriteString("=== " + s.name + "\n" + s.in + "=>\n" + got)
		if got != s.out && !*update {
			t.Errorf("%s: %s:\n%s\nwant:\n%s", s.file, s.name, got, s.out)
		}
	}
	if !*update {
		return
	}
	for name, b := range files {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// transcript returns what goes out: the text, its findings and its errors.
func (s story) transcript(t testing.TB) string {
	t.Helper()
	p, err := planOf(t, []byte(s.in), s.options(t))
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	got := string(bytesOf(t, p))
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n\\ no line end\n"
	}
	for _, f := range p.Findings {
		got += "# " + string(f.Code) + ": " + f.Message + "\n"
	}
	return got
}

// TestWhatFollowsATextDoesNotMatter puts further documents after each story: readers use their memory again.
func TestWhatFollowsATextDoesNotMatter(t *testing.T) {
	t.Parallel()
	const more = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: further, labels: {a: b, c: d}}\ndata: {e: f, g: [h, {i: j}], k: {l: {m: n}}}\n---\n{\"a\": [\"b\", {\"c\": \"d\"}]}\n---\n# nothing\n"
	for _, s := range stories(t) {
		opts := s.options(t)
		p, err := planOf(t, []byte(s.in), opts)
		if err != nil || !strings.HasSuffix(s.in, "\n") {
			continue
		}
		want := string(bytesOf(t, p)) + more
		again, err := planOf(t, []byte(s.in+more), opts)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if got := string(bytesOf(t, again)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", s.name, got, want)
		}
		bare, err := Unstamp(context.Background(), []byte(s.in), opts)
		if err != nil {
			continue
		}
		bareAndMore, err := Unstamp(context.Background(), []byte(s.in+more), opts)
		if err != nil || string(bareAndMore) != string(bare)+more {
			t.Errorf("%s: %v: unstamped\n%s\nwant\n%s", s.name, err, bareAndMore, string(bare)+more)
		}
	}
}
