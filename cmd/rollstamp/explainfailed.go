package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
)

// mayName is implemented by sources that know whether the files of an application that failed have a name.
type mayName interface {
	MayName(application, object string) bool
}

// failures returns the errors of applications: each of those that may have something of an object, and how many the
// others are. Without an object they are all there.
func (id *identity) failures(source app.Source, names []string, errs []error) error {
	if id == nil {
		return fleet.Join(names, errs)
	}
	concern, others := make([]error, len(errs)), []error(nil)
	for i, err := range errs {
		switch {
		case err == nil:
		case id.mayBeIn(source, names[i], err):
			concern[i] = err
		default:
			others = append(others, err)
		}
	}
	if len(others) < 2 {
		return fleet.Join(names, errs)
	}
	counted := &diag.Error{Exit: diag.ExitOf(errors.Join(others...)),
		Err:  fmt.Errorf("%d more applications fail, and what they have of %s is not known", len(others), id),
		Hint: fmt.Sprintf("Without %s each of them is reported.", id)}
	return errors.Join(fleet.Join(names, concern), counted)
}

// mayBeIn reports whether an application that failed may have something of the object.
func (id *identity) mayBeIn(source app.Source, name string, err error) bool {
	if strings.Contains(name+" "+err.Error(), id.name) {
		return true
	}
	knows, ok := source.(mayName)
	return ok && knows.MayName(name, id.name)
}
