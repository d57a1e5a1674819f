package argocd

import (
	"path/filepath"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/files"
)

// Discover returns the configuration file by which the application in dir is the plugin's: one in its folder or above,
// up to root. It returns the file's path from root, or "".
func Discover(system files.System, dir, root string) string {
	for at := range files.Upwards(dir, root) {
		if file := filepath.Join(at, config.FileName); isFile(files.OrDisk(system), file) {
			rel, _ := files.Rel(root, file)
			return filepath.ToSlash(rel)
		}
	}
	return ""
}
