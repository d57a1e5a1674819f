package git_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
)

func TestRevisionsMeanWhatTheyMeanToGit(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	stock(t, dir, "tag", "-a", "-m", "one", "v1")
	stock(t, dir, "tag", "-a", "-m", "nested", "v1-again", "v1")
	stock(t, dir, "checkout", "-q", "-b", "feature/x")
	put(t, dir, "b", "1")
	commit(t, dir, "on the side")
	stock(t, dir, "tag", "light")
	stock(t, dir, "checkout", "-q", "main")
	put(t, dir, "c", "1")
	commit(t, dir, "on main")
	stock(t, dir, "merge", "-q", "--no-ff", "-m", "merge", "feature/x")
	stock(t, dir, "tag", "same", "HEAD~1")
	stock(t, dir, "branch", "same", "HEAD")
	clone := filepath.Join(filepath.Dir(dir), "clone")
	stock(t, filepath.Dir(dir), "clone", "-q", dir, clone)
	stock(t, clone, "branch", "-q", "--track", "local", "origin/feature/x")
	head := stock(t, clone, "rev-parse", "HEAD")
	r := open(t, clone)
	for _, rev := range []string{
		"HEAD", "@", "main", "refs/heads/main", "heads/main", "v1", "v1-again", "tags/v1", "refs/tags/v1", "light", "same",
		"origin/main", "origin/feature/x", "origin", "origin/HEAD", "remotes/origin/main", "HEAD~", "HEAD~1", "HEAD^", "HEAD^1", "HEAD^2",
		"HEAD^2~1", "HEAD~2", "HEAD^0", "HEAD~0", "HEAD^{}", "v1^{commit}", "@~1", "@{u}", "@{upstream}~1", "main@{u}", "local@{upstream}",
		head, head[:4], head[:7], head[:11], strings.ToUpper(head[:8]), "HEAD^^", "HEAD~1^2", "HEAD^3", "HEAD~20", "nothing", "", "v2",
		"HEAD:app", ":/first", "HEAD~x", "HEAD^x", "HEAD~99999999999999999999", "zz", "abc", strings.Repeat("0", 40), "-", "..", "main..HEAD", "../HEAD",
		"@@{u}", "nothing@{u}", "refs/heads/../heads/main",
	} {
		want, gitErr := try(clone, "rev-parse", "--verify", "-q", "--end-of-options", rev+"^{commit}")
		got, err := r.Resolve(rev)
		switch {
		case gitErr == nil && got != strings.TrimSpace(want):
			t.Errorf("%q is %s, %v; git says %s", rev, got, err, want)
		case gitErr != nil && plainHash(rev): // git, too, looks for the object only when it is asked to read it
			if _, err := r.Tree(rev); err == nil {
				t.Errorf("%q has a tree", rev)
			}
		case gitErr != nil && err == nil:
			t.Errorf("%q is %s; git knows nothing of it", rev, got)
		case gitErr != nil && (diag.ExitOf(err) != diag.ExitInput || !strings.Contains(err.Error(), "revision")):
			t.Errorf("%q: %v", rev, err)
		}
	}
	if _, err := r.Resolve("HEAD@{1}"); err == nil || !strings.Contains(err.Error(), "reflog") {
		t.Errorf("the reflog: %v", err)
	}
	if _, err := r.Resolve(stock(t, dir, "rev-parse", "HEAD:app")); err == nil {
		t.Error("a folder was taken for a commit")
	}
}

func plainHash(rev string) bool { return len(rev) == 40 && strings.Trim(rev, "0123456789abcdef") == "" }

func TestAFurtherWorkTreeHasAHEADOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	side := filepath.Join(filepath.Dir(dir), "side")
	stock(t, dir, "worktree", "add", "-q", "-b", "side", side)
	put(t, side, "s", "1")
	want := commit(t, side, "on the side")
	r := open(t, side)
	if got, err := r.Resolve("HEAD"); got != want || err != nil {
		t.Errorf("HEAD is %s, %v; want %s", got, err, want)
	}
	if got, err := r.Resolve("main"); got != stock(t, dir, "rev-parse", "HEAD") || err != nil {
		t.Errorf("main is %s, %v", got, err)
	}
}

