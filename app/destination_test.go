package app_test

import (
	"testing"

	"github.com/rollstamp/rollstamp/app"
)

func TestDestinationsAreOneClusterByAddressOrName(t *testing.T) {
	known := map[string]string{"live": "https://live.example.org/"}
	argo := func(server, name string) app.Destination { return app.NewDestination(server, name, known) }
	env := func(name string) app.Destination { return app.Destination{Environment: name} }
	for _, c := range []struct {
		a, b app.Destination
		want app.Likeness
	}{
		{argo("https://a", ""), argo("https://a/", ""), app.SameCluster},
		{argo("https://a", ""), argo("https://b", ""), app.OtherCluster},
		{argo("", "in-cluster"), argo("https://kubernetes.default.svc", ""), app.SameCluster},
		{argo("", "in-cluster"), argo("https://live.example.org", ""), app.OtherCluster},
		{argo("", "live"), argo("https://live.example.org", ""), app.SameCluster},
		{argo("", "unknown"), argo("https://live.example.org", ""), app.UnknownCluster},
		{argo("", "unknown"), argo("", "unknown"), app.SameCluster},
		{argo("", "unknown"), argo("", "other"), app.OtherCluster},
		{argo("https://a", ""), env(""), app.UnknownCluster},
		{env(""), env(""), app.SameCluster},
		{env("dev"), env(""), app.SameCluster},
		{env("dev"), env("dev"), app.SameCluster},
		{env("dev"), env("prod"), app.OtherCluster},
	} {
		if got := c.a.Like(c.b); got != c.want {
			t.Errorf("%+v, %+v: %v, want %v", c.a, c.b, got, c.want)
		}
		if got := c.b.Like(c.a); got != c.want {
			t.Errorf("%+v, %+v: %v, want %v", c.b, c.a, got, c.want)
		}
	}
}
