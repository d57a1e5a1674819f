package migrate

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/compat"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/refs"
)

// readControllers finds what runs the tools, and Reloader's arguments.
func (m *migration) readControllers(ctx context.Context) error {
	all := newSigns(m.tools)
	for _, a := range m.apps {
		a.uses, a.signs = make([]uses, len(m.tools)), all.in(a.Result.Output.Text)
		if !a.signs.ofController {
			continue
		}
		kinds := refs.NewTable(config.MaxLevel, a.App.Settings().Kinds.Value)
		err := a.Result.EachObject(ctx, func(o manifest.Object, at diag.Position) {
			for _, row := range kinds.Rows(o) {
				m.runsTool(a, o, o.Node.At(row.PodSpecPath()...), at)
			}
			if args, ok := chartArguments(o); ok {
				m.addController(a, m.index(reloader), o, args, at, unreadValues(o)...)
			}
		})
		if err != nil {
			return err
		}
	}
	if t := &m.tools[m.index(reloader)]; len(m.args) > 0 {
		t.keys = append(t.keys, compat.ReloaderAnnotations(m.args)...) // arguments rename them
		all = newSigns(m.tools)
		for _, a := range m.apps {
			a.signs = all.in(a.Result.Output.Text)
		}
	}
	return nil
}

// runsTool finds the container of a tool's controller in a workload.
func (m *migration) runsTool(a *application, o manifest.Object, pod manifest.Node, at diag.Position) {
	for container := range pod.Get("containers").Items() {
		image := container.Get("image").StringValue()
		for i, t := range m.tools {
			if slices.ContainsFunc(t.images, func(part string) bool { return strings.Contains(image, part) }) {
				m.addController(a, i, o, argumentsOf(container, o.Namespace), at)
			}
		}
	}
}

// argumentsOf returns the arguments of a container that runs in a namespace, which stand for its variables, too.
func argumentsOf(container manifest.Node, namespace string) (args []string) {
	for _, field := range []string{"command", "args"} {
		for n := range container.Get(field).Items() {
			args = append(args, strings.Clone(n.StringValue()))
		}
	}
	for n := range container.Get("env").Items() {
		if n.Get("name").StringValue() != "KUBERNETES_NAMESPACE" || slices.ContainsFunc(args, listsNamespaces) {
			continue
		}
		if value := cmp.Or(n.Get("value").StringValue(), namespace); value != "" {
			args = append(args, "--namespaces="+strings.Clone(value))
		}
	}
	return args
}

// listsNamespaces reports whether an argument of Reloader has the namespaces that it watches.
func listsNamespaces(arg string) bool {
	return strings.HasPrefix(strings.TrimLeft(arg, "-"), "namespaces=") || arg == "--namespaces"
}

// differing returns what controllers of Reloader are started with, where it is not the same for all of them: no one
// setting is that of all. It returns nil where it is.
func (m *migration) differing() (all []string) {
	for i, c := range m.controllers {
		same := func(o Controller) bool {
			return slices.Equal(slices.Sorted(slices.Values(o.Arguments)), slices.Sorted(slices.Values(c.Arguments)))
		}
		if !slices.ContainsFunc(m.controllers[:i], same) {
			all = append(all, c.Object+" ("+cmp.Or(strings.Join(c.Arguments, " "), "none")+")")
		}
	}
	if len(all) < 2 {
		return nil
	}
	return all
}

// addController records what runs a tool. The arguments of several of Reloader's are taken together.
func (m *migration) addController(
	a *application, i int, o manifest.Object, args []string, at diag.Position, unread ...string,
) {
	c := Controller{App: a.name, Object: a.hide(o.String()), Arguments: []string{}, Place: a.place(at, o.String())}
	for _, from := range unread {
		c.Unread = append(c.Unread, a.hide(from))
	}
	if m.tools[i].name == reloader {
		c.Arguments = append(c.Arguments, compat.EffectiveReloaderArgs(args)...)
		m.controllers = append(m.controllers, c)
		for _, arg := range c.Arguments {
			if !slices.Contains(m.args, arg) {
				m.args = append(m.args, arg)
			}
		}
	}
	a.uses[i].controllers = append(a.uses[i].controllers, c)
}

// LacksReloader reports whether annotations of Reloader are there and Reloader itself is not, so that its arguments are
// not known.
func (r *Report) LacksReloader() bool {
	return slices.ContainsFunc(r.Tools, func(t Tool) bool {
		return t.Name == reloader && len(t.Found) > 0 && len(t.Controllers) == 0
	})
}
