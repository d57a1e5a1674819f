//go:build !unix

package files

import "os"

// PrivateFolder makes a folder. The folder for temporary files is the user's own here.
func PrivateFolder(path string) error { return os.MkdirAll(path, 0o700) }
