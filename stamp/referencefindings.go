package stamp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/refs"
	"github.com/rollstamp/rollstamp/sources"
	"github.com/rollstamp/rollstamp/sources/objects"
)

func (r *reference) volumeIssue(g *refs.Reference) {
	what := g.Kind + " " + g.Name
	switch g.VolumeIssue {
	case refs.Unmounted:
		r.note(diag.New(diag.Unmounted, r.workload(), "no container mounts the volume of "+what).WithAbout(what), g.Offset)
	case refs.Misses:
		f := diag.New(diag.SubPathMisses, r.workload(), "no mount's subPath can hit a file of "+what)
		r.note(f.WithAbout(what), g.Offset)
	}
}

func (r *reference) absent() {
	what := manifest.Describe(r.out.Kind, r.out.Namespace, r.out.Name)
	switch {
	case r.out.Source == objects.Ambiguous:
		r.noteHere(diag.Ambiguous, what+" is in several namespaces")
	case r.out.Source != objects.Absent: // a producer will make it
	case objects.IsInEachNamespace(r.out.Kind, r.out.Name):
	case r.out.Optional:
		r.noteHere(diag.MissingOptional, what+" is not in the input; the reference is optional")
	default:
		r.noteHere(diag.MissingObject, what+" is not in the input")
	}
}

// badSkip reports an annotation that is neither true nor false.
func (r *reference) badSkip() {
	if skip := policy.BadSkip(r.object); skip != "" {
		at := r.object.Offset
		if r.object.Context() {
			at = r.group[0].Offset // the object's own place is in another text
		}
		r.note(policy.BadValue(r.object.String(), policy.SkipAnnotation, skip, policy.TruthValues()), at)
	}
}

// missingKeys reports keys that are asked for and not there.
func (r *reference) missingKeys() {
	var written []string
	if r.content.Has(objects.Anything) {
		if written = objects.WrittenKeys(r.producers); written == nil {
			return // its keys are not known
		}
	}
	for _, g := range r.group {
		if g.All || g.Shared {
			continue
		}
		for _, key := range g.Keys {
			isBinary := g.Form == refs.FormEnv && r.object.IsBinary(key)
			if r.content.Has(key) && !isBinary || isInvalid(r.content, key) || r.object.IsFilled(key) ||
				slices.Contains(written, key) {
				continue
			}
			code, more := diag.MissingKey, ""
			if isBinary {
				more = " in data, and a variable takes nothing of binaryData"
			}
			switch {
			case g.Optional:
				code, more = diag.MissingOptionalKey, more+"; the reference is optional"
			case g.BySubPath:
				more = ": where its subPath is mounted, the container finds an empty directory"
			default:
				r.out.Lacking = union(r.out.Lacking, []string{key})
			}
			f := diag.New(code, r.workload(), r.object.String()+" has no key "+diag.Quote(key)+more)
			if r.object.Context() && f.Severity == diag.Failure {
				f.Severity = diag.Warning // another application has it, perhaps of another revision
			}
			r.note(f.WithKey(key).WithAbout(r.object.String()), g.Offset)
		}
	}
}

// unreadKeys reports keys in binaryData of a ConfigMap that is read through envFrom and in no other way: Kubernetes
// makes no variables of these.
func (r *reference) unreadKeys() {
	if r.object.Kind != refs.ConfigMap || slices.ContainsFunc(r.group, func(g refs.Reference) bool {
		return g.Form != refs.FormEnvFrom
	}) {
		return
	}
	for key := range r.object.Node().Get("binaryData").Entries() {
		name := key.Field()
		if !r.object.IsBinary(name) {
			continue // it is in data, too
		}
		message := r.object.String() + " has " + diag.Quote(name) + " in binaryData, of which envFrom makes no variable"
		f := diag.New(diag.BinaryUnread, r.workload(), message)
		r.note(f.WithKey(strings.Clone(name)).WithAbout(r.object.String()), r.group[0].Offset)
	}
}

func isInvalid(content *objects.Content, key string) bool {
	invalid := content.Invalid
	if len(invalid) > 0 && invalid[0].Key == "" {
		return true
	}
	_, found := slices.BinarySearchFunc(invalid, key,
		func(v objects.Invalid, key string) int { return strings.Compare(v.Key, key) })
	return found
}

// valid reports whether all that counts is valid. For a stamped workload it is an error if not; of an object of the
// input, a finding is enough for a run that writes nothing.
func (r *reference) valid() bool {
	ok, stamped := true, r.consumer.isStamped()
	isReported := r.run.forReport && !r.object.Context()
	for _, v := range r.content.Invalid {
		if v.Key != "" && !r.scope.has(v.Key) {
			continue
		}
		ok = false
		if r.out.Refused = true; stamped && !isReported {
			r.fail(r.run.in.invalidError(r.consumer.workload, r.object.String(), r.object.Context(), v, r.run.in.invalidHint()))
		}
	}
	for _, m := range r.producers {
		if m.Context {
			continue
		}
		for _, v := range m.Problems() {
			if v.Tolerated {
				continue
			}
			ok = false
			if stamped {
				r.fail(r.run.in.invalidError(r.consumer.workload, m.String(), false, v, refusedHint(r.object)))
			}
		}
	}
	return ok
}

