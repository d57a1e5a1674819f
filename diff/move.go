package diff

import (
	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/refs"
)

// Move is the way of an application to another namespace or cluster. The objects that it takes along are listed as
// removed and added: nothing of them is there yet.
type Move struct {
	Was           string `json:"was,omitempty"`           // the application's name on the old side, where it had another
	FromNamespace string `json:"fromNamespace,omitempty"` // of the objects that name none; "" where it stays the same
	ToNamespace   string `json:"toNamespace,omitempty"`
	FromCluster   string `json:"fromCluster,omitempty"` // "" where it stays the same
	ToCluster     string `json:"toCluster,omitempty"`
	// Unsure: one cluster is known by its name and the other by its address, and whether they are one is not known.
	Unsure    bool `json:"unsure,omitempty"`
	Workloads int  `json:"workloads"` // that start in the new place
}

// moveOf returns how an application moves between the sides; nil where it stays, or where it was is not known.
func moveOf(old, now *App) *Move {
	if old == nil || now == nil {
		return nil
	}
	var m Move
	if a, b := old.Namespace, now.Namespace; a != b && a != "" && b != "" {
		m.FromNamespace, m.ToNamespace = a, b
	}
	if a, b := old.Destination, now.Destination; a.IsKnown() && b.IsKnown() {
		switch a.Like(b) {
		case app.OtherCluster:
			m.FromCluster, m.ToCluster = a.String(), b.String()
			if m.FromCluster == m.ToCluster { // one name for two addresses
				m.FromCluster, m.ToCluster = a.Server, b.Server
			}
		case app.UnknownCluster:
			m.FromCluster, m.ToCluster, m.Unsure = a.String(), b.String(), true
		}
	}
	if m == (Move{}) {
		return nil
	}
	return &m
}

// takes reports whether an object lies in another place after the move.
func (m *Move) takes(o *object) bool {
	switch {
	case m == nil:
		return false
	case m.FromCluster != "" && !m.Unsure:
		return true
	}
	return m.FromNamespace != "" && o.Namespace == "" && !isOfCluster(o)
}

// places returns the names of an object before and after the move, with the namespaces that are known.
func (m *Move) places(p pair) (was, is Name) {
	was, is = p.old.Name, p.now.Name
	if m.FromNamespace == "" || isOfCluster(p.now) {
		return was, is
	}
	if was.Namespace == "" {
		was.Namespace = m.FromNamespace
	}
	if is.Namespace == "" {
		is.Namespace = m.ToNamespace
	}
	return was, is
}

// list returns the objects that the move takes along, and notes how many of them are workloads.
func (m *Move) list(moved []pair, kinds kindTable) []ObjectChange {
	var out []ObjectChange
	for _, p := range moved {
		was, is := m.places(p)
		out = append(out, ObjectChange{Name: was, Change: Removal}, ObjectChange{Name: is, Change: Addition})
		if len(rowsOf(kinds, p.now)) > 0 {
			m.Workloads++
		}
	}
	return out
}

// isOfCluster reports whether an object lies in no namespace.
func isOfCluster(o *object) bool { return refs.IsOfCluster(o.Group, o.Kind) }
