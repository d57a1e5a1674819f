package config

import (
	"os"
	"path/filepath"
)

// worldReadable reports whether every user can read a file, but for one in a volume of a pod.
func worldReadable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o004 != 0 && !inPodVolume(file)
}

// inPodVolume reports whether a file lies in a volume that a kubelet filled, by the link that stands in each of them.
// Nobody sees it but the containers that mount it, and a user other than root can read a Secret there only where all
// can.
func inPodVolume(file string) bool {
	info, err := os.Lstat(filepath.Join(filepath.Dir(file), "..data"))
	return err == nil && info.Mode()&os.ModeSymlink != 0
}
