// Package krm speaks with hosts of KRM functions, as kustomize and kpt are: ResourceLists come in and go out, with
// every byte that is not to be changed as it was.
package krm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// group and listKind are those of ResourceLists.
const (
	group    = "config.kubernetes.io/"
	listKind = "ResourceList"
)

// versions are those of ResourceLists that are read. They differ in nothing that we read or write.
var versions = []string{"v1", "v1beta1"}

// List is a ResourceList that a host hands to a function.
type List struct {
	document *manifest.Document
	items    []item
	ends     []int            // of the lines, once they were asked for
	names    map[string][]int // places of items by their kinds and names, once they were asked for
}

// item is one of the objects that the function is to work on.
type item struct {
	manifest.Object
	end int // in the text, 0 where that is not known
}

// The next steps after input that no host prints.
const (
	hintHost  = "A host of functions makes it, such as kustomize or kpt; 'rollstamp stamp' reads manifests."
	hintItems = "Want a list of objects below items, as a host of functions hands them over; a function before this one " +
		"may have printed it otherwise."
	hintTwice = "Hosts would keep one of the two: make them one."
)

// Parse reads a ResourceList. An error has the line in the text.
func Parse(text []byte) (*List, error) {
	document, err := manifest.Parse(text)
	if malformed := new(diag.Error); errors.As(err, &malformed) {
		here := *malformed
		here.Pos.File = "-"
		return nil, &here
	} else if err != nil {
		return nil, diag.Input(diag.Position{}, errors.New("read a ResourceList: there are several documents"), hintHost)
	}
	l := &List{document: document}
	root := document.Root()
	if err := l.checkType(root); err != nil {
		return nil, err
	}
	if err := l.checkKeys(root); err != nil {
		return nil, err
	}
	list := root.Get("items")
	if list.Valid() && !list.IsSeq() && list.Type() != manifest.Null {
		return nil, l.fail(list, errors.New("read a ResourceList: items is no list"), hintItems)
	}
	at := 0
	for n := range list.Items() {
		if err := l.addItem(n, at); err != nil {
			return nil, err
		}
		at++
	}
	return l, l.checkIDs()
}

func (l *List) checkType(root manifest.Node) error {
	if kind := root.Get("kind").StringValue(); kind != listKind {
		return l.fail(root, errors.New("read a ResourceList: the input is none"), hintHost)
	}
	apiVersion := root.Get("apiVersion").StringValue()
	version, ok := strings.CutPrefix(apiVersion, group)
	if ok && slices.Contains(versions, version) {
		return nil
	}
	return l.fail(root.Get("apiVersion"), fmt.Errorf("read a ResourceList: its version is %s", diag.Quote(apiVersion)),
		"Known are "+group+strings.Join(versions, " and "+group)+".")
}

// checkKeys looks for a key of the list itself that is written twice. Hosts keep one of the two in silence, and with
// the other one objects would be gone.
func (l *List) checkKeys(root manifest.Node) error {
	key := repeatedKey(root)
	if !key.Valid() {
		return nil
	}
	return l.fail(key, fmt.Errorf("read a ResourceList: %s is written twice", diag.Quote(key.Text())), hintTwice)
}

// repeatedKey returns the second of two entries of a mapping that have one key; an invalid Node where there are none.
func repeatedKey(n manifest.Node) manifest.Node {
	seen := map[string]bool{}
	for key := range n.Entries() {
		if seen[key.Text()] {
			return key
		}
		seen[key.Text()] = true
	}
	return manifest.Node{}
}

// addItem takes the item at a place in the list, the first one being 0.
func (l *List) addItem(n manifest.Node, at int) error {
	if isOtherFile(n) {
		return nil
	}
	if !n.IsMap() || n.Get("kind").StringValue() == "" || n.Get("apiVersion").StringValue() == "" {
		return l.fail(n, fmt.Errorf("read a ResourceList: item %d has no kind and apiVersion", at), hintItems)
	}
	meta := n.Get("metadata")
	l.items = append(l.items, item{end: n.End(), Object: manifest.Object{
		Node: n, APIVersion: n.Get("apiVersion").StringValue(), Kind: n.Get("kind").StringValue(),
		Name: meta.Get("name").StringValue(), Namespace: meta.Get("namespace").StringValue(),
	}})
	return nil
}

// isOtherFile reports whether an item is what a host read from a file that holds no object, such as a
// kustomization.yaml without a kind or a chart's values: hosts hand over all YAML of a folder.
// It stays in the list as it is.
func isOtherFile(n manifest.Node) bool {
	if !n.IsMap() || n.Get("kind").Valid() || n.Get("apiVersion").Valid() {
		return false
	}
	i := item{Object: manifest.Object{Node: n}}
	return i.annotation(pathAnnotations) != ""
}

// checkIDs looks for two items with one id: hosts know by it which object they handed out has come back.
func (l *List) checkIDs() error {
	seen := map[string]*item{}
	for i := range l.items {
		id := l.items[i].annotation(idAnnotations)
		if first := seen[id]; id != "" && first != nil {
			err := fmt.Errorf("read a ResourceList: %s and %s both have the id %s", first, l.items[i], diag.Quote(id))
			return l.fail(l.items[i].Node, err, "An object with the host's annotations was copied: remove them from the copy.")
		}
		seen[id] = &l.items[i]
	}
	return nil
}

// fail returns an error about a line of the list.
func (l *List) fail(n manifest.Node, err error, hint string) error {
	return diag.Input(diag.Position{File: "-", Line: l.lineOf(n.Offset())}, err, hint)
}

// The annotations of hosts, those that count first in front.
var (
	idAnnotations    = []string{"internal.config.kubernetes.io/id", "config.k8s.io/id"}
	pathAnnotations  = []string{"internal.config.kubernetes.io/path", "config.kubernetes.io/path"}
	indexAnnotations = []string{"internal.config.kubernetes.io/index", "config.kubernetes.io/index"}
)

// annotation returns the first of several annotations that an item has, "" for none.
func (i item) annotation(keys []string) string {
	for _, key := range keys {
		if v := i.Annotation(key); v != "" {
			return v
		}
	}
	return ""
}
