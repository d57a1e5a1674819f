package diag

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

func TestUnjoinAndMapErrorsReachJoinedErrors(t *testing.T) {
	t.Parallel()
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	joined := errors.Join(a, errors.Join(b, c))
	if got := Unjoin(joined); !slices.Equal(got, []error{a, b, c}) {
		t.Errorf("%v", got)
	}
	if got := Unjoin(a); !slices.Equal(got, []error{a}) {
		t.Errorf("%v", got)
	}
	if got := Unjoin(nil); got != nil {
		t.Errorf("%v", got)
	}
	named := func(err error) error { return fmt.Errorf("x: %w", err) }
	if got := MapErrors(joined, named).Error(); got != "x: a\nx: b\nx: c" {
		t.Errorf("%q", got)
	}
	if got := MapErrors(a, named); got.Error() != "x: a" || !errors.Is(MapErrors(joined, named), c) {
		t.Errorf("%v", got)
	}
}
