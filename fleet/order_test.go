package fleet_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/fleet"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/render"
)

const (
	consumerText = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    spec:
      containers: [{name: web, envFrom: [{configMapRef: {name: settings}}]}]
`
	providerText = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\ndata: {a: b}\n"
)

// member is an application of a text, after others.
func member(t *testing.T, name, text string, after ...string) *fleet.Member {
	t.Helper()
	a := app.New(app.Spec{Name: name, DependsOn: after, Stamping: &app.Stamping{},
		Stream: &render.Output{Kind: render.KindPlain, Text: []byte(text)}})
	result, err := pipeline.Run(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return fleet.MemberOf(a, result)
}

func TestAConsumerThatIsAppliedBeforeItsConfigurationIsReported(t *testing.T) {
	n := fleet.NewNeighbours([]*fleet.Member{
		member(t, "web", consumerText),
		nil, // one that failed
		member(t, "base", "", "web"),
		member(t, "settings", providerText, "base"), // after web through base
	})
	found := n.OrderFindings(0)
	if len(found) != 1 || found[0].Code != diag.FluxOrder || found[0].Object != "Deployment shop/web" ||
		found[0].Message != "it reads ConfigMap shop/settings, which settings renders, and that is applied after web" {
		t.Errorf("found %+v", found)
	}
	for i := 1; i < 4; i++ {
		if found := n.OrderFindings(i); len(found) > 0 {
			t.Errorf("the application %d: %+v", i, found)
		}
	}
}

func TestAnOrderThatFitsOrIsNotGivenIsNotReported(t *testing.T) {
	for name, members := range map[string][]*fleet.Member{
		"in order": {member(t, "web", consumerText, "settings"), member(t, "settings", providerText)},
		"no order": {member(t, "web", consumerText), member(t, "settings", providerText)},
		"a cycle without the other": {member(t, "web", consumerText, "a"), member(t, "a", "", "web"),
			member(t, "settings", providerText)},
	} {
		if found := fleet.NewNeighbours(members).OrderFindings(0); len(found) > 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
