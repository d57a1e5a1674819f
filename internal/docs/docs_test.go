// Package docs holds what the pages promise: their commands run, and what they show is so. It is only a test.
package docs

import (
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// program is the path of rollstamp, built for the tests of this package.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "rollstamp-docs-")
	if err != nil {
		log.Fatal(err)
	}
	program = filepath.Join(dir, "rollstamp")
	cmd := exec.Command("go", "build", "-o", program, "./cmd/rollstamp")
	cmd.Dir = root
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		log.Fatalf("go build: %v\n%s", err, out)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// blocks returns the contents of a page's fenced blocks, by their language, in order.
func blocks(text string) (languages, contents []string) {
	for _, m := range regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		languages, contents = append(languages, m[1]), append(contents, m[2])
	}
	return languages, contents
}

// run returns the standard output of a command that succeeds at the root of the checkout.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = root
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

func TestTheFirstBlockOfTheReadmeIsTwoCommands(t *testing.T) {
	text := page(t, "README.md")
	_, contents := blocks(text)
	commands := strings.Split(strings.TrimSuffix(contents[0], "\n"), "\n")
	if len(commands) != 2 || !strings.HasPrefix(commands[0], "go run ./cmd/rollstamp ") ||
		!strings.HasPrefix(commands[1], "go test ") {
		t.Fatalf("the first block is\n%s", contents[0])
	}
	if lines := strings.Count(text, "\n"); lines >= 200 {
		t.Errorf("the README has %d lines", lines)
	}
	if out := run(t, "go", strings.Fields(commands[0])[1:]...); strings.Count(out, "checksum.rollstamp.dev/") != 4 {
		t.Errorf("%s prints\n%s", commands[0], out)
	}
	ci := page(t, ".ci/run")
	if !strings.Contains(ci, "\n"+commands[0]+" ") || !strings.Contains(ci, "\n"+commands[1]+"\n") {
		t.Errorf(".ci/run does not run the commands of the README")
	}
}

func TestWhatTheReadmeShowsIsWhatTheProgramPrints(t *testing.T) {
	languages, contents := blocks(page(t, "README.md"))
	shown := map[string]string{}
	for i, language := range languages {
		shown[language] = contents[i]
	}
	stamped, bare := run(t, program, "render", "examples/web"), run(t, program, "render", "--no-stamp", "examples/web")
	if !consecutive(stamped, shown["diff"], " ", "+") || !consecutive(bare, shown["diff"], " ") {
		t.Errorf("render does not give the difference\n%s", shown["diff"])
	}
	if got := run(t, program, "explain", "examples/web"); got != shown["text"] {
		t.Errorf("explain gives\n%s\nand the README shows\n%s", got, shown["text"])
	}
}

// consecutive reports whether the lines of a difference with one of the marks stand in text in this order.
func consecutive(text, difference string, marks ...string) bool {
	lines := strings.Split(text, "\n")
	at := 0
	for want := range strings.Lines(difference) {
		for _, mark := range marks {
			line, marked := strings.CutPrefix(strings.TrimSuffix(want, "\n"), mark)
			if !marked {
				continue
			}
			for at < len(lines) && lines[at] != line {
				at++
			}
			if at == len(lines) {
				return false
			}
			at++
		}
	}
	return true
}

func TestTheReadmeListsEveryCommand(t *testing.T) {
	text := page(t, "README.md")
	help := run(t, program, "--help")
	_, list, _ := strings.Cut(help, "Available Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	count := 0
	for line := range strings.Lines(list) {
		name := strings.Fields(line)[0]
		if name == "help" {
			continue
		}
		count++
		if !regexp.MustCompile("(?m)^\\| `rollstamp " + name + "[ `]").MatchString(text) {
			t.Errorf("%s is not in the table of commands", name)
		}
	}
	if count < 7 {
		t.Errorf("help lists %d commands:\n%s", count, help)
	}
}

func TestTheExamplesOfThePageOnMoreKindsRunAsTheyStand(t *testing.T) {
	dir := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".git/HEAD", "ref: refs/heads/main\n")
	printed := ""
	languages, contents := blocks(page(t, "docs/rules.md"))
	for i, language := range languages {
		switch language {
		case "yaml":
			name, _, _ := strings.Cut(contents[i], "\n")
			write(strings.TrimPrefix(name, "# "), contents[i])
		case "sh":
			cmd := exec.Command(program, strings.Fields(contents[i])[1:]...)
			cmd.Dir = dir
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil || stderr.Len() > 0 {
				t.Fatalf("%s%v\n%s", contents[i], err, stderr.String())
			}
			printed = string(out)
		case "text":
			if printed != contents[i] {
				t.Errorf("the page shows\n%s\nand the program prints\n%s", contents[i], printed)
			}
		}
	}
	if printed == "" {
		t.Error("nothing is run")
	}
}
