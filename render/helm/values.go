package helm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/strvals"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/internal/network"
	"github.com/rollstamp/rollstamp/redact"
	"github.com/rollstamp/rollstamp/render"
)

// valueReader makes the user's values out of -f, --set and their relatives, in helm's order of precedence.
type valueReader struct {
	stdin   io.Reader
	system  files.System
	network bool
	version config.HelmVersion // whose rules count
	paths   []string           // files that were read
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
	}
	for _, inline := range o.Values {
		if inline.Table != nil {
			base = merge(base, cloneValues(inline.Table))
			continue
		}
		var err error
		if base, err = v.overlay(base, inline.Name, inline.Text); err != nil {
			return nil, err
		}
	}
	asText := func(path []rune) (any, error) {
		data, err := v.file(ctx, string(path))
		return string(data), err
	}
	for _, group := range []struct {
		flag   string
		values []string
		into   func(value string, base map[string]any) error
	}{
		{"--set-json", o.SetJSON, v.setJSON},
		{"--set", o.Set, strvals.ParseInto},
		{"--set-string", o.SetString, strvals.ParseIntoString},
		{"--set-file", o.SetFile, func(s string,
			base map[string]any) error {
			return strvals.ParseIntoFile(s, base, asText)
		}},
		{"--set-literal", o.SetLiteral, strvals.ParseLiteralInto},
	} {
		for _, value := range group.values {
			if err := group.into(value, base); err != nil {
				return nil, setError(group.flag, value, err)
			}
		}
	}
	return base, nil
}

// setJSON sets KEY=JSON or, with Helm 4, all that a JSON object has.
func (v *valueReader) setJSON(value string, base map[string]any) error {
	if trimmed := strings.TrimSpace(value); v.version == config.Helm4 && strings.HasPrefix(trimmed, "{") {
		var object map[string]any
		if err := json.Unmarshal([]byte(trimmed), &object); err != nil {
			return err
		}
		maps.Copy(base, merge(base, object))
		return nil
	}
	return strvals.ParseJSON(value, base)
}

// setError returns what is wrong with a --set of any kind without its value: strvals takes what follows an unescaped
// comma for a key, and puts it into the error.
func setError(flag, value string, err error) error {
	var d *diag.Error
	if errors.As(err, &d) {
		return err
	}
	key, _, _ := strings.Cut(value, "=")
	key, _, _ = strings.Cut(key, ",")
	cause := "helm cannot parse it"
	switch msg := err.Error(); {
	case strings.Contains(msg, "has no value"):
		cause = "a key has no value"
	case errors.Is(err, strvals.ErrNotList), strings.Contains(msg, "index"):
		cause = "an index does not fit"
	}
	return diag.Usage(fmt.Errorf("parse %s %s=...: %s", flag, key, cause),
		`Write "\," for a comma in a value, and "\." for a dot in a key.`)
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
	if u, err := url.Parse(name); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		return v.fetch(ctx, u)
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
		return nil, diag.Input(diag.Position{File: name, Line: yamlLine(err)},
			fmt.Errorf("parse values: %w", yamlCause(err)), "")
	}
	return merge(base, layer), nil
}

// merge lays b over a: mappings are merged, everything else is replaced. Neither argument is changed.
func merge(a, b map[string]any) map[string]any {
	out := make(map[string]any, len(a)+len(b))
	for k, v := range a {
		out[k] = v
	}
	for k, v := range b {
		under, isMap := out[k].(map[string]any)
		if over, ok := v.(map[string]any); ok && isMap {
			v = merge(under, over)
		}
		out[k] = v
	}
	return out
}

func (v *valueReader) fetch(ctx context.Context, u *url.URL) ([]byte, error) {
	shown := redact.URL(u.String())
	if !v.network {
		return nil, diag.Input(diag.Position{File: shown}, errors.New("read values: the network is not allowed"),
			"Fetch the file first, or allow the network with --allow network.")
	}
	data, err := get(ctx, u.String())
	if err != nil {
		return nil, diag.Source(fmt.Errorf("fetch values %s: %w", shown, err), network.Hint(err, ""))
	}
	return data, nil
}
