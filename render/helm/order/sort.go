// Package order brings the documents of rendered templates into the order in which helm template prints them.
package order

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	helmrelease "helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/releaseutil"
)

// Document is one document of a rendered template, with what Helm's order depends on.
type Document struct {
	Template string // as in "# Source: "
	Text     string
	Head     Head
	rank     int
	alone    bool // it stays one document in a stream
}

// Sorted is what a render prints, in helm's order.
type Sorted struct {
	Manifests, Hooks []Document
	Skipped          []Document // hooks of a kind that helm does not know, which it leaves out
}

// ParseError is a rendered document that is not the YAML of an object.
type ParseError struct {
	Template string
	Err      error // the YAML library's
}

// Error leaves the cause out: it may quote the document.
func (e *ParseError) Error() string { return "parse rendered YAML of " + e.Template }

func (e *ParseError) Unwrap() error { return e.Err }

// Sort orders the documents of the rendered templates, by their names, as releaseutil.SortManifests does: by kind and
// otherwise as they came, hooks apart. Its error is a *ParseError. Helm's own unmarshals every whole document, which is
// nearly all its time.
func Sort(files map[string]string) (*Sorted, error) {
	docs := documents(files)
	if err := readHeads(docs); err != nil {
		return nil, err
	}
	ranks := kindRanks()
	out := &Sorted{}
	for _, d := range docs {
		var known bool
		if d.rank, known = ranks[d.Head.Kind]; !known {
			d.rank = len(ranks)
		}
		switch {
		case !d.Head.hook:
			out.Manifests = append(out.Manifests, d)
		case d.Head.unknownEvent():
			out.Skipped = append(out.Skipped, d)
		default:
			out.Hooks = append(out.Hooks, d)
		}
	}
	slices.SortStableFunc(out.Manifests, compareKinds)
	slices.SortStableFunc(out.Hooks, compareKinds)
	return out, nil
}

// documents returns the documents of all templates but partials, in the order of the templates' paths.
func documents(files map[string]string) []Document {
	var docs []Document
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if text := files[name]; !strings.HasPrefix(path.Base(name), "_") && strings.TrimSpace(text) != "" {
			Split(text, func(doc string) { docs = append(docs, Document{Template: name, Text: doc}) })
		}
	}
	return docs
}

// kindRanks returns the positions of kinds in the order of installation.
func kindRanks() map[string]int {
	ranks := make(map[string]int, len(releaseutil.InstallOrder))
	for i, kind := range releaseutil.InstallOrder {
		ranks[kind] = i
	}
	return ranks
}

// compareKinds puts known kinds first, in Helm's order of installation, and the others after them by name.
func compareKinds(a, b Document) int {
	if a.rank != b.rank || a.rank < len(releaseutil.InstallOrder) {
		return cmp.Compare(a.rank, b.rank)
	}
	return strings.Compare(a.Head.Kind, b.Head.Kind)
}

// Head is what Helm reads of a document to order it.
type Head struct {
	Kind   string
	hook   bool
	Events string // the hook annotation's value
}

// unknownEvent reports whether one of the hook's events is none of Helm's.
func (h Head) unknownEvent() bool {
	for e := range strings.SplitSeq(h.Events, ",") {
		if !hookEvents[strings.ToLower(strings.TrimSpace(e))] {
			return true
		}
	}
	return false
}

// IsTest reports whether the hook is a test, which --skip-tests leaves out.
func (h Head) IsTest() bool {
	for e := range strings.SplitSeq(h.Events, ",") {
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
