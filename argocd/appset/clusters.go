package appset

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/manifest/typed"
)

// Clusters are those that Argo CD knows, from the Secrets that register them. Their credentials are not read.
type Clusters struct{ all []cluster }

type cluster struct {
	name, server, project string
	labels, annotations   map[string]string
}

// Addresses returns the address of each cluster, by its name; none of clusters that are not known.
func (c *Clusters) Addresses() map[string]string {
	out := map[string]string{}
	if c == nil {
		return out
	}
	for _, one := range c.all {
		out[one.name] = one.server
	}
	return out
}

// The label, and its value, of the Secret of a cluster.
const (
	secretType  = "argocd.argoproj.io/secret-type"
	clusterType = "cluster"
)

// ownAnnotations are what Argo CD and kubectl keep in the Secret for themselves, with all of its data in the last. From
// v3.3 on no generator has them.
var ownAnnotations = [...]string{
	"argocd.argoproj.io/refresh",
	"argocd.argoproj.io/refresh-timestamp",
	"argocd.argoproj.io/hydrate",
	"argocd.argoproj.io/hydrate-timestamp",
	"argocd.argoproj.io/tracking-id",
	"argocd.argoproj.io/installation-id",
	"kubectl.kubernetes.io/last-applied-configuration",
}

// The cluster that Argo CD itself runs in.
const (
	localCluster = "in-cluster"
	localServer  = "https://kubernetes.default.svc"
)

// ReadClusters reads a file of Secrets that register clusters.
func ReadClusters(system files.System, path string) (*Clusters, error) {
	documents, err := typed.Read(system, path)
	if err != nil {
		return nil, err
	}
	c := &Clusters{}
	for _, d := range documents {
		one, ok, err := parseCluster(d.Fields)
		if err != nil {
			return nil, diag.Input(d.Pos, fmt.Errorf("read the Secret of a cluster: %w", err), "")
		}
		if ok {
			c.all = append(c.all, one)
		}
	}
	if len(c.all) == 0 {
		return nil, diag.Input(diag.Position{File: path}, errors.New("no Secret in it registers a cluster"),
			"Write Secrets with the label "+secretType+": "+clusterType+", and name and server in stringData.")
	}
	slices.SortStableFunc(c.all, func(a, b cluster) int { return strings.Compare(a.name, b.name) })
	return c, nil
}

// parseCluster returns the cluster that a Secret registers, if it does.
func parseCluster(object map[string]any) (cluster, bool, error) {
	var s struct {
		Kind     string `json:"kind"`
		Metadata struct {
			Labels      map[string]string `json:"labels"`
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata"`
		Data       map[string]string `json:"data"`
		StringData map[string]string `json:"stringData"`
	}
	if err := typed.Decode(object, &s); err != nil {
		return cluster{}, false, err
	}
	if s.Kind != "Secret" || s.Metadata.Labels[secretType] != clusterType {
		return cluster{}, false, nil
	}
	field := func(name string) (string, error) {
		if text, ok := s.StringData[name]; ok {
			return text, nil
		}
		b, err := base64.StdEncoding.DecodeString(s.Data[name])
		if err != nil {
			return "", fmt.Errorf("data.%s is not base64", name)
		}
		return string(b), nil
	}
	c := cluster{labels: s.Metadata.Labels, annotations: s.Metadata.Annotations}
	for _, name := range ownAnnotations {
		delete(c.annotations, name)
	}
	var errs [3]error
	c.name, errs[0] = field("name")
	c.server, errs[1] = field("server")
	c.project, errs[2] = field("project")
	return c, true, errors.Join(errs[:]...)
}
