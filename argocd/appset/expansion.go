package appset

import (
	"context"
	"errors"
	"fmt"

	"github.com/rollstamp/rollstamp/diag"
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

// unknownError marks an error as one of what is not known here, where the set may be right.
type unknownError struct {
	error
	isNew bool // it is a word of a newer Argo CD, or none
}

// Unwrap returns the cause.
func (e unknownError) Unwrap() error { return e.error }

// IsUnknown reports whether an error of a set is about what this machine or this version does not know, so that the set
// may be right: its clusters, a web service, a repository that is elsewhere, a newer generator or template function.
func IsUnknown(err error) bool {
	var unknown unknownError
	var known *diag.Error
	return errors.As(err, &unknown) || errors.As(err, &known) && known.Exit == diag.ExitSource
}

// IsNew reports whether an error of a set is about a word, of a generator or a template function, that this version
// does not know.
func IsNew(err error) bool {
	var unknown unknownError
	return errors.As(err, &unknown) && unknown.isNew
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
