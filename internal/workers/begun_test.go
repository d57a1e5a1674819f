package workers_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/internal/workers"
)

// requests is the standard input of a worker whose first message is "die FOLDER": while the folder has files, it is
// killed when a request comes, before anything reads that, and takes one file with it.
type requests struct{ folder string }

func (r *requests) Read(b []byte) (int, error) {
	n, err := os.Stdin.Read(b)
	if files, _ := os.ReadDir(r.folder); r.folder != "" && len(files) > 0 {
		if err := os.Remove(filepath.Join(r.folder, files[0].Name())); err != nil {
			return 0, err
		}
		return 0, killMyself()
	}
	if _, folder, ok := strings.Cut(string(b[:n]), "die "); ok {
		r.folder = folder
	}
	return n, err
}

// killMyself ends the process as somebody else would.
func killMyself() error {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		return err
	}
	select {}
}

// note adds a letter to a file.
func note(name string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	return errors.Join(err, f.Close())
}

// TestARequestIsSentAgainWhereNoWorkerBeganWithIt has idle workers end when a request comes: as many as there may be,
// or more.
func TestARequestIsSentAgainWhereNoWorkerBeganWithIt(t *testing.T) {
	for name, row := range map[string]struct {
		dead []string
		is   string
	}{
		"all that are idle": {[]string{"a", "b"}, "hello"},
		"each one":          {[]string{"a", "b", "c", "d"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			p := poolOf(t, "die "+folder, workers.Limits{Workers: 2})
			if err := p.Warm(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, file := range row.dead {
				if err := os.WriteFile(filepath.Join(folder, file), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := ask(t.Context(), p, "echo hello")
			var ended *workers.Ended
			if got != row.is || errors.As(err, &ended) != (row.is == "") {
				t.Errorf("it got %q, %v", got, err)
			}
			if c := p.Counts(); c.Busy != 0 {
				t.Errorf("it counts %+v", c)
			}
		})
	}
}

// TestARequestThatWasBegunIsNotSentAgain has a request end its worker.
func TestARequestThatWasBegunIsNotSentAgain(t *testing.T) {
	p := poolOf(t, "", workers.Limits{Workers: 2})
	if err := p.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	times := filepath.Join(t.TempDir(), "times")
	_, err := ask(t.Context(), p, "killed "+times)
	var ended *workers.Ended
	if !errors.As(err, &ended) {
		t.Fatalf("it ended with %v", err)
	}
	if b, err := os.ReadFile(times); string(b) != "x" || err != nil {
		t.Errorf("it was begun %d times, %v", len(b), err)
	}
	if c := p.Counts(); c.Ended[ended.Cause] != 1 {
		t.Errorf("it counts %+v", c)
	}
}
