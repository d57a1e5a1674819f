package diff

import (
	"slices"
	"strings"
)

// inventories are the objects of the applications of a side, each read when it is asked for.
type inventories struct {
	apps  map[string]*App
	known map[string]*inventory
}

func (in inventories) of(app string) (*inventory, error) {
	if known := in.known[app]; known != nil {
		return known, nil
	}
	found, err := take(in.apps[app], nil)
	if err == nil {
		in.known[app] = found
	}
	return found, err
}

// spare leaves out of what is blocked the workloads that have no pods to start, and what another object makes. What an
// object may make whose content is not known here becomes Unknown.
func (c *Comparison) spare(now inventories) error {
	var blocked []Blocked
	for _, b := range c.Blocked {
		if b.Reason == Refused || b.Reason == Deleted {
			blocked = append(blocked, b)
			continue
		}
		in, err := now.of(b.App)
		if err != nil {
			return err
		}
		idle, err := in.isIdle(in.anyGroup(b.Kind, b.Namespace, b.Name.Name))
		if err != nil {
			return err
		}
		if idle || b.Reason == Gone && b.Of == "" && in.makes(b) {
			continue
		}
		gone := b
		if b.Of != "" {
			gone.Object, gone.Namespace = original(b.Of)
		}
		by, err := c.mayMake(gone, now)
		if err != nil {
			return err
		}
		if by != "" {
			c.Unknown = append(c.Unknown, Unknown{Reason: Uncertain, App: b.App, Object: &b.Name, Via: by, Gone: b.Object})
			continue
		}
		blocked = append(blocked, b)
	}
	c.Blocked = blocked
	return nil
}

// isIdle reports whether a workload starts no pods: it has no replicas and no autoscaler adds any, or it is suspended.
func (in *inventory) isIdle(o *object) (bool, error) {
	if o == nil {
		return false, nil
	}
	table, err := o.table()
	if err != nil {
		return false, err
	}
	spec := at(table, "spec")
	if o.Group == "batch" {
		return spec["suspend"] == true, nil
	}
	if n, ok := spec["replicas"].(float64); !ok || n != 0 || o.Kind == "DaemonSet" {
		return false, nil
	}
	if by, _ := in.rolloutFor(o); by != nil && by != o {
		return in.isIdle(by)
	}
	return !slices.ContainsFunc(in.all, func(scaler *object) bool {
		if scaler.Kind != "ScaledObject" || !in.sameSpace(scaler, o) {
			return false
		}
		table, err := scaler.table()
		return err == nil && at(table, "spec", "scaleTargetRef")["name"] == o.Name.Name
	}), nil
}

// makes reports whether an object of the side makes what is gone: a DataVolume its claim, a policy of Kyverno what its
// rules generate.
func (in *inventory) makes(gone Blocked) bool {
	kind, name, _ := strings.Cut(gone.Object, " ")
	return slices.ContainsFunc(in.all, func(o *object) bool {
		switch o.Group {
		case "cdi.kubevirt.io":
			return kind == claims && o.Kind == "DataVolume" && o.Name.Name == name &&
				(o.Namespace == gone.Namespace || o.Namespace == "" || gone.Namespace == "")
		case "kyverno.io":
			return generates(o, kind, name)
		}
		return false
	})
}

// generates reports whether a rule of a policy generates an object of a kind and a name, as far as the name is known.
func generates(policy *object, kind, name string) bool {
	table, err := policy.table()
	if err != nil {
		return false
	}
	rules, _ := at(table, "spec")["rules"].([]any)
	return slices.ContainsFunc(rules, func(one any) bool {
		rule, _ := one.(map[string]any)
		made := at(rule, "generate")
		as, _ := made["name"].(string)
		return made["kind"] == kind && (as == name || strings.Contains(as, "{{"))
	})
}
