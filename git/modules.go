package git

import (
	"errors"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	format "github.com/go-git/go-git/v5/plumbing/format/config"
)

// moduleName finds the name under which .gitmodules of the revision knows a submodule. Submodules in submodules are not looked for.
func (t *Tree) moduleName(at string) (string, error) {
	e, err := t.top.find(".gitmodules")
	if err != nil {
		return "", err
	}
	text, err := t.repo.read(plumbing.BlobObject, e.hash)
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
	return "", errors.New("a submodule that .gitmodules does not name")
}
