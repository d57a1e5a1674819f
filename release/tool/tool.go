// Package tool builds programs that tools/ pins, once, into the cache of the user.
package tool

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
)

// Build returns the path of a program that the module in dir pins. The name of its folder in the cache is made of all
// that goes into the build, so a changed pin is another folder.
func Build(ctx context.Context, dir, pkg string) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, pkg, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		sum.Write(text)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	name := path.Base(pkg)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	folder := filepath.Join(cache, "rollstamp-tools", fmt.Sprintf("%s-%x", name, sum.Sum(nil)[:8]))
	program := filepath.Join(folder, name)
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	fmt.Fprintf(os.Stderr, "building %s, once\n", name)
	part := fmt.Sprintf("%s.%d", program, os.Getpid())
	defer os.Remove(part)
	words := []string{"go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", part, pkg}
	if nice, err := exec.LookPath("nice"); err == nil {
		words = append([]string{nice}, words...) // minutes of all processors
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off", "GOOS=", "GOARCH=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return program, os.Rename(part, program)
}