// unversionedNotices reports the producers of a consumed object that count by their manifest though versions were asked
// for.
func unversionedNotices(r *reference) (out []notice) {
	for _, u := range r.content.Unversioned {
		who, what, at := r.object.String(), "its placeholders stand for", r.group[0].Offset
		switch {
		case u.Producer == nil && r.out.Source != objects.Context:
			at = r.object.Offset
		case u.Producer != nil:
			who, what = u.Producer.String(), "it fetches"
			if !u.Producer.Context {
				at = u.Producer.Offset
			}
		}
		f := unversionedFinding(u, who, what, policyName(r.run))
		key := fmt.Sprintf("%s %d %s", u.Why, u.Rule, who)
		out = append(out, notice{key, f.At(r.run.in.positions.At(at))})
	}
	return out
}

func unversionedFinding(u objects.Unversioned, who, what, policy string) diag.Finding {
	f := diag.New(diag.NotAsked, who, "no version can be asked for of what "+what+
		": its manifest counts, under secrets.policy "+policy+", too")
	switch u.Why {
	case objects.Fetched:
	case objects.Unasked:
		f.Message = "no version is asked for of what " + what + ", because secrets.ask does not list " +
			u.Producer.AskedAs() + ": its manifest counts, under secrets.policy " + policy + ", too"
		f.Hint = "Let it be asked for with secrets: {ask: [" + u.Producer.AskedAs() +
			"]} in .rollstamp.yaml, which restarts what reads it once; " +
			"or let a reloader restart it after a rotation."
	case objects.Metadata:
		f.Message = "it takes metadata of its keys (metadataPolicy: Fetch), and the version of their values counts " +
			"under secrets.policy " +
			policy + ": a tag that changes restarts nothing"
		f.Hint = "Let a reloader restart what reads it, or put the text of the tag into a value."
	case objects.Chosen:
		f = diag.New(diag.ByManifest, who, chosenMessage(u.Rule, what))
	case objects.NotLocked:
		f = diag.New(diag.NotLocked, who, notLockedMessage(what))
	case objects.Made:
		f = diag.New(diag.NoVersion, who, "what it makes has no version: its manifest counts, under secrets.policy "+policy+
			", too")
	}
	return f
}

func chosenMessage(rule int, what string) string {
	return fmt.Sprintf("nobody is asked for what %s, by secrets.stores[%d]: its manifest counts", what, rule)
}

func notLockedMessage(what string) string {
	return "the lock does not have what " + what + ": its manifest counts, by secrets.notLocked"
}

// emptySearches reports searches of a store that find nothing: that has a version, too, which would pass for an answer.
func emptySearches(r *reference) (out []notice) {
	for _, a := range r.content.RemoteRefs {
		if a.Ref.Find == nil || a.Answer.Version != sources.SetVersion(nil) {
			continue
		}
		who, at := a.Producer.String(), r.group[0].Offset
		if !a.Producer.Context {
			at = a.Producer.Offset
		}
		f := diag.New(diag.FindsNothing, who, "the search "+a.Ref.ID()+" finds nothing")
		out = append(out, notice{who + " " + a.Ref.ID(), f.At(r.run.in.positions.At(at))})
	}
	return out
}

// namedFindings reports places that a pod names itself and that no version can be asked for, such as those where Vault
// makes something for each reader.
func namedFindings(run *run, c *consumer) (out []diag.Finding) {
	for _, a := range c.named {
		var f diag.Finding
		switch rule, chosen := run.byManifest(&a.Ref.Store); {
		case chosen && rule < 0:
			continue
		case chosen:
			f = diag.New(diag.ByManifest, c.workload.String(), chosenMessage(rule, "lies at "+a.Key))
		case a.Answer.ByManifest:
			f = diag.New(diag.NotLocked, c.workload.String(), notLockedMessage("lies at "+a.Key))
		case a.Answer.Version == sources.Lease:
			f = diag.New(diag.NoVersion, c.workload.String(), "what Vault makes at "+a.Key+
				" is a lease and has no version: its path counts, under secrets.policy "+policyName(run)+", too")
		default:
			continue
		}
		out = append(out, f.At(c.workload.position))
	}
	return out
}

// byManifest reports which rule lets what a pod takes from a store by itself count by its manifest.
func (r *run) byManifest(store *sources.Store) (rule int, ok bool) {
	if !r.asks || len(r.settings.SecretRules.Value) == 0 {
		return 0, false
	}
	return r.settings.ByManifest(store, "", "", "")
}

// policyName returns the policy for secrets that is in force where versions are asked for.
func policyName(run *run) string {
	if run.settings.Secrets.Value == config.PolicySpec && run.settings.TakesFromLock() {
		return string(config.PolicyLock) // by a rule for the store
	}
	return string(run.settings.Secrets.Value)
}
