package install

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rollstamp/rollstamp/release/archive"
	"github.com/rollstamp/rollstamp/release/dist"
	"github.com/rollstamp/rollstamp/release/manifests"
)

// made is a release of this checkout, for this platform, in a folder; manifests also name archives of others.
var made struct {
	dist.Release
	dir      string // with the files of the release
	programs string // the folder of the programs
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "rollstamp-install-")
	if err != nil {
		log.Fatal(err)
	}
	if err := makeRelease(dir); err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

const version = "0.1.0"

func makeRelease(dir string) error {
	made.dir, made.programs = filepath.Join(dir, "dist"), filepath.Join(dir, "programs")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.release=v"+version, "-o", made.programs+"/",
		"./cmd/rollstamp", "./cmd/rollstamp-stores")
	cmd.Dir, cmd.Env = top, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	made.Release = dist.Release{Version: version, Tag: "v" + version, Date: time.Unix(1_700_000_000, 0).UTC()}
	extras, err := manifests.Extras(context.Background(), filepath.Join(made.programs, "rollstamp"), made.Release)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(made.dir, 0o755); err != nil {
		return err
	}
	if err := pack(extras); err != nil {
		return err
	}
	ours, _, err := dist.Sum(filepath.Join(made.dir, archiveName()))
	if err != nil {
		return err
	}
	for _, os := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			hash := sha256.Sum256([]byte(os + arch))
			sum := hex.EncodeToString(hash[:])
			a := dist.Artifact{Name: fmt.Sprintf("rollstamp_%s_%s_%s.tar.gz", version, os, arch), Kind: dist.Archive, OS: os, Arch: arch}
			if os == runtime.GOOS && arch == runtime.GOARCH {
				sum = ours
			}
			a.SHA256 = sum
			made.Artifacts = append(made.Artifacts, a)
		}
	}
	files, err := manifests.Files(made.Release)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(made.dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func archiveName() string {
	return fmt.Sprintf("rollstamp_%s_%s_%s.tar.gz", version, runtime.GOOS, runtime.GOARCH)
}

// pack writes the archive of this platform as a release does.
func pack(extras map[string][]byte) error {
	var files []archive.File
	for name, text := range extras {
		files = append(files, archive.File{Name: name, Content: text, Executable: bytes.HasPrefix(text, []byte("#!"))})
	}
	for _, name := range []string{"rollstamp", "rollstamp-stores"} {
		files = append(files, archive.File{Name: name, From: filepath.Join(made.programs, name), Executable: true})
	}
	return archive.Write(filepath.Join(made.dir, archiveName()), made.Date, files)
}

// listed returns the files of the archive of this platform.
func listed(t *testing.T) []string {
	t.Helper()
	return strings.Fields(run(t, made.dir, nil, "tar", "-tzf", archiveName()))
}
