package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const checkout = "../.."

// site builds the pages of this checkout, and returns the files by name.
func site(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	if err := build(checkout, dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(text)
	}
	return files
}

// leads reports whether a link of a page leads to a page, and to an anchor in it.
func leads(files map[string]string, from, link string) bool {
	name, anchor, deep := strings.Cut(link, "#")
	if name == "" {
		name = from
	}
	text, ok := files[name]
	return ok && (!deep || strings.Contains(text, ` id="`+anchor+`"`))
}

var links = regexp.MustCompile(`(?:href|src)="([^"]+)"`)

func TestLinksOfTheSiteLeadSomewhere(t *testing.T) {
	files := site(t)
	inside, outside := 0, 0
	for name, text := range files {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		for _, m := range links.FindAllStringSubmatch(text, -1) {
			path, file := strings.CutPrefix(m[1], repository+"/blob/main/")
			switch {
			case file:
				outside++
				if _, err := os.Stat(filepath.Join(checkout, filepath.FromSlash(path))); err != nil && !strings.Contains(path, "$") {
					t.Errorf("%s links to %v", name, err)
				}
			case !strings.Contains(m[1], "://"):
				inside++
				if !leads(files, name, m[1]) {
					t.Errorf("%s links to %s, which there is not", name, m[1])
				}
			}
		}
	}
	if inside < 500 || outside < 10 {
		t.Errorf("only %d links inside of the site and %d to files were found", inside, outside)
	}
}

func TestTheSearchFindsPartsOfPages(t *testing.T) {
	files := site(t)
	line, _, _ := strings.Cut(files["search.js"], ";\n")
	var entries []entry
	if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "const entries = ")), &entries); err != nil {
		t.Fatal(err)
	}
	byURL := map[string]entry{}
	for _, e := range entries {
		byURL[e.URL] = e
		if e.Page == "" || e.Title == "" || !leads(files, "", e.URL) {
			t.Errorf("%+v leads nowhere", e)
		}
	}
	for url, words := range map[string]string{
		"findings.html#missing-key":              "A workload asks for a key that the object does not have",
		"commands.html#rollstamp-argocd-convert": "parameters of the same names",
		"index.html#exit-codes":                  "a fault of ours",
		"settings.html":                          "A flag counts before a variable of the environment",
	} {
		if !strings.Contains(byURL[url].Text, words) {
			t.Errorf("%s holds %q", url, byURL[url].Text)
		}
	}
}

func TestEveryPageOfTheDocumentationIsOnTheSite(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(checkout, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	files := site(t)
	for _, file := range found {
		name := urlOf("docs/" + filepath.Base(file))
		if files[name] == "" || !strings.Contains(files["index.html"], `href="`+name+`"`) {
			t.Errorf("%s is not on the site, or not in its navigation", file)
		}
	}
	if len(found) < 12 {
		t.Errorf("only %d pages were found", len(found))
	}
}
