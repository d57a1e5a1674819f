package plugin

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/rollstamp/rollstamp/argocd/server"
	"github.com/rollstamp/rollstamp/files"
)

// callOn makes a call about an application in a tree, whose worker reads all files of its folder, and returns what it
// asked for and what was recorded.
func callOn(t *testing.T, p *prefetcher, app, dir string, tree fstest.MapFS) (asked []string, seen files.Record) {
	t.Helper()
	recorder := files.NewRecorder(files.Mount{At: server.Root, Tree: tree})
	c := server.Call{Env: map[string]string{"ARGOCD_APP_NAME": app}, Dir: dir, Tree: recorder}
	r := &reader{tree: c.Tree}
	remote := files.NewRemote(func(question []byte) ([]byte, error) {
		asked = append(asked, string(question[1:]))
		return r.reply(question), nil
	}, r.send(p.likely(subjectOf(doPrepare, c))))
	entries, err := remote.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, err := remote.ReadFile(dir + "/" + e.Name()); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = remote.Lstat(server.Root + "/.git")
	if err := r.use(remote.Used()); err != nil {
		t.Fatal(err)
	}
	p.remember(subjectOf(doPrepare, c), r.read)
	return asked, recorder.Record()
}

func TestAWorkerIsSentWhatItWillProbablyRead(t *testing.T) {
	const web, shop = server.Root + "/web", server.Root + "/shop"
	tree := fstest.MapFS{"web/a": {Data: []byte("1")}, "web/b": {Data: []byte("1")}, "shop/a": {}, "shop/c": {}}
	p := newPrefetcher()
	for _, step := range []struct {
		what, app, dir string
		change         fstest.MapFS
		asks           []string // beyond what was sent
	}{
		{"the first call of all", "web", web, nil, []string{web, web + "/a", web + "/b", server.Root + "/.git"}},
		{"the same again", "web", web, nil, nil},
		{"another text", "web", web, fstest.MapFS{"web/a": {Data: []byte("2")}}, nil},
		{"a file more", "web", web, fstest.MapFS{"web/c": {}}, []string{web + "/c"}},
		{"another application", "shop", shop, nil, nil},
		{"of the same folder", "mail", shop, fstest.MapFS{"shop/d": {}}, []string{shop + "/d"}},
		{"one in a folder above", "top", server.Root, fstest.MapFS{"shop": nil, "web": nil, "e": {}},
			[]string{server.Root + "/e"}},
	} {
		now := maps.Clone(tree)
		maps.Copy(now, step.change)
		if step.app == "top" {
			now = fstest.MapFS{"e": {}}
		}
		asked, seen := callOn(t, p, step.app, step.dir, now)
		if !slices.Equal(asked, step.asks) {
			t.Errorf("%s: it asks for %q, want %q", step.what, asked, step.asks)
		}
		_, want := callOn(t, newPrefetcher(), step.app, step.dir, now)
		if byPath(seen) != byPath(want) {
			t.Errorf("%s: recorded are\n%swithout anything sent\n%s", step.what, byPath(seen), byPath(want))
		}
	}
}

// byPath is a record in order, as what is sent ahead and what is asked for come in another one.
func byPath(r files.Record) (out string) {
	var lines []string
	for _, a := range r {
		lines = append(lines, fmt.Sprintf("%d %s %v %x\n", a.Method, a.Path, a.Failed, a.Digest))
	}
	slices.Sort(lines)
	return fmt.Sprint(lines)
}

func TestWhatCallsReadIsForgotten(t *testing.T) {
	p := newPrefetcher()
	read := make(files.Questions, mostOfOne+1)
	for i := range 3 * mostRemembered / mostOfOne {
		p.remember(subject{app: fmt.Sprint(i)}, read)
	}
	if n := len(p.reads); p.count > mostRemembered || p.count != n*mostOfOne || n < mostRemembered/mostOfOne/2 {
		t.Errorf("%d questions of %d applications are remembered", p.count, n)
	}
}

func TestAnAnswerThatWasNotSentIsNotUsed(t *testing.T) {
	for _, n := range []int{-1, 0} {
		if (&reader{}).use([]int{n}) == nil {
			t.Errorf("answer %d was used", n)
		}
	}
}
