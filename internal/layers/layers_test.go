// Package layers holds the plan of the architecture: which package may import which. It is only a test.
package layers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/rollstamp/rollstamp"

// layers is the layer of each package at the top. A package imports only from lower layers; a folder in a package
// imports the package above it and the folders inside it, and folders of one package do not import each other
// otherwise. Numbers may be left out.
var layers = map[string]int{
	"cmd/rollstamp":        12,
	"cmd/rollstamp-stores": 12,
	"report":               11,
	"wiring":               11,
	"migrate":              11,
	"inventory":            10,
	"diff":                 10,
	"check":                10,
	"diff/sides":           11,
	"fleet":                9,
	"pipeline":             8,
	"stamp":                7,
	"shape":                7,
	"argocd":               7,
	"argocd/plugin":        10,
	"argocd/appset":        10,
	"argocd/rounds":        11,
	"argocd/server":        9,
	"flux/metadata":        6,
	"flux/objects":         7,
	"flux/release":         8,
	"flux/patches":         7,
	"flux/substitute":      7,
	"flux/lint":            8,
	"flux/artifact":        7,
	"flux/values":          8,
	"flux/rounds":          11,
	"flux/publish":         9,
	"flux/build":           8,
	"policy":               6,
	"compat":               6,
	"protect":              6,
	"app":                  5,
	"plan":                 5,
	"workspace":            3,
	"render":               4,
	"rendercache":          3,

	"render/kustomize/output": 3,

	"refs":              3,
	"sources/objects":   4,
	"sources/stores":    4,
	"sources/decrypt":   4,
	"sources/remote":    4,
	"sources/lock":      4,
	"sources/canonical": 3,
	"sources":           1,
	"hashing":           3,
	"krm":               4,
	"splice":            3,
	"manifest":          2,
	"config":            2,
	"git":               2,
	"diag":              0,
	"redact":            0,
	"files":             0,
	// What serves any layer lies below those who use it.
	"internal/fault":     2,
	"internal/reference": 1,
	"internal/gc":        0,
	"internal/network":   1,
	"internal/login":     0,
	"internal/memory":    0,
	"internal/contain":   0,
	"internal/workers":   3,
	"internal/companion": 0,
}

// builders are programs and test tools: nothing imports them, and they import what they like.
var builders = []string{"bench", "internal/docs", "internal/extend", "internal/layers", "internal/schematest", "internal/stock", "tools", "testdata"}

// labelSelectors is Kubernetes' reader of label selectors with what it imports: it has no client and no types of
// objects, so that what reads and judges manifests may share the one meaning of a selector.
var labelSelectors = []string{
	"k8s.io/apimachinery/pkg/labels",
	"k8s.io/apimachinery/pkg/selection",
	"k8s.io/apimachinery/pkg/api/validate/constraints",
	"k8s.io/apimachinery/pkg/api/validate/content",
	"k8s.io/apimachinery/pkg/util/errors",
	"k8s.io/apimachinery/pkg/util/sets",
	"k8s.io/apimachinery/pkg/util/validation",
	"k8s.io/apimachinery/pkg/util/validation/field",
	"k8s.io/klog/v2",
	"k8s.io/utils",
}

// forbidden lists what a package must never reach, through whatever it imports; but for what is excepted.
var forbidden = []struct {
	from   []string
	paths  []string
	except []string // with what lies below them
	why    string
}{
	{
		[]string{"diag", "redact", "config", "hashing", "refs", "sources", "sources/objects", "sources/lock", "plan", "policy", "stamp", "splice", "manifest"},
		[]string{"helm.sh/", "sigs.k8s.io/kustomize/", "k8s.io/", "github.com/go-git/"},
		labelSelectors,
		"what reads and judges manifests stays free of engines and clients",
	},
	{
		// Kubernetes' types say when two pod templates are one; they bring no client.
		[]string{"diff", "report"},
		[]string{"helm.sh/", "sigs.k8s.io/kustomize/", "k8s.io/client-go", "k8s.io/kubernetes", "github.com/go-git/"},
		nil,
		"what reads and judges manifests stays free of engines and clients",
	},
	{
		[]string{"pipeline"},
		[]string{module + "/render/helm", module + "/render/kustomize", "helm.sh/"},
		nil,
		"only wiring and the commands know the engines",
	},
	{
		[]string{"cmd/rollstamp"},
		[]string{
			"helm.sh/helm/v3/pkg/action", "k8s.io/kubectl", "k8s.io/cli-runtime",
			"github.com/aws/", "cloud.google.com/", "github.com/Azure/", "github.com/hashicorp/vault",
		},
		nil,
		"they cost start-up time and size, or ask for a cluster or a cloud",
	},
	{
		[]string{"cmd/rollstamp", "cmd/rollstamp-stores", "render"},
		[]string{"helm.sh/helm/v4"},
		nil,
		"it has a program of its own, in a module of its own",
	},
}

type pkg struct {
	ImportPath string
	Imports    []string
}

