package output

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

func factory() *resource.Factory { return provider.NewDepProvider().GetResourceFactory() }

func TestShortPrintEqualsAsYAMLOnEveryFixture(t *testing.T) {
	short := 0
	err := filepath.WalkDir("../../../testdata/kustomizations", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rs, err := factory().SliceFromBytes(b)
		if err != nil {
			return nil // no resources
		}
		for _, r := range rs {
			short += equalsAsYAML(t, path, r)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if short < 30 {
		t.Errorf("only %d resources took the short way", short)
	}
}

func TestShortPrintEqualsAsYAMLOnRandomNodes(t *testing.T) {
	g := nodeMaker{rand.New(rand.NewPCG(1, 2))}
	short := 0
	for range 20_000 {
		r := resourceOf(t, g.mapping(3))
		short += equalsAsYAML(t, "random", r)
	}
	if short < 2_000 {
		t.Errorf("only %d resources took the short way", short)
	}
}

// FuzzShortPrint reads resources as kustomize does.
func FuzzShortPrint(f *testing.F) {
	f.Add("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: |\n    b\n   \n  # c\n  d: >-\n    e\n     f\n")
	f.Add("apiVersion: v1\nkind: A\nmetadata:\n  name: a # b\nspec: [1, 0x1, 1.0, ~, '', \"\\u0085\", !!str 1, &x y, *x]\n")
	f.Add("apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec:\n- |+\n  kept\n\n# below\n")
	f.Fuzz(func(t *testing.T, text string) {
		rs, err := factory().SliceFromBytes([]byte(text))
		if err != nil {
			return
		}
		for _, r := range rs {
			equalsAsYAML(t, text, r)
		}
	})
}

// equalsAsYAML returns 1 where the resource takes the short way.
func equalsAsYAML(t *testing.T, from string, r *resource.Resource) int {
	t.Helper()
	if _, ok := plainResource(r); !ok {
		return 0
	}
	want, err := r.AsYAML()
	if err != nil {
		t.Fatalf("%s: AsYAML refuses what the short way prints: %v\n%s", from, err, r.MustString())
	}
	got, err := PrintOne(r)
	if err != nil {
		t.Fatalf("%s: %v", from, err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%s: short way\n%s\nAsYAML\n%s", from, got, want)
	}
	return 1
}

func resourceOf(t *testing.T, n *yaml.Node) *resource.Resource {
	t.Helper()
	r, err := factory().FromMap(map[string]any{"apiVersion": "v1", "kind": "A", "metadata": map[string]any{"name": "a"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.SetMapField(yaml.NewRNode(n), "spec"); err != nil {
		t.Fatal(err)
	}
	return r
}

// nodeMaker returns nodes such as parsing and kustomize's setters leave, and some that they should not.
type nodeMaker struct{ *rand.Rand }

var (
	someTags = []string{
		"",
		"",
		yaml.NodeTagString,
		yaml.NodeTagString,
		yaml.NodeTagInt,
		yaml.NodeTagBool,
		yaml.NodeTagNull,
		yaml.NodeTagFloat,
	}
	someStyles = []yaml.Style{
		0,
		0,
		yaml.DoubleQuotedStyle,
		yaml.SingleQuotedStyle,
		yaml.LiteralStyle,
		yaml.FoldedStyle,
		yaml.TaggedStyle,
	}
	someWords = []string{
		"a", "yes", "No", "on", "y", "true", "True", "null", "~", "", "0", "-0", "007", "0o7", "12", "-5", "1_000", "123456789012345678",
		"1.5", "1e3", ".5", ".inf", "+1", "1:30", "2024-01-01", "2024-01-01T00:00:00Z", "<<", "=", "- a", "a: b", "a #b", "#c", "%d", "@x",
		" lead", "trail ", "in  side", "tab\tbed", "line\n", "two\nlines", "two\n\nlines\n", "\nfirst", " lead\nline", "blank \nend", "a\n  b\n",
		"end\n\n", "'", "\"", "\\", "é", "snow ☃", "😀", "\u00a0", "\u2028", "\ufeff", "\u0085", "\x7f", "\r", "{", "[a]", "a,b", "!x", "&a", "*b", "?", "? a",
		"|", ">", "---", "...", "--- a", strings.Repeat("long words ", 20), strings.Repeat("x", 200), strings.Repeat("wide, ", 30) + "\nend",
	}
	someComments = []string{"", "", "", "", "# note", "# two\n# lines", "# gap\n\n# after"}
)

func pick[T any](g nodeMaker, from []T) T { return from[g.IntN(len(from))] }

func (g nodeMaker) node(depth int) *yaml.Node {
	switch k := g.IntN(6); {
	case depth > 0 && k == 0:
		return g.mapping(depth - 1)
	case depth > 0 && k == 1:
		n := g.comment(
			&yaml.Node{Kind: yaml.SequenceNode, Tag: yaml.NodeTagSeq, Style: pick(g, []yaml.Style{0, 0, yaml.FlowStyle})},
		)
		for range g.IntN(4) {
			n.Content = append(n.Content, g.node(depth-1))
		}
		return n
	default:
		return g.comment(g.scalar())
	}
}

func (g nodeMaker) scalar() *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: pick(g, someWords), Tag: pick(g, someTags), Style: pick(g, someStyles)}
	if g.IntN(2) == 0 { // as a parser would have read it
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(n.Value), &doc); err == nil && len(doc.Content) == 1 &&
			doc.Content[0].Kind == yaml.ScalarNode {
			return doc.Content[0]
		}
	}
	return n
}

func (g nodeMaker) mapping(depth int) *yaml.Node {
	n := g.comment(&yaml.Node{Kind: yaml.MappingNode, Tag: pick(g, []string{"", yaml.NodeTagMap}), Style: pick(g, []yaml.Style{0, 0, yaml.FlowStyle})})
	for range g.IntN(4) {
		n.Content = append(n.Content, g.comment(g.scalar()), g.node(depth))
	}
	return n
}

func (g nodeMaker) comment(n *yaml.Node) *yaml.Node {
	if g.IntN(8) == 0 {
		n.HeadComment = pick(g, someComments)
		n.LineComment = pick(g, someComments)
		n.FootComment = pick(g, someComments)
	}
	return n
}
