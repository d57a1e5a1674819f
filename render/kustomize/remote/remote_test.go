package remote

import (
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/git"
)

func TestRepositoriesAreReadAsKustomizeReadsThem(t *testing.T) {
	for entry, want := range map[string]Repository{
		"https://example.com/org/repo":                    {URL: "https://example.com/org/repo"},
		"https://example.com/org/repo/a/b?ref=v1":         {URL: "https://example.com/org/repo", Folder: "a/b", Ref: "v1"},
		"https://example.com/org/repo.git/a?version=v2":   {URL: "https://example.com/org/repo.git", Folder: "a", Ref: "v2"},
		"https://example.com/x/y/z//a?ref=v1&version=v2":  {URL: "https://example.com/x/y/z", Folder: "a", Ref: "v1"},
		"https://me@dev.example/o/p/_git/repo/a":          {URL: "https://me@dev.example/o/p/_git/repo", Folder: "a"},
		"git@example.com:org/repo.git//a":                 {URL: "git@example.com:org/repo.git", Folder: "a"},
		"ssh://git@example.com:22/org/repo":               {URL: "ssh://git@example.com:22/org/repo"},
		"git::https://example.com/org/repo":               {URL: "https://example.com/org/repo"},
		"github.com/org/repo/a":                           {URL: "https://github.com/org/repo", Folder: "a"},
		"GitHub.com:org/repo":                             {URL: "https://github.com/org/repo"},
		"git@github.com:org/repo":                         {URL: "git@github.com:org/repo"},
		"ssh://git@github.com/org/repo":                   {URL: "git@github.com:org/repo"},
		"file:///srv/repo":                                {URL: "file:///srv/repo"},
		"file:///srv/repo.git/a":                          {URL: "file:///srv/repo.git", Folder: "a"},
		"https://example.com/o/r?timeout=5&submodules=no": {URL: "https://example.com/o/r", Time: 5 * time.Second},
		"https://example.com/o/r?timeout=1m&submodules=0": {URL: "https://example.com/o/r", Time: time.Minute},
	} {
		got, ok := Parse(entry)
		if want.Time == 0 {
			want.Time = git.FetchTime
		}
		want.Submodules = got.Submodules
		if !ok || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", entry, got, ok, want)
		}
	}
	if r, _ := Parse("https://example.com/o/r?submodules=0"); r.Submodules {
		t.Error("submodules=0 has no effect")
	}
	for _, entry := range []string{"", "base", "../base", "/abs/github.com/a/b", "./github.com/org/repo", "a@b", "base.yaml", "a:b/c",
		"https://example.com", "https://example.com/org", "github.com/org", "https://example.com/o/r//../up", "ftp://example.com/o/r", "7up@example.com:o/r"} {
		if r, ok := Parse(entry); ok {
			t.Errorf("%s is taken for %+v", entry, r)
		}
	}
}
