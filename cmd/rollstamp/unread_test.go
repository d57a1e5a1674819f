package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnchangedApplicationsOfRevisionsAreNotRead removes what the repository has of the applications that did not
// change: with a cache they are compared all the same.
func TestUnchangedApplicationsOfRevisionsAreNotRead(t *testing.T) {
	h := newHistory(t)
	for name, texts := range cachedTree {
		if strings.HasPrefix(name, "apps/plain/") || strings.HasPrefix(name, "apps/over/") || strings.HasPrefix(name, "base/") {
			h.setCached(name, texts[0])
		}
	}
	for _, name := range []string{"one", "two"} { // they lack nothing that another application could have
		h.write("apps/"+name+"/web.yaml", strings.Replace(cachedWorkload, ", {secretRef: {name: db, optional: true}}", "", 1))
		h.write("apps/"+name+"/config.yaml", cachedConfig("settings", name))
	}
	h.commit("before")
	h.write("apps/one/config.yaml", cachedConfig("settings", "changed"))
	h.commit("after")
	cache := filepath.Join(t.TempDir(), "cache")
	args := []string{"diff", "--from", "before", "--to", "after", "apps/*"}
	want := outputOf(t, args...)
	if !strings.Contains(want, "settings") {
		t.Fatal(want)
	}
	args = append(args, "--render-cache", cache)
	if got := outputOf(t, args...); got != want {
		t.Fatalf("it differs with a cache\n%s\n-- cached --\n%s", want, got)
	}
	for _, name := range []string{"apps/two/web.yaml", "apps/two/config.yaml"} {
		object := h.git("rev-parse", "after:"+name)
		if err := os.Remove(filepath.Join(h.top, ".git", "objects", object[:2], object[2:])); err != nil {
			t.Fatal(err)
		}
	}
	if got := outputOf(t, args...); got != want {
		t.Fatalf("it differs where nothing is to be read\n%s\n-- cached --\n%s", want, got)
	}
	if got := outputOf(t, args[:len(args)-2]...); got == want {
		t.Error("what was removed is read by nobody")
	}
}
