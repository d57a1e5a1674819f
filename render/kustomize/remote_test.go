package kustomize

import (
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/git"
)

func TestRepositoriesAreReadAsKustomizeReadsThem(t *testing.T) {
	for entry, want := range map[string]repository{
		"https://example.com/org/repo":                    {url: "https://example.com/org/repo"},
		"https://example.com/org/repo/a/b?ref=v1":         {url: "https://example.com/org/repo", folder: "a/b", ref: "v1"},
		"https://example.com/org/repo.git/a?version=v2":   {url: "https://example.com/org/repo.git", folder: "a", ref: "v2"},
		"https://example.com/x/y/z//a?ref=v1&version=v2":  {url: "https://example.com/x/y/z", folder: "a", ref: "v1"},
		"https://me@dev.example/o/p/_git/repo/a":          {url: "https://me@dev.example/o/p/_git/repo", folder: "a"},
		"git@example.com:org/repo.git//a":                 {url: "git@example.com:org/repo.git", folder: "a"},
		"ssh://git@example.com:22/org/repo":               {url: "ssh://git@example.com:22/org/repo"},
		"git::https://example.com/org/repo":               {url: "https://example.com/org/repo"},
		"github.com/org/repo/a":                           {url: "https://github.com/org/repo", folder: "a"},
		"GitHub.com:org/repo":                             {url: "https://github.com/org/repo"},
		"git@github.com:org/repo":                         {url: "git@github.com:org/repo"},
		"ssh://git@github.com/org/repo":                   {url: "git@github.com:org/repo"},
		"file:///srv/repo":                                {url: "file:///srv/repo"},
		"file:///srv/repo.git/a":                          {url: "file:///srv/repo.git", folder: "a"},
		"https://example.com/o/r?timeout=5&submodules=no": {url: "https://example.com/o/r", time: 5 * time.Second},
		"https://example.com/o/r?timeout=1m&submodules=0": {url: "https://example.com/o/r", time: time.Minute},
	} {
		got, ok := parseRepository(entry)
		if want.time == 0 {
			want.time = git.FetchTime
		}
		want.submodules = got.submodules
		if !ok || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", entry, got, ok, want)
		}
	}
	if r, _ := parseRepository("https://example.com/o/r?submodules=0"); r.submodules {
		t.Error("submodules=0 has no effect")
	}
	for _, entry := range []string{"", "base", "../base", "/abs/github.com/a/b", "./github.com/org/repo", "a@b", "base.yaml", "a:b/c",
		"https://example.com", "https://example.com/org", "github.com/org", "https://example.com/o/r//../up", "ftp://example.com/o/r", "7up@example.com:o/r"} {
		if r, ok := parseRepository(entry); ok {
			t.Errorf("%s is taken for %+v", entry, r)
		}
	}
}
