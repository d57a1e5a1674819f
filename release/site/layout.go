package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
)

//go:embed assets
var assets embed.FS

// layout adds the files of the site: a file for each page, its style, and the search with what it finds.
func layout(sections []section, files map[string][]byte) error {
	text, err := assets.ReadFile("assets/page.html")
	if err != nil {
		return err
	}
	t, err := template.New("page").Funcs(template.FuncMap{
		"html": func(text string) template.HTML { return template.HTML(text) }, //nolint:gosec // our own pages
	}).Parse(string(text))
	if err != nil {
		return err
	}
	var entries []entry
	for _, s := range sections {
		for _, p := range s.Pages {
			var out bytes.Buffer
			if err := t.Execute(&out, map[string]any{"Page": p, "Sections": sections, "Repository": repository}); err != nil {
				return fmt.Errorf("%s: %w", p.Source, err)
			}
			files[p.URL] = out.Bytes()
			entries = append(entries, p.entries...)
		}
	}
	found, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	search, err := assets.ReadFile("assets/search.js")
	if err != nil {
		return err
	}
	files["search.js"] = append(fmt.Appendf(nil, "const entries = %s;\n", found), search...)
	files["style.css"], err = assets.ReadFile("assets/style.css")
	return err
}
