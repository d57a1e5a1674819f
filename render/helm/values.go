package helm

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/internal/network"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/helm/sets"
)

// valueReader makes the user's values out of -f, --set and their relatives, in helm's order of precedence.
type valueReader struct {
	stdin   io.Reader
	system  files.System
	network bool
	version config.HelmVersion // whose rules count
	paths   []string           // files that were read
	found   []diag.Finding     // what is likely wrong in them
}

func (v *valueReader) read(ctx context.Context, o render.HelmOptions) (map[string]any, error) {
	base := map[string]any{}
	for _, name := range o.ValuesFiles {
		data, err := v.file(ctx, name)
		if err != nil {
			return nil, err
		}
		if base, err = v.overlay(base, name, data); err != nil {
			return nil, err
		}
		v.found = append(v.found, findTwice(data, inFile(name))...)
	}
	for _, inline := range o.Values {
		if inline.Table != nil {
			base = sets.Merge(base, cloneValues(inline.Table))
			continue
		}
		var err error
		if base, err = v.overlay(base, inline.Name, inline.Text); err != nil {
			return nil, err
		}
		v.found = append(v.found, findTwice(inline.Text, inText(inline.Name))...)
	}
	reader := sets.Reader{Version: v.version, File: func(path string) (string, error) {
		data, err := v.file(ctx, path)
		return string(data), err
	}}
	return base, reader.Lay(&o, base)
}

// file reads a file that the user named: "-" is standard input, and a URL is fetched where the network is allowed.
func (v *valueReader) file(ctx context.Context, name string) ([]byte, error) {
	if strings.TrimSpace(name) == "-" {
		data, err := io.ReadAll(v.stdin)
		if err != nil {
			return nil, diag.Input(diag.Position{File: "-"}, fmt.Errorf("read values: %w", err), "")
		}
		return data, nil
	}
	if isAddress(name) {
		return v.fetch(ctx, name)
	}
	data, err := v.open(name)
	if err != nil {
		hint := ""
		if errors.Is(err, fs.ErrNotExist) {
			hint = "The path begins in the working folder: of a file of the chart it has the chart's folder in front."
		}
		return nil, diag.Input(diag.Position{File: name}, fmt.Errorf("read values: %w", files.Cause(err)), hint)
	}
	if abs, err := filepath.Abs(name); err == nil {
		v.paths = append(v.paths, abs)
	}
	return data, nil
}

// open reads a file that may be a pipe.
func (v *valueReader) open(name string) ([]byte, error) {
	f, err := files.Open(v.system, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read from
	return io.ReadAll(f)
}

// overlay lays a text of values over base; with Helm 4, one document of it after the other.
func (v *valueReader) overlay(base map[string]any, name string, text []byte) (map[string]any, error) {
	if v.version != config.Helm4 {
		return overlay(base, name, text)
	}
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(append(slices.Clip(text), '\n'))))
	for {
		one, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return base, nil
		}
		if err == nil {
			base, err = overlay(base, name, one)
		}
		if err != nil {
			return nil, err
		}
	}
}

// overlay lays a document of values over base.
func overlay(base map[string]any, name string, text []byte) (map[string]any, error) {
	layer := map[string]any{}
	if err := yaml.Unmarshal(text, &layer); err != nil {
		return nil, unreadable(name, text, fmt.Errorf("parse values: %w", yamlCause(err, "a mapping")), yamlLine(err))
	}
	return sets.Merge(base, layer), nil
}

func (v *valueReader) fetch(ctx context.Context, address string) ([]byte, error) {
	shown := redact.URL(address)
	if !v.network {
		return nil, &diag.Error{Exit: diag.ExitSource, Pos: diag.Position{File: shown},
			Err:  errors.New("read values: the network is not allowed"),
			Hint: "Fetch the file first, or allow the network with --allow network."}
	}
	data, err := get(ctx, address)
	if err != nil {
		return nil, diag.Source(fmt.Errorf("fetch values %s: %w", shown, err), network.Hint(err, ""))
	}
	return data, nil
}
