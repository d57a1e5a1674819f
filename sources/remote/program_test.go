package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
)

const (
	role   = "ROLLSTAMP_TEST_ROLE" // what the test's own binary plays when a test starts it
	canary = "canary-90ab"
	v1     = "v1.0.0"
)

func TestMain(m *testing.M) {
	if play, ok := roles[os.Getenv(role)]; ok {
		play()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// outsideFunc is sources.VersionResolver as a function.
type outsideFunc func(context.Context, []sources.Ref) ([]sources.Answer, error)

func (f outsideFunc) Resolve(ctx context.Context, refs []sources.Ref) ([]sources.Answer, []diag.Finding, error) {
	answers, err := f(ctx, refs)
	return answers, nil, err
}

func serve(release string, f outsideFunc) {
	err := Serve(
		context.Background(),
		os.Stdin,
		os.Stdout,
		release,
		func(Request) (sources.VersionResolver, error) { return f, nil },
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func echo(_ context.Context, refs []sources.Ref) (out []sources.Answer, err error) {
	for _, ref := range refs {
		out = append(out, sources.Answer{Version: "v-" + ref.Key})
	}
	return out, nil
}

var roles = map[string]func(){
	"good":            func() { serve(v1, echo) },
	"another release": func() { serve("v2.0.0", echo) },
	"another program": func() { fmt.Fprintln(os.Stdout, canary) },
	"silent":          func() {},
	"endless":         func() { _, _ = io.Copy(os.Stdout, zeros{}) },
	"crash": func() {
		serve(v1, func(context.Context, []sources.Ref) ([]sources.Answer, error) {
			fmt.Fprintln(os.Stderr, canary)
			os.Exit(7)
			return nil, nil
		})
	},
	"panic": func() {
		serve(v1, func(context.Context, []sources.Ref) ([]sources.Answer, error) { panic(canary) })
	},
	"words": func() {
		serve(v1, func(context.Context, []sources.Ref) ([]sources.Answer, error) { return nil, errors.New(canary) })
	},
	"hang": func() {
		serve(v1, func(context.Context, []sources.Ref) ([]sources.Answer, error) { select {} })
	},
	"too few": func() {
		serve(v1, func(context.Context, []sources.Ref) ([]sources.Answer, error) {
			return []sources.Answer{{Version: "1"}}, nil
		})
	},
	"empty": func() {
		serve(v1, func(_ context.Context, refs []sources.Ref) ([]sources.Answer, error) {
			return make([]sources.Answer, len(refs)), nil
		})
	},
	"some": func() {
		serve(v1, func(ctx context.Context, refs []sources.Ref) ([]sources.Answer, error) {
			f := sources.Fail(sources.NoPermit, "HTTP 403")
			f.Ref, f.Next = refs[1], "Ask somebody."
			out, _ := echo(ctx, refs)
			out[1] = sources.Answer{}
			return out, errors.Join(f.Diag())
		})
	},
	"environment": func() {
		serve(v1, func(context.Context, []sources.Ref) ([]sources.Answer, error) {
			_, has := os.LookupEnv(config.EnvHashKey)
			_, other := os.LookupEnv(role)
			return []sources.Answer{{Version: fmt.Sprint(has)}, {Version: fmt.Sprint(other)}}, nil
		})
	},
	"garbage": func() {
		fmt.Fprintf(os.Stdout, "{\"protocol\":%d,\"release\":%q}\n%s", Protocol, v1, canary)
		_, _ = io.Copy(io.Discard, os.Stdin)
	},
	"another protocol": func() { fmt.Fprintf(os.Stdout, "{\"protocol\":%d,\"release\":%q}\n", Protocol+1, v1) },
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

var two = []sources.Ref{
	{Store: sources.Store{Kind: "SecretStore", Namespace: "n", Name: "s", Fields: map[string]string{"a": "b"}}, Key: "one"},
	{Store: sources.Store{Kind: "SecretStore", Namespace: "n", Name: "s"}, Key: "two", Property: "p"},
}

// play asks this binary in a role.
func play(t *testing.T, as string) ([]sources.Answer, error) {
	t.Helper()
	t.Setenv(role, as)
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	answers, _, err := Program{Path: path, Release: v1}.Resolve(t.Context(), two)
	return answers, err
}

func TestAProgramIsAskedAndAnswers(t *testing.T) {
	answers, err := play(t, "good")
	if err != nil || len(answers) != 2 || answers[0].Version != "v-one" || answers[1].Version != "v-two" {
		t.Errorf("got %+v, %v", answers, err)
	}
	if answers, _, err := (Program{Path: "/nowhere"}).Resolve(t.Context(), nil); answers != nil || err != nil {
		t.Errorf("it was started for nothing: %v", err)
	}
}

func TestAProgramThatIsNotOursOrGoesWrongIsAnErrorWithoutItsWords(t *testing.T) {
	for as, want := range map[string]string{
		"another release":  `it is of release "v2.0.0", this program of "v1.0.0"`,
		"another protocol": "it is of release",
		"another program":  "it is another program",
		"silent":           "it is another program",
		"endless":          "it is another program",
		"garbage":          "it gave no answer",
		"crash":            "it gave no answer",
		"panic":            "internal fault: panic in remote.",
		"words":            "an error without a class",
		"too few":          "1 answers to 2 questions",
		"empty":            "neither a version nor a digest",
	} {
		t.Run(as, func(t *testing.T) {
			answers, err := play(t, as)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error()+diag.HintOf(err), canary) ||
				answers != nil {
				t.Errorf("got %+v, %v", answers, err)
			}
			exit := diag.ExitInternal
			if strings.Contains(want, "it is ") { // what was installed or named is to blame
				exit = diag.ExitUsage
			}
			if diag.ExitOf(err) != exit || diag.HintOf(err) == "" && exit == diag.ExitUsage {
				t.Errorf("exit %d, hint %q", diag.ExitOf(err), diag.HintOf(err))
			}
		})
	}
}

func TestWhatWasAnsweredComesWithWhatWasNot(t *testing.T) {
	answers, err := play(t, "some")
	var f *sources.Failure
	if !errors.As(err, &f) || f.Class != sources.NoPermit || f.Ref.ID() != two[1].ID() || diag.HintOf(err) != "Ask somebody." || diag.ExitOf(err) != diag.ExitSource {
		t.Errorf("got %v", err)
	}
	if len(answers) != 2 || answers[0].Version != "v-one" || answers[1] != (sources.Answer{}) {
		t.Errorf("got %+v", answers)
	}
}

func TestTheHashKeyIsNotHandedOn(t *testing.T) {
	t.Setenv(config.EnvHashKey, canary)
	answers, err := play(t, "environment")
	if err != nil || answers[0].Version != "false" || answers[1].Version != "true" {
		t.Errorf("got %+v, %v", answers, err)
	}
}

func TestAProgramThatHangsEndsWithItsRun(t *testing.T) {
	t.Setenv(role, "hang")
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if answers, _, err := (Program{Path: path, Release: v1}).Resolve(ctx, two); err == nil {
		t.Errorf("got %+v", answers)
	}
}

func TestAProgramThatIsNotThereSaysWhereItShouldBe(t *testing.T) {
	dir := t.TempDir()
	notRunnable := filepath.Join(dir, "file")
	if err := os.WriteFile(notRunnable, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", dir, notRunnable, filepath.Join(dir, "none")} {
		_, _, err := Program{Path: path, Release: v1}.Resolve(t.Context(), two)
		if diag.ExitOf(err) != diag.ExitUsage || !strings.Contains(diag.HintOf(err), Name) {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func TestAProgramThatCannotBeStartedIsReportedAsOneThatIsNotOurs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("\x7fELF and no more"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, _, err := Program{Path: path, Release: v1}.Resolve(t.Context(), two)
	if diag.ExitOf(err) != diag.ExitUsage || !strings.Contains(diag.HintOf(err), config.EnvStores) {
		t.Errorf("got %v, exit code %d", err, diag.ExitOf(err))
	}
}

func TestARequestThatIsNoneIsNotQuoted(t *testing.T) {
	var out bytes.Buffer
	err := Serve(t.Context(), strings.NewReader(`{"refs": "`+canary+`"}`), &out, v1, nil)
	if err == nil || strings.Contains(err.Error(), canary) || strings.Contains(out.String(), canary) {
		t.Errorf("got %v, %s", err, out.String())
	}
	out.Reset()
	var hello Hello
	if err := Serve(t.Context(), strings.NewReader(""), &out, v1, nil); err != nil || json.Unmarshal(out.Bytes(), &hello) != nil || hello.Release != v1 {
		t.Errorf("to nobody: %v, %s", err, out.String())
	}
}
