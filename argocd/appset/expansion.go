package appset

import (
	"context"
	"fmt"

	"github.com/rollstamp/rollstamp/workspace"
)

// expansion generates the applications of one set.
type expansion struct {
	ctx      context.Context
	in       *Surroundings
	language language
}

// Surroundings are what generators read besides the set itself.
type Surroundings struct {
	Repositories *workspace.Repositories
	Clusters     *Clusters // nil if the clusters are not known
}

// generated are a generator's parameters, and the template to fill in with them.
type generated struct {
	params   []params
	template map[string]any
}

// values adds a generator's own values, each of which may name the parameters that are there.
func (e *expansion) values(values map[string]string, p params) error {
	done := map[string]string{}
	for key, value := range values {
		text, err := e.language.expand(value, p)
		if err != nil {
			return fmt.Errorf("values.%s: %w", key, err)
		}
		done[key] = text
	}
	if len(done) == 0 {
		return nil
	}
	if e.language.goTemplate {
		p["values"] = done
		return nil
	}
	for key, value := range done {
		p["values."+key] = value
	}
	return nil
}
