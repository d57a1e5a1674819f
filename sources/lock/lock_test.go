package lock_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/lock"
)

var vault = sources.Store{Kind: "ClusterSecretStore", Name: "vault"}

func ref(key, property, version string) sources.Ref {
	return sources.Ref{Store: vault, Key: key, Property: property, Version: version}
}

func text(t *testing.T, f *lock.File) string {
	t.Helper()
	var b strings.Builder
	if _, err := f.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func parse(t *testing.T, s string) *lock.File {
	t.Helper()
	f, err := lock.Parse("rollstamp.lock", []byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const (
	digest = "00112233445566778899aabbccddeeff"
	key    = "0123456789abcdef"
)

// TestALockSaysWhichKeyADigestWasMadeWith, line by line, so that lines of both sides of a merge stand beside each
// other.
func TestALockSaysWhichKeyADigestWasMadeWith(t *testing.T) {
	var f lock.File
	f.Set(ref("old", "", ""), sources.Answer{Digest: digest})
	f.Set(ref("new", "", ""), sources.Answer{Digest: digest, Key: key})
	f.Set(ref("v", "", ""), sources.Answer{Version: "7"})
	want := "schema 3\n\nClusterSecretStore/vault new value " + digest + " " + key + "\n\nClusterSecretStore/vault old value " + digest + "\n\nClusterSecretStore/vault v version 7\n"
	if got := text(t, &f); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, written := range []string{want, strings.ReplaceAll(want, "\n\n", "\n")} {
		again := parse(t, written)
		if got := text(t, again); !strings.HasSuffix(got, want) {
			t.Errorf("read and written it is\n%s", got)
		}
		if a, _, ok := again.Get(ref("new", "", "")); !ok || a != (sources.Answer{Digest: digest, Key: key}) {
			t.Errorf("got %+v", a)
		}
	}
}

func TestALockHasOneSortedLineForEachKey(t *testing.T) {
	var f lock.File
	mine := sources.Store{Kind: "SecretStore", Namespace: "shop", Name: "aws"}
	f.Set(sources.Ref{Store: mine, Key: "a key", Version: "AWSPREVIOUS"}, sources.Answer{Version: "uuid 1"})
	f.Set(ref("apps/db", "password", ""), sources.Answer{Version: "7"})
	f.Set(ref("apps/db", "user", ""), sources.Answer{Version: "7"})
	f.Set(ref("legacy", "password", ""), sources.Answer{Digest: digest})
	f.Set(sources.Ref{Store: vault, Find: &sources.Find{Path: "x", Name: "^a"}}, sources.Answer{Version: "set-1"})
	want := `# Versions of secrets that are not in Git, and decisions about restarts. Written by rollstamp; it holds no secret.
schema 3

ClusterSecretStore/vault apps/db version 7

ClusterSecretStore/vault find?path=x?name=^a version set-1

ClusterSecretStore/vault legacy#password value ` + digest + `

SecretStore/shop/aws a%20key%40AWSPREVIOUS version uuid%201
`
	want = strings.Replace(want, "a%20key%40", "a%20key@", 1)
	if got := text(t, &f); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := text(t, parse(t, want)); again != want {
		t.Errorf("read and written it is\n%s", again)
	}
}

func TestTheOrderOfLinesLineEndsEmptyLinesCommentsAndAByteOrderMarkDoNotMatter(t *testing.T) {
	var f lock.File
	for i := range 50 {
		f.Set(ref(strings.Repeat("k", i+1), "", ""), sources.Answer{Version: "1"})
	}
	want := text(t, &f)
	lines := slices.DeleteFunc(strings.SplitAfter(want, "\n")[2:], func(line string) bool { return line == "\n" })
	rand.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	mixed := "\ufeff# merged by hand\r\n\nschema 3\r\n" + strings.ReplaceAll(strings.Join(lines, ""), "\n", "\r\n") + "\r\n\n \r\n"
	if got := text(t, parse(t, mixed)); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestALockThatIsNoneIsRefusedWithItsLine(t *testing.T) {
	good := "schema 3\nClusterSecretStore/vault a version 1\n"
	for _, c := range []struct {
		name, text string
		is         error
		line       int
	}{
		{"marks of a conflict", good + "<<<<<<< HEAD\nClusterSecretStore/vault b version 1\n=======\n", lock.ErrConflict, 3},
		{"the middle of a conflict", good + "=======\n", lock.ErrConflict, 3},
		{"the end of a conflict", good + ">>>>>>> main\n", lock.ErrConflict, 3},
		{"a newer schema", "# hello\nschema 9\nwhatever it is\n", lock.ErrSchema, 2},
		{"an older schema", "# hello\nschema 2\nClusterSecretStore/vault a version 1\n", lock.ErrOld, 2},
		{"UTF-16", "\xff\xfes\x00c\x00", lock.ErrLine, 1},
		{"marks of one behind a byte order mark", "\ufeff" + good + "=======\r\n", lock.ErrConflict, 3},
		{"a newer schema behind one", "\ufeffschema 9\r\n", lock.ErrSchema, 1},
		{"a byte order mark in the middle", good + "\ufeffClusterSecretStore/vault b c 1\n", lock.ErrLine, 3},
		{"no schema", "ClusterSecretStore/vault a version 1\n", lock.ErrLine, 1},
		{"the schema is no number", "schema one\n", lock.ErrLine, 1},
		{"the same key twice", good + "ClusterSecretStore/vault a version 2\n", lock.ErrDuplicate, 3},
		{"another class", good + "ClusterSecretStore/vault b secret hunter2\n", lock.ErrLine, 3},
		{"a digest of no version", good + "path/a Deployment//web#ConfigMap/c adopted vv-0123456789abcdef\n", lock.ErrLine, 3},
		{"a digest of version 2", good + "path/a Deployment//web#ConfigMap/c approved v2-0123456789abcdef\n", lock.ErrLine, 3},
		{"a value that is no digest", good + "ClusterSecretStore/vault b value hunter2\n", lock.ErrLine, 3},
		{"a key that is none", good + "ClusterSecretStore/vault b value " + digest + " hunter2\n", lock.ErrLine, 3},
		{"a key of a version", good + "ClusterSecretStore/vault b version 1 " + key + "\n", lock.ErrLine, 3},
		{"too few words", good + "ClusterSecretStore/vault b version\n", lock.ErrLine, 3},
		{"an empty version", good + "ClusterSecretStore/vault b version \n", lock.ErrLine, 3},
		{"two spaces", good + "ClusterSecretStore/vault  b version 1\n", lock.ErrLine, 3},
		{"a wrong escape", good + "ClusterSecretStore/vault b version %zz\n", lock.ErrLine, 3},
		{"an escape that is not needed", good + "ClusterSecretStore/vault b version %41\n", lock.ErrLine, 3},
		{"no store", good + "vault b version 1\n", lock.ErrLine, 3},
		{"an indented line", good + " ClusterSecretStore/vault b version 1\n", lock.ErrLine, 3},
	} {
		_, err := lock.Parse("rollstamp.lock", []byte(c.text))
		var e *diag.Error
		if !errors.Is(err, c.is) || !errors.As(err, &e) || e.Pos.Line != c.line || e.Hint == "" || diag.ExitOf(err) != diag.ExitInput {
			t.Errorf("%s: got %v", c.name, err)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestALockThatIsNotThereSaysHowToMakeOne(t *testing.T) {
	_, err := lock.Load(filepath.Join(t.TempDir(), lock.FileName), nil)
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(diag.HintOf(err), "rollstamp lock") {
		t.Errorf("got %v", err)
	}
}

func TestALockThatCannotBeReadIsNotToBeWrittenAgain(t *testing.T) {
	_, err := lock.Load(t.TempDir(), nil)
	if err == nil || errors.Is(err, os.ErrNotExist) || strings.Contains(diag.HintOf(err), "rollstamp lock") {
		t.Errorf("got %v, hint %q", err, diag.HintOf(err))
	}
}

func TestALockAnswersForWholeKeysPropertiesAndPinnedVersions(t *testing.T) {
	f := parse(t, "schema 3\nClusterSecretStore/vault a version 7\nClusterSecretStore/vault b#x value "+digest+"\n")
	answers, _, err := f.Resolve(context.Background(), []sources.Ref{ref("a", "", ""), ref("a", "p", ""), ref("b", "x", ""), ref("none", "", "3")})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range answers {
		got = append(got, a.Version+a.Digest)
	}
	if want := []string{"7", "7", digest, "3"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	_, _, err = f.Resolve(context.Background(), []sources.Ref{ref("a", "", "5"), ref("b", "", ""), ref("b", "y", ""), ref("c", "", "latest")})
	if n := strings.Count(err.Error(), string(sources.NotLocked)); n != 3 || diag.ExitOf(err) != diag.ExitInput || diag.HintOf(err) == "" {
		t.Errorf("%d are missing: %v", n, err)
	}
}

func TestSettingReportsWhatChangedAndDropsWhatIsStale(t *testing.T) {
	var f lock.File
	for i, c := range []struct {
		ref     sources.Ref
		answer  sources.Answer
		changed bool
		length  int
	}{
		{ref("a", "x", ""), sources.Answer{Version: "1"}, true, 1},
		{ref("a", "y", ""), sources.Answer{Version: "1"}, false, 1},
		{ref("a", "", ""), sources.Answer{Version: "2"}, true, 1},
		{ref("a", "x", ""), sources.Answer{Digest: digest}, true, 1},
		{ref("a", "y", ""), sources.Answer{Digest: digest}, true, 2},
		{ref("a", "y", ""), sources.Answer{Digest: digest}, false, 2},
		{ref("a", "x", ""), sources.Answer{Version: "3"}, true, 2},
	} {
		if changed := f.Set(c.ref, c.answer); changed != c.changed || f.Len() != c.length {
			t.Errorf("%d: changed %v, %d entries", i, changed, f.Len())
		}
	}
	gone := f.Keep(map[string]bool{lock.Whole(ref("a", "x", "")): true})
	if len(gone) != 1 || !strings.HasSuffix(gone[0], "a#y") || f.Len() != 1 {
		t.Errorf("gone: %v", gone)
	}
}

func FuzzWhatIsReadIsWrittenTheSame(f *testing.F) {
	f.Add("schema 3\nClusterSecretStore/vault a version 7\n")
	f.Add("schema 3\nS/a/b c%20d#e@f version %25x\nS/a/b find?path=x value " + digest + "\n")
	f.Fuzz(func(t *testing.T, s string) {
		one, err := lock.Parse("l", []byte(s))
		if err != nil {
			return
		}
		first := text(t, one)
		two, err := lock.Parse("l", []byte(first))
		if err != nil {
			t.Fatalf("%v in\n%s", err, first)
		}
		if second := text(t, two); second != first {
			t.Errorf("first\n%s\nthen\n%s", first, second)
		}
	})
}

func TestAnEntryForAPropertyCountsForThatOneOnly(t *testing.T) {
	f := parse(t, "schema 3\nClusterSecretStore/vault app version 3\nClusterSecretStore/vault app#b value "+digest+"\n")
	got, _, err := f.Resolve(context.Background(), []sources.Ref{ref("app", "", ""), ref("app", "a", ""), ref("app", "b", ""), ref("app", "c", ""), ref("app", "c", "7")})
	want := []sources.Answer{{Version: "3"}, {Version: "3"}, {Digest: digest}, {Version: "3"}, {Version: "7"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("with a property: %v, %v", got, err)
	}
	f = parse(t, "schema 3\nClusterSecretStore/vault app version 3\n")
	got, _, err = f.Resolve(context.Background(), []sources.Ref{ref("app", "a", ""), ref("app", "b", "")})
	if err != nil || !slices.Equal(got, want[:2]) {
		t.Errorf("without: %v, %v", got, err)
	}
	_, _, err = f.Resolve(context.Background(), []sources.Ref{ref("app", "a", ""), ref("other", "a", ""), ref("other", "b", "")})
	if err == nil || !strings.Contains(err.Error(), "other#a") || !strings.Contains(err.Error(), "other#b") {
		t.Errorf("each that is not locked is reported: %v", err)
	}
}
