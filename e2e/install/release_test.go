package install

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

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
	archive, err := pack(extras)
	if err != nil {
		return err
	}
	for _, os := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			sum := sha256.Sum256([]byte(os + arch))
			a := dist.Artifact{Name: fmt.Sprintf("rollstamp_%s_%s_%s.tar.gz", version, os, arch), Kind: dist.Archive, OS: os, Arch: arch}
			if os == runtime.GOOS && arch == runtime.GOARCH {
				sum = sha256.Sum256(archive)
			}
			a.SHA256 = hex.EncodeToString(sum[:])
			made.Artifacts = append(made.Artifacts, a)
		}
	}
	files, err := manifests.Files(made.Release)
	if err != nil {
		return err
	}
	files[archiveName()] = archive
	for name, text := range files {
		to := filepath.Join(made.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func archiveName() string {
	return fmt.Sprintf("rollstamp_%s_%s_%s.tar.gz", version, runtime.GOOS, runtime.GOARCH)
}

// pack returns the archive of this platform: programs and extras, as a release lays them out.
func pack(extras map[string][]byte) ([]byte, error) {
	files := maps.Clone(extras)
	for _, name := range []string{"rollstamp", "rollstamp-stores"} {
		text, err := os.ReadFile(filepath.Join(made.programs, name))
		if err != nil {
			return nil, err
		}
		files[name] = text
	}
	var out bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(zipped)
	folders := map[string]bool{".": true}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, dir := range []string{filepath.Dir(filepath.Dir(name)), filepath.Dir(name)} {
			if !folders[dir] {
				folders[dir] = true
				if err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755}); err != nil {
					return nil, err
				}
			}
		}
		mode := int64(0o644)
		if bytes.HasPrefix(files[name], []byte("\x7fELF")) || bytes.HasPrefix(files[name], []byte("#!/bin/sh")) {
			mode = 0o755
		}
		if err := archive.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(files[name]))}); err != nil {
			return nil, err
		}
		if _, err := archive.Write(files[name]); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := zipped.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// listed returns the files of the archive of this platform.
func listed(t *testing.T) []string {
	t.Helper()
	return strings.Fields(run(t, made.dir, nil, "tar", "-tzf", archiveName()))
}
