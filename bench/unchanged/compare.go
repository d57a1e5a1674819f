package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// pair is the two binaries.
type pair struct{ before, after string }

// result is what a run printed on standard output, and how it ended.
type result struct {
	exit int
	text []byte
}

// start runs a binary in dir; standard input is a file there, or none where stdin is "".
func start(ctx context.Context, binary, dir, stdin string, args ...string) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = dir
	if stdin != "" {
		f, err := os.Open(filepath.Join(dir, stdin))
		if err != nil {
			return result{}, err
		}
		defer f.Close()
		cmd.Stdin = f
	}
	out, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return result{}, err
	}
	return result{cmd.ProcessState.ExitCode(), out}, nil
}

// same compares what both binaries print, and returns what the older one printed.
func (p pair) same(ctx context.Context, sum *tally, dir, stdin string, args ...string) (result, error) {
	old, err := start(ctx, p.before, dir, stdin, args...)
	if err != nil {
		return old, err
	}
	recent, err := start(ctx, p.after, dir, stdin, args...)
	if err != nil {
		return old, err
	}
	if equal(old, recent) {
		sum.compared.Add(1)
		return old, nil
	}
	again, err := start(ctx, p.before, dir, stdin, args...)
	if err == nil && !equal(old, again) {
		sum.random.Add(1)
		return old, nil
	}
	sum.compared.Add(1)
	return old, fmt.Errorf("%s: ended with %d, was %d; %s", strings.Join(args, " "), recent.exit, old.exit,
		firstDifference(old.text, recent.text))
}

func equal(a, b result) bool {
	return a.exit == b.exit && bytes.Equal(plain(a.text), plain(b.text))
}

// wording are the fields of JSON whose words may change.
var wording = []string{"message", "hint", "error", "about"}

// plain returns JSON without the words for people, and every other text as it is.
func plain(text []byte) []byte {
	var doc any
	if !bytes.HasPrefix(text, []byte("{")) || json.Unmarshal(text, &doc) != nil {
		return text
	}
	out, err := json.Marshal(withoutWording(doc))
	if err != nil {
		return text
	}
	return out
}

func withoutWording(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if s, is := value.(string); is && s != "" && slices.Contains(wording, key) {
				v[key] = "..."
			} else {
				v[key] = withoutWording(value)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutWording(v[i])
		}
	}
	return v
}

// firstDifference shows the first lines in which two texts differ.
func firstDifference(old, recent []byte) string {
	a, b := bytes.Split(old, []byte("\n")), bytes.Split(recent, []byte("\n"))
	for i := range max(len(a), len(b)) {
		x, y := line(a, i), line(b, i)
		if x != y {
			return fmt.Sprintf("line %d is %q, was %q", i+1, y, x)
		}
	}
	return "the texts are the same but for the words of findings"
}

func line(lines [][]byte, i int) string {
	if i >= len(lines) {
		return ""
	}
	return string(lines[i][:min(len(lines[i]), 200)])
}

// settings are what the second half of the runs is configured with: what the defaults leave out.
const settings = `liveVolumes: true
foreignChecksums: replace
namespace: ns
secrets:
  refresh: suffix
workloads:
  - match: {kind: Job}
    mode: "on"
ignore:
  - name: "*-dashboard*"
`

// compare renders the input with both binaries, and runs the other commands on what came out.
func (in input) compare(ctx context.Context, p pair, sum *tally) error {
	dir, err := os.MkdirTemp("", "rollstamp-unchanged-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path, err := filepath.Abs(in.path)
	if err != nil {
		return err
	}
	args := slices.Clone(in.args)
	for i, a := range args {
		if i > 0 && args[i-1] == "-f" {
			args[i], _ = filepath.Abs(a) // the working folder is known by now
		}
	}
	var errs []error
	check := func(stdin string, args ...string) result {
		r, err := p.same(ctx, sum, dir, stdin, args...)
		errs = append(errs, err)
		return r
	}
	check("", slices.Concat([]string{"render", path}, args)...)
	check("", slices.Concat([]string{"explain", path, "-o", "json"}, args)...)
	rendered := check("", slices.Concat([]string{"render", "--no-stamp", path}, args)...)
	if rendered.exit != 0 || len(rendered.text) == 0 {
		return errors.Join(errs...)
	}
	for name, text := range map[string][]byte{"a.yaml": rendered.text, "b.yaml": changeValues(rendered.text)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	streams(dir, check)
	if err := os.WriteFile(filepath.Join(dir, ".rollstamp.yaml"), []byte(settings), 0o600); err != nil {
		return err
	}
	streams(dir, check)
	return errors.Join(errs...)
}

// streams runs the commands that take a rendered stream.
func streams(dir string, check func(stdin string, args ...string) result) {
	stamped := check("a.yaml", "stamp")
	check("a.yaml", "explain", "-", "-o", "json")
	check("", "diff", "-o", "json", "--from-file", "a.yaml", "--to-file", "b.yaml")
	if stamped.exit == 0 && os.WriteFile(filepath.Join(dir, "stamped.yaml"), stamped.text, 0o600) == nil {
		check("stamped.yaml", "unstamp")
	}
}

// value is a line with a key and a value, as configuration has them.
var value = regexp.MustCompile(`^(\s{2,4}[A-Za-z][\w.-]*: )(["']?)([A-Za-z][\w./:-]*)(["']?)\s*$`)

// changeValues returns the stream with every fifth plain value another one.
func changeValues(text []byte) []byte {
	lines, n := strings.SplitAfter(string(text), "\n"), 0
	for i, l := range lines {
		m := value.FindStringSubmatch(strings.TrimRight(l, "\n"))
		if m == nil || strings.Contains(m[1], "name") || strings.Contains(m[1], "kind") || m[2] != m[4] {
			continue
		}
		if n++; n%5 == 0 {
			lines[i] = m[1] + m[2] + m[3] + "x" + m[4] + "\n"
		}
	}
	return []byte(strings.Join(lines, ""))
}
