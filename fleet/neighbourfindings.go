package fleet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// about is what findings of one kind are about.
type about struct {
	code          diag.Code
	object, about string
}

// Findings returns the findings of the i-th application with what its neighbours know: an object that another one
// renders is not missing, and one that another one reads, or is rendered with, is not unused. Where some failed it says
// that neither is known for sure.
func (n *Neighbours) Findings(i int, found []diag.Finding) []diag.Finding {
	if n.members[i] == nil || len(n.needs) == 0 && len(n.members[i].valuesRead) == 0 && n.lost == 0 {
		return found
	}
	missing, read := n.missing(i), n.read(i)
	out := make([]diag.Finding, 0, len(found))
	for _, f := range found {
		switch f.Code {
		case diag.UnusedObject, diag.UnusedKey:
			if n.members[i].valuesRead[f.Object] {
				continue
			}
			if keys := read[f.Object]; keys == nil || f.Code == diag.UnusedKey && !keys.has(f.Key) {
				out = append(out, n.doubt(f, mayRefer))
			}
		case diag.MissingObject, diag.MissingOptional, diag.OtherNamespace:
			for _, better := range missing.better(f, n.members[i]) {
				if better.Code == f.Code {
					better = n.doubt(better, mayHave)
				}
				out = append(out, better)
			}
		default:
			out = append(out, f)
		}
	}
	return out
}

// What an application that is not known may have of what a finding says is not there. How many these are is not said:
// the finding is the same with another one.
const (
	mayRefer = "; an application that failed may refer to it"
	mayHave  = "; an application that failed may have it"
)

// doubt returns a finding with what is not known for sure, where an application failed.
func (n *Neighbours) doubt(f diag.Finding, may string) diag.Finding {
	if n.lost > 0 {
		f.Message += may
	}
	return f
}

// WithoutDoubt returns a finding as it is where no application failed.
func WithoutDoubt(f diag.Finding) diag.Finding {
	for _, may := range []string{mayRefer, mayHave} {
		f.Message = strings.TrimSuffix(f.Message, may)
	}
	return f
}

// provided is what findings about missing objects are about, with who renders these.
type provided map[about]renderedElsewhere

// renderedElsewhere is the provider of an object.
type renderedElsewhere struct {
	Provider
	lacking []string // keys that are required, and that it does not have
}

// missing returns which findings of an application about missing objects its neighbours know better.
func (n *Neighbours) missing(i int) provided {
	out := provided{}
	for _, one := range n.members[i].needs() {
		if one.InContext {
			continue
		}
		if p, ok := n.Provider(i, one.Kind, one.Namespace, one.Name); ok {
			by := renderedElsewhere{Provider: p}
			for _, key := range one.Required {
				if p.Keys.KnowsNot(key) {
					by.lacking = append(by.lacking, key)
				}
			}
			for _, code := range []diag.Code{diag.MissingObject, diag.MissingOptional, diag.OtherNamespace} {
				out[about{code, one.Workload.String(), one.About}] = by
			}
		}
	}
	return out
}

// better returns what is to be reported instead of a finding about a missing object of an application.
func (p provided) better(f diag.Finding, of *Member) []diag.Finding {
	by, ok := p[about{f.Code, f.Object, f.About}]
	switch {
	case !ok:
		return []diag.Finding{f}
	case by.Doubtful != "":
		f.Message += fmt.Sprintf("; %s renders one%s", by.App, by.Doubtful)
		return []diag.Finding{f}
	}
	elsewhere := diag.New(diag.OtherApplication, f.Object,
		f.About+" is rendered by "+by.App+": its changes restart nothing here").WithAbout(f.About).At(f.Position())
	return of.settings.Severity(append([]diag.Finding{elsewhere}, by.missingKeys(f)...))
}

// missingKeys returns the findings about keys that are required and not there, where one about the object was.
func (by renderedElsewhere) missingKeys(of diag.Finding) (out []diag.Finding) {
	for _, key := range by.lacking {
		f := diag.New(diag.MissingKey, of.Object, of.About+" has no key "+diag.Quote(key)+" in what "+by.App+" renders")
		f.Severity = diag.Warning // the cluster may have it of another revision
		out = append(out, f.WithKey(key).WithAbout(of.About).At(of.Position()))
	}
	return out
}

// readKeys are the keys of an object that somebody reads.
type readKeys struct {
	all   bool
	names []string
}

func (k *readKeys) has(key string) bool { return k.all || slices.Contains(k.names, key) }

// read returns the objects of an application that workloads of others read, by how messages name them.
func (n *Neighbours) read(i int) map[string]*readKeys {
	out := map[string]*readKeys{}
	for _, p := range n.members[i].provides() {
		for _, one := range n.Readers(i, p.Kind, p.Namespace, p.Name) {
			name := p.String()
			if out[name] == nil {
				out[name] = &readKeys{}
			}
			out[name].all = out[name].all || one.Keys == nil
			out[name].names = append(out[name].names, one.Keys...)
		}
	}
	return out
}
