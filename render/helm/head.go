package helm

import (
	helmrelease "helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/releaseutil"
	"sigs.k8s.io/yaml"
)

// readHeads fills in the heads of docs. An error names the template whose document is not YAML, or not an object.
func readHeads(docs []document) error {
	for i := range docs {
		var err error
		if docs[i].head, err = slowHead(docs[i].text); err != nil {
			return &parseError{template: docs[i].template, err: err}
		}
	}
	return nil
}

// slowHead reads a head as helm does, and refuses what helm refuses.
func slowHead(doc string) (head, error) {
	var h releaseutil.SimpleHead
	if err := yaml.Unmarshal([]byte(doc), &h); err != nil {
		return head{}, err
	}
	if h.Metadata == nil {
		return head{kind: h.Kind}, nil
	}
	events, hook := h.Metadata.Annotations[helmrelease.HookAnnotation]
	return head{kind: h.Kind, hook: hook, events: events}, nil
}