func TestAMergeBaseIsGits(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	branch := func(name, from string) {
		stock(t, dir, "checkout", "-q", "-B", name, from)
		put(t, dir, name, name)
		commit(t, dir, name)
	}
	branch("a", "main")
	branch("b", "main")
	branch("a2", "a")
	stock(t, dir, "merge", "-q", "--no-edit", "b")
	branch("b2", "b")
	branch("b3", "b2")
	stock(t, dir, "checkout", "-q", "--orphan", "other")
	commit(t, dir, "other")
	revs := []string{"main", "a", "b", "a2", "b2", "b3", "other"}
	r := open(t, dir)
	for _, one := range revs {
		for _, two := range revs {
			want, gitErr := try(dir, "merge-base", one, two)
			got, err := r.MergeBase(one, two)
			if gitErr != nil {
				if diag.ExitOf(err) != diag.ExitInput {
					t.Errorf("%s and %s: %s, %v; git finds nothing", one, two, got, err)
				}
				continue
			}
			if got != strings.TrimSpace(want) {
				t.Errorf("%s and %s: %s, %v; git says %s", one, two, got, err, want)
			}
		}
	}
}

func TestAMergeBaseStandsThoughAClockWentWrong(t *testing.T) {
	dir := repository(t)
	old := stock(t, dir, "rev-parse", "HEAD")
	stock(t, dir, "checkout", "-q", "-b", "one")
	at := func(when, message string) {
		put(t, dir, message, message)
		stock(t, dir, "add", "-A")
		stock(t, dir, "-c", "core.logAllRefUpdates=false", "commit", "-q", "-m", message, "--date", when)
	}
	t.Setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z")
	at("2001-01-01T00:00:00Z", "base")
	base := stock(t, dir, "rev-parse", "HEAD")
	t.Setenv("GIT_COMMITTER_DATE", "2030-01-01T00:00:00Z")
	at("2030-01-01T00:00:00Z", "young")
	stock(t, dir, "checkout", "-q", "-b", "two", base)
	t.Setenv("GIT_COMMITTER_DATE", "1999-01-01T00:00:00Z")
	at("1999-01-01T00:00:00Z", "older than its parent")
	if got, err := open(t, dir).MergeBase("one", "two"); got != base || err != nil {
		t.Errorf("got %s, %v; want %s (and not %s)", got, err, base, old)
	}
}

func TestTheCommitsOfARangeAreGits(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	branch := func(name, from string) {
		stock(t, dir, "checkout", "-q", "-B", name, from)
		put(t, dir, name, name)
		commit(t, dir, name+"\n\nA trailer of "+name+": yes")
	}
	branch("a", "main")
	branch("b", "main")
	branch("a2", "a")
	stock(t, dir, "merge", "-q", "--no-edit", "b")
	branch("b2", "b")
	stock(t, dir, "checkout", "-q", "--orphan", "other")
	commit(t, dir, "other")
	revs := []string{"main", "a", "b", "a2", "b2", "other"}
	r := open(t, dir)
	for _, from := range revs {
		for _, to := range revs {
			got, err := r.Messages(from, to)
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, m := range got {
				if text := stock(t, dir, "log", "-1", "--format=%B", m.Commit); strings.TrimSpace(m.Text) != text {
					t.Errorf("%s: %q; git says %q", m.Commit, m.Text, text)
				}
				all = append(all, m.Commit)
			}
			want := strings.Fields(stock(t, dir, "rev-list", from+".."+to))
			slices.Sort(all)
			slices.Sort(want)
			if !slices.Equal(all, want) {
				t.Errorf("%s..%s: %v; git says %v", from, to, all, want)
			}
		}
	}
}
