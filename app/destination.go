package app

import (
	"cmp"
	"strings"
)

// Destination is the cluster that an application is applied to, as far as the run knows it: for one at a path, at most
// the environment.
type Destination struct {
	Server      string // the address of its API server; "" where that is not known
	Name        string // by which the engine knows it; "" where it is not known
	Environment string // that the configuration describes the application for; "" for none
}

// Leaves is why an engine leaves objects in the cluster whose manifests are gone; "" where it removes them.
type Leaves struct {
	Objects string // that are gone from the application
	All     string // all of an application that is gone
}

// InCluster is the address of the cluster that an engine runs in itself, and InClusterName how it is called.
const (
	InCluster     = "https://kubernetes.default.svc"
	InClusterName = "in-cluster"
)

// NewDestination returns the destination with an address, a name or both. addresses has those of names that the run
// knows.
func NewDestination(server, name string, addresses map[string]string) Destination {
	d := Destination{Server: strings.TrimSuffix(server, "/"), Name: name}
	switch {
	case d.Server == "" && name == InClusterName:
		d.Server = InCluster
	case d.Server == "":
		d.Server = strings.TrimSuffix(addresses[name], "/")
	}
	return d
}

// Likeness is whether two destinations are one cluster.
type Likeness int

// The answers.
const (
	OtherCluster Likeness = iota
	SameCluster
	UnknownCluster // one is known by its name only, the other by its address, or one is not known at all
)

// Like reports whether two destinations are one cluster. Applications at paths are taken to go to one, but for those in
// different environments.
func (d Destination) Like(o Destination) Likeness {
	same := func(is bool) Likeness {
		if is {
			return SameCluster
		}
		return OtherCluster
	}
	switch {
	case d.Server != "" && o.Server != "":
		return same(d.Server == o.Server)
	case d.Name != "" && o.Name != "":
		return same(d.Name == o.Name)
	case d.Server+d.Name == "" && o.Server+o.Name == "":
		return same(d.Environment == o.Environment || d.Environment == "" || o.Environment == "")
	}
	return UnknownCluster
}

// IsKnown reports whether the cluster itself is known, by address or name.
func (d Destination) IsKnown() bool { return d.Server+d.Name != "" }

// Cluster returns what applications of one cluster have in common: its address, its name, or the environment that they
// are described for; "" where none is known.
func (d Destination) Cluster() string { return cmp.Or(d.Server, d.Name, d.Environment) }

// String returns the destination as messages write it.
func (d Destination) String() string {
	switch {
	case d.Name != "":
		return d.Name
	case d.Server != "":
		return d.Server
	}
	return "a cluster that is not known"
}
