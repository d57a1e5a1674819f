package stamp

import (
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/policy"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// leftOf returns why a change of an object of a render changes nothing in the cluster; "" where it does.
func leftOf(of *render.Output, o manifest.Object) string {
	if !of.ByFlux {
		return ""
	}
	return policy.LeftByFlux(o)
}

// staysAsIs returns why a change of an object in Git is none in the cluster; "" where it may be one. What an operator
// fetches from a store may be another version, where versions are asked for: it goes on with what it was told before.
// An object with a hash of its content in its name is another one after each change.
func staysAsIs(o *objects.Object, asks bool) string {
	if o.IsProduced() && asks && !o.IsEncrypted() || isRolledByName(o) {
		return ""
	}
	return o.Left()
}

// restartsNothing reports whether no content of an object is to be read for stamps.
func restartsNothing(s *config.Settings, o *objects.Object, asks bool) bool {
	return policy.Ignores(s, o) || staysAsIs(o, asks) != ""
}
