package check

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest"
)

// mostLooked is how many files are looked at for manifests that a run did not read.
const mostLooked = 10000

// unread looks for manifests that a run did not read.
type unread struct {
	read   map[string]bool // files of the run, as absolute paths
	system files.System
	left   int // how many more files are looked at
}

// isBelow reports whether manifests that the run did not read lie in or below the folder of a configuration file, or
// may: where too much lies there, and where it cannot be read. For a folder that has another such file, this one does
// not count.
func (u *unread) isBelow(dir string) bool {
	entries, err := u.system.ReadDir(dir)
	if err != nil {
		return true
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."): // of a tool
		case e.IsDir():
			_, err := u.system.Stat(filepath.Join(path, config.FileName))
			if err != nil && u.isBelow(path) {
				return true
			}
		case manifest.IsFileName(e.Name()) && !u.read[path]:
			if u.left--; u.left < 0 || u.isManifest(path) {
				return true
			}
		}
	}
	return false
}

// isManifest reports whether a file reads like one of manifests, or cannot be read.
func (u *unread) isManifest(path string) bool {
	text, err := u.system.ReadFile(path)
	return err != nil || bytes.HasPrefix(text, []byte("kind:")) || bytes.Contains(text, []byte("\nkind:")) ||
		bytes.Contains(text, []byte(`"kind"`))
}
