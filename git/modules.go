package git

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	format "github.com/go-git/go-git/v5/plumbing/format/config"
)

// submoduleName finds the name under which .gitmodules knows the submodule at a path.
func (m module) submoduleName(at string) (string, error) {
	e, err := m.top.find(".gitmodules")
	if err != nil {
		return "", err
	}
	text, err := m.repo.read(plumbing.BlobObject, e.hash)
	if err != nil {
		return "", err
	}
	raw := format.New()
	if err := format.NewDecoder(strings.NewReader(string(text))).Decode(raw); err != nil {
		return "", err
	}
	for _, sub := range raw.Section("submodule").Subsections {
		if path.Clean(sub.Option("path")) == at && filepath.IsLocal(sub.Name) {
			return sub.Name, nil
		}
	}
	return "", errNotNamed
}
