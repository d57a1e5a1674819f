package sops

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"github.com/getsops/sops/v3"
	"github.com/getsops/sops/v3/stores"
	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/redact"
)

// object is what the document is, for errors; its fields are clear or the ciphertext that stands there.
type object struct{ kind, namespace, name string }

func (o object) String() string {
	if o.kind == "" {
		return ""
	}
	return manifest.Describe(o.kind, o.namespace, o.name)
}

// read returns the document as SOPS's own reader of YAML has it, but for comments. That reader is not linked because it
// brings the SDKs of stores that SOPS can publish to.
func read(doc []byte) (sops.TreeBranch, object, error) {
	d := yaml.NewDecoder(bytes.NewReader(doc))
	var node, more yaml.Node
	if err := d.Decode(&node); err != nil || len(node.Content) == 0 || node.Content[0].Kind != yaml.MappingNode {
		return nil, object{}, ErrFormat
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, object{}, fmt.Errorf("several documents at once: %w", ErrFormat)
	}
	// Decoding into a value finds what the tree of nodes does not: keys that stand twice, aliases that grow without
	// bound.
	if err := node.Decode(new(map[string]any)); err != nil {
		return nil, object{}, fmt.Errorf("a key stands twice, or an alias cannot be followed: %w", ErrFormat)
	}
	branch, ok := value(node.Content[0]).(sops.TreeBranch)
	if !ok {
		return nil, object{}, ErrFormat
	}
	return branch, identify(branch), nil
}

func value(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		branch := sops.TreeBranch{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			branch = append(branch, sops.TreeItem{Key: value(n.Content[i]), Value: value(n.Content[i+1])})
		}
		return branch
	case yaml.SequenceNode:
		items := []any{}
		for _, item := range n.Content {
			items = append(items, value(item))
		}
		return items
	case yaml.AliasNode:
		return value(n.Alias)
	}
	var scalar any
	if err := n.Decode(&scalar); err != nil {
		return nil
	}
	return scalar
}

func identify(b sops.TreeBranch) object {
	text := func(b sops.TreeBranch, key string) string {
		s, _ := get(b, key).(string)
		return s
	}
	meta, _ := get(b, "metadata").(sops.TreeBranch)
	return object{text(b, "kind"), text(meta, "namespace"), text(meta, "name")}
}

func get(b sops.TreeBranch, key string) any {
	for _, item := range b {
		if item.Key == key {
			return item.Value
		}
	}
	return nil
}

// metadata splits the field sops off and reads it.
func metadata(b sops.TreeBranch) (sops.Tree, error) {
	if _, ok := get(b, stores.SopsMetadataKey).(sops.TreeBranch); !ok {
		return sops.Tree{}, fmt.Errorf("no field sops: %w", ErrFormat)
	}
	branches, m, err := stores.ExtractMetadata(sops.TreeBranches{b},
		stores.MetadataOpts{Flatten: stores.MetadataFlattenNone})
	if err != nil {
		return sops.Tree{}, fmt.Errorf("the field sops: %w", ErrFormat)
	}
	if m.EncryptedCommentRegex != "" || m.UnencryptedCommentRegex != "" {
		return sops.Tree{}, fmt.Errorf("comments that say what is encrypted are lost in a render: %w", ErrFormat)
	}
	return sops.Tree{Branches: branches, Metadata: m}, nil
}

// content returns what a container reads of a decrypted Secret or ConfigMap.
func content(b sops.TreeBranch, kind string) (map[string]redact.Secret, error) {
	out := map[string]redact.Secret{}
	fields := []struct {
		name   string
		base64 bool
	}{{"data", false}, {"binaryData", true}}
	if kind == "Secret" {
		fields[0].base64, fields[1].name, fields[1].base64 = true, "stringData", false
	}
	for _, f := range fields {
		values, ok := get(b, f.name).(sops.TreeBranch)
		if !ok && get(b, f.name) != nil {
			return nil, fmt.Errorf("%s is not a mapping: %w", f.name, ErrContent)
		}
		for _, item := range values {
			key, ok := item.Key.(string)
			if !ok {
				continue // a comment
			}
			text, ok := item.Value.(string)
			if !ok && item.Value != nil {
				return nil, fmt.Errorf("the value of key %q in %s is not a string: %w", key, f.name, ErrContent)
			}
			plain := []byte(text)
			if f.base64 {
				var err error
				if plain, err = base64.StdEncoding.DecodeString(text); err != nil {
					return nil, fmt.Errorf("the value of key %q in %s is not base64: %w", key, f.name, ErrContent)
				}
			}
			out[key] = redact.New(plain)
		}
	}
	return out, nil
}
