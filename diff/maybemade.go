package diff

import (
	"cmp"
	"slices"
	"strings"
)

// mayMake returns the object that may make what is gone: it is added or changes, and its content is not known here. It
// returns "" where there is none.
func (c *Comparison) mayMake(gone Blocked, now inventories) (string, error) {
	if gone.Reason != Gone {
		return "", nil
	}
	for _, change := range c.Objects {
		isContentOf := func(f FieldChange) bool { return isContent(f.Path) }
		isNew := change.Change == Addition || change.Change == Modification && slices.ContainsFunc(change.Fields, isContentOf)
		if !isNew || isCompared(change.Name, now.apps) || !strings.Contains(change.Group, ".") {
			continue
		}
		in, err := now.of(change.App)
		if err != nil {
			return "", err
		}
		if o := in.by[id{change.Group, change.Kind, change.Namespace, change.Name.Name}]; o != nil && in.mayMake(o, gone) {
			return o.Name.String(), nil
		}
	}
	return "", nil
}

// mayMake reports whether an object of the side may make what is gone: a controller renders it into the namespace, or
// an operator that is not known here makes it for the object.
func (in *inventory) mayMake(o *object, gone Blocked) bool {
	table, err := o.table()
	if err != nil || o.Group == sourceGroup {
		return false
	}
	if isRendered(o) {
		target := targetOf(o, table)
		return o.App == gone.App || target == "" || gone.Namespace == "" || target == gone.Namespace
	}
	if space := cmp.Or(o.Namespace, in.space); space != "" && gone.Namespace != "" && space != gone.Namespace {
		return false
	}
	kind, name, _ := strings.Cut(gone.Object, " ")
	switch {
	case strings.HasSuffix(o.Group, ".k8s.io"), isIn(o.Name, inert) && o.Kind != "ReplicationDestination":
		return false
	case o.Name.Name == name, strings.HasPrefix(name, o.Name.Name+"-"):
		return true
	}
	return (kind == claims || kind == accounts) && holds(table["spec"], name)
}

// targetOf returns the namespace into which a controller renders an object; "" where that is not known.
func targetOf(o *object, table map[string]any) string {
	spec := at(table, "spec")
	for _, target := range []any{spec["targetNamespace"], at(spec, "destination")["namespace"]} {
		if space, _ := target.(string); space != "" {
			return space
		}
	}
	if o.Kind == "HelmRelease" {
		return o.Namespace
	}
	return ""
}

// holds reports whether a value is a text, or has it somewhere below.
func holds(v any, text string) bool {
	switch v := v.(type) {
	case string:
		return v == text
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return holds(item, text) })
	case map[string]any:
		for _, below := range v {
			if holds(below, text) {
				return true
			}
		}
	}
	return false
}

// isCompared reports whether an object describes an application of the side that could be rendered.
func isCompared(name Name, now map[string]*App) bool {
	for _, a := range now {
		if a.Err == nil && slices.Contains(a.By, name.String()) {
			return true
		}
	}
	return false
}
