package lock

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/files"
)

// Folders returns the folders and files that the name of an application has, in a lock that lies in a folder. There are
// none where they lie in another repository.
func (a Application) Folders(folder string) (out []string) {
	parts := strings.Split(string(a), "@")
	if kind, rest, _ := strings.Cut(parts[0], "/"); kind == "path" {
		parts = []string{rest}
	} else {
		parts = parts[1:]
	}
	for _, part := range parts {
		path, ok := unescape(part)
		if !ok || strings.HasPrefix(path, "/") {
			return nil
		}
		out = append(out, filepath.Join(folder, filepath.FromSlash(path)))
	}
	return out
}

// Gone returns what is not there of what the name of an application has, in a lock that lies in a folder; "" where
// nothing is missing. No run has an application whose folder is gone.
func (a Application) Gone(folder string, system files.System) string {
	for _, path := range a.Folders(folder) {
		if _, err := files.OrDisk(system).Stat(path); errors.Is(err, fs.ErrNotExist) {
			return path
		}
	}
	return ""
}

// ForgetGone removes the lines of a class about applications whose folders are not there any more. It looks once.
func (u *Update) ForgetGone(class Class, system files.System) {
	if slices.Contains(u.looked, class) {
		return
	}
	u.looked = append(u.looked, class)
	for _, app := range u.now.Applications() {
		if app.Gone(filepath.Dir(u.path), system) == "" {
			continue
		}
		for _, d := range u.now.Decisions(app) {
			if d.Class == class {
				u.Forget(app, d)
			}
		}
	}
}
