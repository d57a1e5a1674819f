package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// unpack is a command of stories: it writes the first layer of an artifact into a folder, as source-controller does.
func unpack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: unpack HOST/REPO:TAG DIR")
	}
	ts.Check(unpackArtifact(args[0], ts.MkAbs(args[1])))
}

// unpackArtifact writes the files in the first layer of an artifact, HOST/REPO:TAG, below dir.
func unpackArtifact(address, dir string) error {
	host, rest, _ := strings.Cut(address, "/")
	repo, tag, _ := strings.Cut(rest, ":")
	at := "http://" + host + "/v2/" + repo
	var manifest struct{ Layers []struct{ Digest string } }
	text, err := get(at + "/manifests/" + tag)
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		return err
	}
	packed, err := get(at + "/blobs/" + manifest.Layers[0].Digest)
	if err != nil {
		return err
	}
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	for r := tar.NewReader(plain); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		file := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
	}
}

func get(url string) ([]byte, error) {
	answer, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, answer.Status)
	}
	return io.ReadAll(answer.Body)
}
