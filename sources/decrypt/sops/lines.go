package sops

import (
	"bytes"
	"strings"

	"github.com/getsops/sops/v3"
	"github.com/getsops/sops/v3/stores"
	"gopkg.in/ini.v1"
)

// loadDotenv reads lines KEY=VALUE and comments.
func loadDotenv(text []byte) (sops.TreeBranches, error) {
	var branch sops.TreeBranch
	for line := range strings.SplitSeq(string(text), "\n") {
		if comment, is := strings.CutPrefix(line, "#"); is {
			branch = append(branch, sops.TreeItem{Key: sops.Comment{Value: comment}})
			continue
		}
		key, value, is := strings.Cut(line, "=")
		switch {
		case line == "":
		case !is:
			return nil, ErrFormat
		default:
			branch = append(branch, sops.TreeItem{Key: key, Value: strings.ReplaceAll(value, `\n`, "\n")})
		}
	}
	return sops.TreeBranches{branch}, nil
}

// emitDotenv writes lines.
func emitDotenv(content sops.TreeBranches) ([]byte, error) {
	var out bytes.Buffer
	for _, item := range content[0] {
		if comment, is := item.Key.(sops.Comment); is {
			out.WriteString("#" + comment.Value + "\n")
			continue
		}
		key, is := item.Key.(string)
		if !is || stores.IsComplexValue(item.Value) {
			return nil, ErrEmit
		}
		value, is := item.Value.(string)
		if !is {
			value = stores.ValToString(item.Value)
		}
		out.WriteString(key + "=" + strings.ReplaceAll(value, "\n", `\n`) + "\n")
	}
	return out.Bytes(), nil
}

// loadINI reads sections with their comments.
func loadINI(text []byte) (sops.TreeBranches, error) {
	file, err := ini.LoadSources(ini.LoadOptions{AllowNonUniqueSections: true}, text)
	if err != nil {
		return nil, err
	}
	var out sops.TreeBranch
	for _, section := range file.Sections() {
		var items sops.TreeBranch
		add := func(comment string) {
			if comment != "" {
				items = append(items, sops.TreeItem{Key: sops.Comment{Value: withoutMark(comment)}})
			}
		}
		add(section.Comment)
		for _, key := range section.Keys() {
			items = append(items, sops.TreeItem{Key: key.Name(), Value: key.Value()})
			add(key.Comment)
		}
		out = append(out, sops.TreeItem{Key: section.Name(), Value: items})
	}
	return sops.TreeBranches{out}, nil
}

// withoutMark returns a comment without what begins it.
func withoutMark(comment string) string {
	for _, mark := range []string{";", "#"} {
		if strings.HasPrefix(comment, mark) {
			return strings.TrimLeft(comment, mark+" ")
		}
	}
	return comment
}

// emitINI writes sections.
func emitINI(content sops.TreeBranches) ([]byte, error) {
	file := ini.Empty(ini.LoadOptions{AllowNonUniqueSections: true})
	file.DeleteSection(ini.DefaultSection)
	for _, branch := range content {
		for _, item := range branch {
			if _, is := item.Key.(sops.Comment); is {
				continue
			}
			if err := addSection(file, item); err != nil {
				return nil, err
			}
		}
	}
	var out bytes.Buffer
	_, err := file.WriteTo(&out)
	return out.Bytes(), err
}

// addSection adds a section; a comment belongs to the key before it, or to the section.
func addSection(file *ini.File, item sops.TreeItem) error {
	name, isName := item.Key.(string)
	items, isSection := item.Value.(sops.TreeBranch)
	if !isName || !isSection {
		return ErrEmit
	}
	section, err := file.NewSection(name)
	if err != nil {
		return err
	}
	comment := &section.Comment
	for i, item := range items {
		if c, is := item.Key.(sops.Comment); is {
			if i == 0 || comment != &section.Comment {
				*comment = c.Value
			}
			continue
		}
		name, is := item.Key.(string)
		if !is {
			return ErrEmit
		}
		key, err := section.NewKey(name, stores.ValToString(item.Value))
		if err != nil {
			return err
		}
		comment = &key.Comment
	}
	return nil
}
