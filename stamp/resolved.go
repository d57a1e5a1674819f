package stamp

import (
	"cmp"
	"iter"
	"slices"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// Resolved is an Input with the objects that its workloads refer to. Their content can be read: what is encrypted has
// been decrypted, and what is in no manifest has been asked for.
type Resolved struct {
	in        *Input
	contents  *objects.Resolution
	decrypts  []objects.Decrypted                 // of the input
	templates []consumer                          // in the order of the workloads
	unstable  map[*objects.Object]map[string]bool // keys whose value differs from one render to the next
	suffixed  bool                                // a name in the input carries a digest
	asked     []sources.Ref                       // of the resolver
	reported  []diag.Finding                      // by the resolver
	findings  []diag.Finding
	errs      failures
}

// demand is an object that stamped workloads consume, with the first of them.
type demand struct {
	object   *objects.Object
	workload *workload
}

// consumedObjects returns the objects that stamped workloads consume and wants reports true of, each once, as they
// are in the input, so that errors are the same every run.
func (r *Resolved) consumedObjects(opts Options, wants func(*objects.Object) bool) []demand {
	s, asks := opts.settings(), opts.Resolver != nil
	var out []demand
	seen := map[*objects.Object]bool{}
	for c := range r.stampedTemplates() {
		for i := range c.consumed {
			o := c.consumed[i].object
			if o == nil || seen[o] || !c.consumed[i].counts() || !wants(o) || restartsNothing(s, o, asks) {
				continue
			}
			seen[o] = true
			out = append(out, demand{o, c.workload})
		}
	}
	slices.SortStableFunc(out, func(a, b demand) int {
		return cmp.Or(cmp.Compare(a.object.Offset, b.object.Offset), cmp.Compare(a.object.Kind, b.object.Kind),
			cmp.Compare(a.object.Name, b.object.Name))
	})
	return out
}

func (r *Resolved) stampedTemplates() iter.Seq[*consumer] {
	return func(yield func(*consumer) bool) {
		for i := range r.templates {
			if r.templates[i].isStamped() && !yield(&r.templates[i]) {
				return
			}
		}
	}
}
