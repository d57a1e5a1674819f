package rootfs

import (
	"fmt"
	"strconv"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Mount is a file or folder of this machine in the image, or a new empty file system in memory.
type Mount struct {
	From     string // empty: a file system in memory
	To       string
	Writable bool
}

// Spec is what is run, and in which surroundings.
type Spec struct {
	Root    string // where the image is unpacked
	Args    []string
	Env     []string
	Dir     string // the working directory, in the image
	User    int    // and group
	Mounts  []Mount
	Network bool // the machine's network instead of none
}

// NewSpec takes from an image how it wants to be run. An empty entry point is the image's own.
func NewSpec(img v1.Image, root, entrypoint string, args []string) (Spec, error) {
	file, err := img.ConfigFile()
	if err != nil {
		return Spec{}, err
	}
	config := file.Config
	user, _, _ := strings.Cut(config.User, ":")
	id, err := strconv.Atoi(user)
	if err != nil || id == 0 {
		return Spec{}, fmt.Errorf("the image runs as %q, want the number of a user that is not root", config.User)
	}
	s := Spec{Root: root, Env: config.Env, Dir: config.WorkingDir, User: id, Args: config.Entrypoint}
	if entrypoint != "" {
		s.Args = []string{entrypoint}
	}
	if len(args) == 0 && entrypoint == "" {
		args = config.Cmd
	}
	s.Args = append(s.Args[:len(s.Args):len(s.Args)], args...)
	return s, nil
}
