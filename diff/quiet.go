package diff

import (
	"cmp"
	"slices"
)

// Quiet is configuration that changes and restarts nothing.
type Quiet struct {
	Name
	Keys   []KeyChange `json:"keys"`
	Reason string      `json:"reason"`           // one of the words below
	Reader string      `json:"reader,omitempty"` // the workload that the reason is about
	// The reader's application, where that is another one than the object's.
	ReaderApp string `json:"readerApp,omitempty"`
	Reads     string `json:"reads,omitempty"` // of ReadElsewhere: what it reads, where the object only makes that
	// Of ReadElsewhere: how context: in the folder of ReaderApp names the application, where that is known.
	Context string `json:"context,omitempty"`
	Tool    string `json:"tool,omitempty"` // of ByOtherTool
	Mark    string `json:"mark,omitempty"` // of LeftAsIs: what the object is marked with, in words
}

func (q Quiet) compare(o Quiet) int {
	return cmp.Or(q.Name.compare(o.Name), cmp.Compare(q.Reason, o.Reason), cmp.Compare(q.Reader, o.Reader),
		cmp.Compare(q.ReaderApp, o.ReaderApp), cmp.Compare(q.Reads, o.Reads))
}

// isUnread reports whether the reason is that nobody reads what changes.
func (q Quiet) isUnread() bool {
	return q.Reason == NotConsumed || q.Reason == KeysNotRead && q.Reader == ""
}

// isForAll reports whether the reason is one of the change itself, whoever reads it.
func (q Quiet) isForAll() bool {
	return q.Reason == LeftAsIs || q.Reason == SameContent || q.Reason == IsRandom
}

// withoutKeys takes keys that are read out of what is said to be read by nobody.
func withoutKeys(all []Quiet, isRead func(Quiet, KeyChange) bool) []Quiet {
	out := make([]Quiet, 0, len(all))
	for _, q := range all {
		if !q.isUnread() || len(q.Keys) == 0 {
			out = append(out, q)
			continue
		}
		q.Keys = slices.DeleteFunc(slices.Clone(q.Keys), func(k KeyChange) bool { return isRead(q, k) })
		if len(q.Keys) > 0 {
			out = append(out, q)
		}
	}
	return out
}

// Why configuration restarts nothing.
const (
	NotConsumed = "not-consumed"      // no workload of its application refers to it
	KeysNotRead = "keys-not-consumed" // workloads refer to it, and to none of the changed keys
	// SameContent is for what was encrypted again: what workloads read of it, decrypted, is what it was.
	SameContent = "same-content"
	// LiveOnly is for what is read only through volumes that the kubelet updates, where no restart is asked for.
	LiveOnly = "live-volumes"
	OptedOut = "opted-out" // the object, or the workload, is switched off
	// LeftAsIs is for what Flux does not change in the cluster, because a label or an annotation asks for that.
	LeftAsIs = "left-as-is"
	// ByOtherTool is for a workload that is switched off here and by whose annotations another tool may restart it.
	ByOtherTool = "other-tool"
	// NoRestart is for kinds of workloads that are not stamped: they start again anyway, or their template is immutable.
	NoRestart = "does-not-restart"
	// IsRandom is for values that are different in each render, of which no stamp has anything.
	IsRandom  = "random"
	Unclear   = "content-unknown" // its content is not known from here
	Waits     = "waits"           // reload: manual, and nobody has approved the content
	IsAdopted = "adopted"         // the lock has the content as one that counts as stamped
	// ReadElsewhere is for what a workload of another application reads, whose stamps have nothing of it.
	ReadElsewhere = "other-application"
)
