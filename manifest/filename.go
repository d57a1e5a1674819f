package manifest

import "path/filepath"

// IsFileName reports whether a file may hold manifests, by the ending of its name.
func IsFileName(path string) bool {
	switch filepath.Ext(path) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}
