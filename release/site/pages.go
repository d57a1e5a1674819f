package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// repository is where links lead that name files which are no pages.
const repository = "https://github.com/rollstamp/rollstamp"

// section is a part of the navigation.
type section struct {
	Title string
	Pages []*page
}

// page is a page of the site.
type page struct {
	Source   string // its file in the checkout
	Title    string
	URL      string
	HTML     string
	Headings []heading // of the second level
	entries  []entry   // of the search
}

// heading is one that readers may jump to.
type heading struct{ Title, Anchor string }

// contents are the sections in the order of the navigation. A page of docs/ that none names is in the last one.
func contents() []section {
	at := func(names ...string) []*page {
		var out []*page
		for _, name := range names {
			out = append(out, &page{Source: name, URL: urlOf(name)})
		}
		return out
	}
	return []section{
		{"Start", at("README.md", "docs/install.md", "docs/argocd.md")},
		{"Guides", at("docs/apps.md", "docs/diff.md", "docs/secrets.md", "docs/stores.md", "docs/rules.md")},
		{"Reference", at("docs/commands.md", "docs/settings.md", "docs/findings.md", "docs/digest-v1.md",
			"docs/content-v1.md")},
		{"The project", at("CHANGELOG.md", "docs/performance.md", "docs/architecture.md", "docs/dependencies.md",
			"docs/release.md", "CONTRIBUTING.md", "SECURITY.md")},
	}
}

func urlOf(source string) string {
	name := strings.ToLower(strings.TrimSuffix(path.Base(source), ".md"))
	if name == "readme" {
		name = "index"
	}
	return name + ".html"
}

// read returns the sections with all pages that the checkout has.
func read(source string) ([]section, error) {
	sections := contents()
	known := map[string]bool{}
	for i, s := range sections {
		for _, p := range s.Pages {
			known[p.Source] = true
		}
		sections[i].Pages = slices.DeleteFunc(s.Pages, func(p *page) bool {
			_, err := os.Stat(filepath.Join(source, filepath.FromSlash(p.Source)))
			return err != nil
		})
	}
	found, err := filepath.Glob(filepath.Join(source, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	last := &sections[len(sections)-1]
	for _, file := range found {
		if name := "docs/" + filepath.Base(file); !known[name] {
			last.Pages = append(last.Pages, &page{Source: name, URL: urlOf(name)})
		}
	}
	return sections, nil
}

// target returns where a link of a page leads on the site.
func target(from *page, link string, pages map[string]*page) string {
	file, anchor, deep := strings.Cut(link, "#")
	if strings.Contains(link, "://") || file == "" {
		return link
	}
	name := path.Join(path.Dir(from.Source), file)
	to := repository + "/blob/main/" + name
	if p := pages[name]; p != nil {
		to = p.URL
	} else if isSchema(name) {
		to = path.Base(name)
	}
	if deep {
		to += "#" + anchor
	}
	return to
}

// isSchema reports whether a file is a schema, which the site serves as it is.
func isSchema(name string) bool {
	return path.Dir(name) == "docs" && strings.HasSuffix(name, ".schema.json")
}

// addSchemas adds the schemas of the checkout.
func addSchemas(source string, files map[string][]byte) error {
	found, err := filepath.Glob(filepath.Join(source, "docs", "*.schema.json"))
	if err != nil {
		return err
	}
	for _, file := range found {
		if files[filepath.Base(file)], err = os.ReadFile(file); err != nil {
			return err
		}
	}
	return nil
}

func build(source, out string) error {
	sections, err := read(source)
	if err != nil {
		return err
	}
	pages := map[string]*page{}
	for _, s := range sections {
		for _, p := range s.Pages {
			pages[p.Source] = p
		}
	}
	for _, p := range pages {
		text, err := os.ReadFile(filepath.Join(source, filepath.FromSlash(p.Source)))
		if err != nil {
			return err
		}
		if err := p.render(text, pages); err != nil {
			return fmt.Errorf("%s: %w", p.Source, err)
		}
	}
	files := map[string][]byte{}
	if err := addSchemas(source, files); err != nil {
		return err
	}
	if err := layout(sections, files); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
