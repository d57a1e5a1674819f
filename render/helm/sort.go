package helm

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	helmrelease "helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/releaseutil"
)

// document is one document of a rendered template, with what helm's order needs to know of it.
type document struct {
	template string // as in "# Source: "
	text     string
	head     head
	rank     int
	alone    bool // it stays one document in a stream
}

// sorted is what a render prints, in helm's order.
type sorted struct {
	manifests, hooks []document
	skipped          []document // hooks of a kind that helm does not know, which it leaves out
}

// sortRendered orders the documents of the rendered templates as releaseutil.SortManifests does, by kind and otherwise as
// they came, and tells hooks apart. Helm's own unmarshals every whole document, which is nearly all its time.
func sortRendered(files map[string]string) (*sorted, error) {
	docs := documents(files)
	if err := readHeads(docs); err != nil {
		return nil, err
	}
	ranks := kindRanks()
	out := &sorted{}
	for _, d := range docs {
		var known bool
		if d.rank, known = ranks[d.head.kind]; !known {
			d.rank = len(ranks)
		}
		switch {
		case !d.head.hook:
			out.manifests = append(out.manifests, d)
		case d.head.unknownEvent():
			out.skipped = append(out.skipped, d)
		default:
			out.hooks = append(out.hooks, d)
		}
	}
	slices.SortStableFunc(out.manifests, byKind)
	slices.SortStableFunc(out.hooks, byKind)
	return out, nil
}

// documents returns the documents of all templates but partials, in the order of the templates' paths.
func documents(files map[string]string) []document {
	var docs []document
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if text := files[name]; !strings.HasPrefix(path.Base(name), "_") && strings.TrimSpace(text) != "" {
			splitDocuments(text, func(doc string) { docs = append(docs, document{template: name, text: doc}) })
		}
	}
	return docs
}

func kindRanks() map[string]int {
	ranks := make(map[string]int, len(releaseutil.InstallOrder))
	for i, kind := range releaseutil.InstallOrder {
		ranks[kind] = i
	}
	return ranks
}

// byKind puts known kinds first, in helm's order of installation, and the others behind them by name.
func byKind(a, b document) int {
	if a.rank != b.rank || a.rank < len(releaseutil.InstallOrder) {
		return cmp.Compare(a.rank, b.rank)
	}
	return strings.Compare(a.head.kind, b.head.kind)
}

// head is what a document says of itself at its beginning.
type head struct {
	kind   string
	hook   bool
	events string // the hook annotation's value
}

func (h head) unknownEvent() bool {
	for e := range strings.SplitSeq(h.events, ",") {
		if !hookEvents[strings.ToLower(strings.TrimSpace(e))] {
			return true
		}
	}
	return false
}

// isTest reports whether the hook is a test, which --skip-tests leaves out.
func (h head) isTest() bool {
	for e := range strings.SplitSeq(h.events, ",") {
		if e = strings.ToLower(strings.TrimSpace(e)); e == string(helmrelease.HookTest) || e == testSuccess {
			return true
		}
	}
	return false
}

// testSuccess is Helm 2's word for a test.
const testSuccess = "test-success"

var hookEvents = map[string]bool{
	string(helmrelease.HookPreInstall): true, string(helmrelease.HookPostInstall): true,
	string(helmrelease.HookPreDelete): true, string(helmrelease.HookPostDelete): true,
	string(helmrelease.HookPreUpgrade): true, string(helmrelease.HookPostUpgrade): true,
	string(helmrelease.HookPreRollback): true, string(helmrelease.HookPostRollback): true,
	string(helmrelease.HookTest): true, testSuccess: true,
}
