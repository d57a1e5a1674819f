package inventory_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/inventory"
)

// described is what an engine's objects describe, found as long as nobody interrupts it.
type described struct {
	app.Described
}

func (described) Names(ctx context.Context) ([]string, error) {
	return []string{"argocd/web"}, ctx.Err()
}

func TestAListingThatIsInterruptedIsMadeAgain(t *testing.T) {
	folder(t, map[string]string{"argocd/web.yaml": ""})
	s := &inventory.Source{
		Builder: builder{}, Place: app.Place{Roots: &config.Roots{}}, As: "argocd", Patterns: []string{"argocd"},
		Adapters: map[config.AppKind]inventory.Adapter{
			"argocd": func(context.Context, app.Place, []string) (app.Described, error) { return described{}, nil },
		},
	}
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	if names, err := s.Names(interrupted); !errors.Is(err, context.Canceled) || names != nil {
		t.Errorf("interrupted: %v, %v", names, err)
	}
	for range 2 {
		if names, err := s.Names(t.Context()); err != nil || strings.Join(names, " ") != "argocd/web" {
			t.Errorf("afterwards: %v, %v", names, err)
		}
	}
}
