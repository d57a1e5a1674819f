package appset

import (
	"errors"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest/typed"
)

func (e *expansion) clusters(body map[string]any) ([]params, error) {
	var g struct {
		Selector selector          `json:"selector"`
		Values   map[string]string `json:"values"`
		FlatList bool              `json:"flatList"`
	}
	if err := typed.Decode(body, &g); err != nil {
		return nil, err
	}
	if e.in.Clusters == nil {
		return nil, diag.Input(diag.Position{}, unknownError{error: errors.New("which clusters there are is not known here")},
			"Pass a file with the Secrets that register them, without their credentials: --clusters FILE.")
	}
	var out []params
	add := func(p params) error {
		out = append(out, p)
		return e.values(g.Values, p)
	}
	local := false
	for _, c := range e.in.Clusters.all {
		fits, err := g.Selector.matches(c.labels)
		if err != nil {
			return nil, err
		}
		if !fits {
			continue
		}
		local = local || c.server == localServer
		if err := add(c.params(e.language)); err != nil {
			return nil, err
		}
	}
	if g.Selector.empty() && !local {
		if err := add(params{"name": localCluster, "nameNormalized": localCluster, "server": localServer,
			"project": ""}); err != nil {
			return nil, err
		}
	}
	if g.FlatList {
		list := make([]any, len(out))
		for i, p := range out {
			list[i] = p
		}
		return []params{{"clusters": list}}, nil
	}
	return out, nil
}

func (c cluster) params(l language) params {
	p := params{"name": c.name, "nameNormalized": normalize(c.name), "server": c.server, "project": c.project}
	if l.goTemplate {
		meta := map[string]any{}
		if len(c.annotations) > 0 {
			meta["annotations"] = c.annotations
		}
		if len(c.labels) > 0 {
			meta["labels"] = c.labels
		}
		p["metadata"] = meta
		return p
	}
	for key, value := range c.annotations {
		p["metadata.annotations."+key] = value
	}
	for key, value := range c.labels {
		p["metadata.labels."+key] = value
	}
	return p
}