// graph asks the go tool for all packages of the module and everything that they import.
func graph(t *testing.T) map[string][]string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports", "./...")
	cmd.Dir, cmd.Stderr = "../..", &stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	imports := map[string][]string{}
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return imports
		} else if err != nil {
			t.Fatal(err)
		}
		imports[p.ImportPath] = p.Imports
	}
}

// top returns the package of the table that a package of the module lies in, or "".
func top(importPath string) string {
	rel, own := strings.CutPrefix(importPath, module+"/")
	for ; own && rel != "."; rel = path.Dir(rel) {
		if _, ok := layers[rel]; ok {
			return rel
		}
	}
	return ""
}

func builder(importPath string) bool {
	rel := strings.TrimPrefix(importPath, module+"/")
	return slices.ContainsFunc(builders, func(b string) bool { return rel == b || strings.HasPrefix(rel, b+"/") })
}

func TestEveryPackageImportsFromLowerLayersOnly(t *testing.T) {
	t.Parallel()
	seen := 0
	for from, imports := range graph(t) {
		if !strings.HasPrefix(from, module+"/") || builder(from) {
			continue
		}
		seen++
		if top(from) == "" {
			t.Errorf("%s lies in no package of the table", from)
			continue
		}
		for _, to := range imports {
			if strings.HasPrefix(to, module+"/") && !mayImport(from, to) {
				t.Errorf("%s (%s, layer %d) imports %s (%s, layer %d)", from, top(from), layers[top(from)], to, top(to), layers[top(to)])
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d packages were looked at", seen)
	}
}

func mayImport(from, to string) bool {
	if builder(to) || top(to) == "" {
		return false
	}
	if top(from) == top(to) {
		root := module + "/" + top(to)
		return to == root || from != root && strings.HasPrefix(to, from+"/")
	}
	return layers[top(to)] < layers[top(from)]
}

func TestTheRuleForbidsWhatItShould(t *testing.T) {
	t.Parallel()
	cases := []struct {
		from, to string
		want     bool
	}{
		{"stamp", "hashing", true},
		{"hashing", "stamp", false},
		{"refs", "hashing", false},
		{"render/helm", "render", true},
		{"render/kustomize", "render/helm", false},
		{"render/kustomize", "render/kustomize/edit", true},
		{"render/kustomize/edit", "render/kustomize", false},
		{"render/kustomize/edit", "render/kustomize/overlay", false},
		{"render", "render/helm", false},
		{"render/helm", "render/helm/determinism", true},
		{"render/kustomize", "render/helm/determinism", false},
		{"diag", "internal/stock", false},
		{"cmd/rollstamp", "report", true},
	}
	for _, c := range cases {
		if got := mayImport(module+"/"+c.from, module+"/"+c.to); got != c.want {
			t.Errorf("%s may import %s: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

func TestNoPackageReachesWhatIsForbiddenToIt(t *testing.T) {
	t.Parallel()
	imports := graph(t)
	for _, rule := range forbidden {
		for _, name := range rule.from {
			root := module + "/" + name
			if _, ok := imports[root]; !ok {
				continue // it has no package of its own
			}
			if chain := reach(imports, root, rule.paths, rule.except); chain != nil {
				t.Errorf("%s\n(%s)", strings.Join(chain, "\n  imports "), rule.why)
			}
		}
	}
}

// isBelow reports whether a package is at or below one of the paths.
func isBelow(at string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(at+"/", strings.TrimSuffix(p, "/")+"/") })
}

// reach returns the shortest way from root to a package at or below one of the prefixes, but for the exceptions, or
// nil.
func reach(imports map[string][]string, root string, prefixes, except []string) []string {
	via := map[string]string{root: ""}
	for queue := []string{root}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at != root && isBelow(at, prefixes) && !isBelow(at, except) {
			var chain []string
			for ; at != ""; at = via[at] {
				chain = append(chain, at)
			}
			slices.Reverse(chain)
			return chain
		}
		for _, to := range imports[at] {
			if _, ok := via[to]; !ok {
				via[to] = at
				queue = append(queue, to)
			}
		}
	}
	return nil
}

func TestReachFindsTheWayToAForbiddenPackage(t *testing.T) {
	t.Parallel()
	imports := map[string][]string{"a": {"b", "c"}, "b": {"d"}, "c": {"x/helm-like"}, "d": {"x/helm/pkg"}}
	if chain := reach(imports, "a", []string{"x/helm"}, nil); strings.Join(chain, " ") != "a b d x/helm/pkg" {
		t.Errorf("the way is %q", chain)
	}
	if chain := reach(imports, "c", []string{"x/helm"}, nil); chain != nil {
		t.Errorf("a way that is none: %q", chain)
	}
	if chain := reach(imports, "a", []string{"x/helm"}, []string{"x/helm/pkg"}); chain != nil {
		t.Errorf("a way to what is excepted: %q", chain)
	}
	if chain := reach(imports, "a", []string{"x/helm"}, []string{"x/helm/pk"}); chain == nil {
		t.Error("half a name excepts a package")
	}
}
