// Package companion finds programs that are released and installed with this one.
package companion

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Find returns the absolute path of a program: the one at path or, where that is "", the one of this name beside the
// running program. The folders of PATH are not searched: whoever can write into one of them would see what it is sent.
func Find(name, path string) (string, error) {
	if path == "" {
		own, err := os.Executable()
		if err == nil {
			own, err = filepath.EvalSymlinks(own)
		}
		if err != nil {
			return "", fmt.Errorf("find %s: %w", name, err)
		}
		path = filepath.Join(filepath.Dir(own), name+suffix())
	}
	if info, err := os.Stat(path); err != nil || !isProgram(info) {
		return "", fmt.Errorf("there is no program %s", path)
	}
	return filepath.Abs(path)
}

// suffix is how names of programs end on this system.
func suffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// isProgram reports whether a file can be started; on Windows no mode says so.
func isProgram(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && (info.Mode()&0o111 != 0 || runtime.GOOS == "windows")
}
