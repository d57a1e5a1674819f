package fleet

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// Join returns the errors of several applications as one, each with the name of its own; that of a single one as it is.
// One that more than two applications have alike, as of a file that they share, is there once, with how many they are;
// one of a shared cause, too, with their names. A wrong argument that all of them refuse alike is of none of them.
func Join(names []string, errs []error) error {
	if len(names) == 1 {
		return errs[0]
	}
	same := map[failure][]string{}
	for i, err := range errs {
		for _, one := range diag.Unjoin(err) {
			same[failureOf(one)] = append(same[failureOf(one)], names[i])
		}
	}
	var named []error
	for i, err := range errs {
		for _, one := range diag.Unjoin(err) {
			id := failureOf(one)
			switch of := same[id]; {
			case len(of) == 0:
				continue // with the first
			case len(of) == len(names) && diag.ExitOf(one) == diag.ExitUsage:
				same[id] = nil
			case len(of) > 2 && id.shared && isAbout(one.Error(), names[i]):
				one, same[id] = withOthers(one, of[1:]), nil
			case len(of) > 2 && id.shared:
				one, same[id] = fmt.Errorf("%s: %w", names[i], withOthers(one, of[1:])), nil
			case len(of) > 2:
				one, same[id] = fmt.Errorf("%s and %d more applications: %w", names[i], len(of)-1, one), nil
			case !isAbout(one.Error(), names[i]):
				one = fmt.Errorf("%s: %w", names[i], one)
			}
			named = append(named, one)
		}
	}
	return errors.Join(named...)
}

// failure is what errors are alike in: their texts, the causes alone of those that are shared, or the place and cause
// of those about several objects, such as releases of one chart.
type failure struct {
	text, hint string
	shared     bool
}

// failureOf returns what others may have alike with an error.
func failureOf(err error) failure {
	known, ok := err.(*diag.Error) //nolint:errorlint // one that is wrapped keeps its words
	switch {
	case !ok || known.Err == nil:
	case diag.IsShared(known.Err):
		return failure{known.Err.Error(), known.Hint, true}
	case known.Object != "" && known.Pos.File != "":
		return failure{known.Pos.String() + ": " + known.Err.Error(), known.Hint, true}
	}
	return failure{err.Error(), diag.HintOf(err), false}
}

// withOthers returns the error of a shared cause with the names of the other applications that fail of it.
func withOthers(err error, others []string) error {
	var known *diag.Error
	errors.As(err, &known)
	first := *known
	first.Err = fmt.Errorf("%w; %d more applications fail of it: %s", known.Err, len(others), strings.Join(others, ", "))
	return &first
}
