package lint

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
)

var commandShape = &shape{is: mapping, fields: map[string]*shape{"command": scalarsShape, "args": scalarsShape}}

var announcementShape = &shape{is: mapping, fields: map[string]*shape{
	"name": scalarShape, "title": scalarShape, "tooltip": scalarShape, "required": truthShape, "itemType": scalarShape,
	"collectionType": scalarShape, "string": scalarShape, "array": scalarsShape, "map": anyShape,
}}

var specShape = &shape{
	is: mapping,
	fields: map[string]*shape{
		"version": scalarShape, "init": commandShape, "generate": commandShape,
		"discover": {
			is: mapping,
			fields: map[string]*shape{
				"fileName": scalarShape,
				"find": {is: mapping, fields: map[string]*shape{"command": scalarsShape, "args": scalarsShape,
					"glob": scalarShape}},
			},
			legacy: map[string]string{"command": "it belongs below find", "args": "it belongs below find",
				"glob": "it belongs below find"},
		},
		"parameters": {is: mapping, fields: map[string]*shape{
			"static": {is: list, item: announcementShape}, "dynamic": commandShape,
		}},
		"preserveFileMode": truthShape, "provideGitCreds": truthShape,
	},
	legacy: map[string]string{
		"discovery":        "it is called discover",
		"allowConcurrency": "renders of a plugin always run side by side",
		"lockRepo":         "each render has a copy of the repository for itself",
		"name":             "it belongs below metadata",
	},
}

var pluginShape = &shape{
	is: mapping,
	fields: map[string]*shape{
		"apiVersion": scalarShape, "kind": scalarShape, "spec": specShape,
		"metadata": {is: mapping, fields: map[string]*shape{
			"name": scalarShape, "namespace": scalarShape, "labels": anyShape, "annotations": anyShape,
		}},
	},
	legacy: map[string]string{
		"name": "it belongs below metadata", "init": "it belongs below spec", "generate": "it belongs below spec",
		"discover": "it belongs below spec", "parameters": "it belongs below spec", "version": "it belongs below spec",
	},
}

// plugin checks a plugin's file.
func (c *checker) plugin(root *yaml.Node) {
	if !c.isOurs(get(root, "metadata", "name").Value, root) {
		defer c.keepRefusals(len(c.findings))
	}
	c.strict(root, pluginShape, "")
	if v := get(root, "apiVersion"); v.Value != "argoproj.io/v1alpha1" {
		c.report(diag.PluginValue, orParent(v, root), "apiVersion: want argoproj.io/v1alpha1, found %q", v.Value)
	}
	name := get(root, "metadata", "name")
	c.named(name.Value, get(root, "spec"))
	c.name(orParent(name, root), name.Value, get(root, "spec", "version"))
	c.spec(get(root, "spec"), root)
}

// maxSocketName is the length of the longest name of a plugin's socket, in bytes: the system accepts paths of 107.
const maxSocketName = 107 - len("/home/argocd/cmp-server/plugins/") - len(".sock")

var pluginName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`) })

func (c *checker) name(at *yaml.Node, name string, version *yaml.Node) {
	switch {
	case name == "":
		c.report(diag.PluginValue, at, "metadata.name is missing; Argo CD does not start the plugin")
		return
	case !pluginName().MatchString(name):
		c.report(diag.PluginName, at, "metadata.name %q: want lower case letters, digits, - and .", name).
			Hint = "The name is part of a socket's path."
	}
	if version.Value != "" {
		name += "-" + version.Value
		f := c.report(diag.PluginName, version,
			"Applications have to name the plugin %q: its version is part of its name", name)
		f.Severity, f.Hint = diag.Info, "Leave the version out, so that an upgrade changes no Application."
		if version.ShortTag() != "!!str" {
			c.report(diag.PluginValue, version, "spec.version %s is a number, and 1.10 is read as 1.1",
				version.Value).Hint = "Put it in quotes."
		}
	}
	if len(name) > maxSocketName {
		c.report(diag.PluginValue, at, "the name of the plugin's socket has %d bytes; at most %d can be opened",
			len(name), maxSocketName)
	}
}

// spec checks what a plugin runs, and when. At is the position of what is missing.
func (c *checker) spec(spec, at *yaml.Node) {
	if len(items(get(spec, "generate", "command"))) == 0 {
		c.report(diag.PluginValue, orParent(spec, at),
			"spec.generate.command is missing; Argo CD does not start the plugin")
	}
	c.command(get(spec, "init"), "spec.init", "init")
	c.command(get(spec, "generate"), "spec.generate", "generate")
	c.command(get(spec, "parameters", "dynamic"), "spec.parameters.dynamic", "parameters")
	c.command(get(spec, "discover", "find"), "spec.discover.find", "discover")
	c.discovery(get(spec, "discover"))
	for _, a := range items(get(spec, "parameters", "static")) {
		c.announcement(a)
	}
}

func (c *checker) discovery(d *yaml.Node) {
	var ways []string
	for _, way := range [][]string{{"fileName"}, {"find", "glob"}, {"find", "command"}} {
		if has(d, way...) && (get(d, way...).Value != "" || len(get(d, way...).Content) > 0) {
			ways = append(ways, strings.Join(way, "."))
		}
	}
	if len(ways) == 0 {
		return
	}
	c.report(diag.PluginDiscovery, d,
		"each render of an application that names the plugin sends the repository twice, and that of one without a "+
			"type once more for each plugin that discovers")
	if len(ways) > 1 {
		c.report(diag.PluginValue, d, "discover: only %s counts, not %s", ways[0], strings.Join(ways[1:], " and "))
	}
}

// command checks the command for a purpose, which is also the name of rollstamp's command for it.
func (c *checker) command(n *yaml.Node, where, purpose string) {
	command, args := scalars(get(n, "command")), scalars(get(n, "args"))
	if len(command) == 0 {
		if len(args) > 0 {
			c.report(diag.PluginValue, n, "%s.args has no effect without command", where)
		}
		return
	}
	at, argv := items(get(n, "command"))[0], append(slices.Clone(command), args...)
	program := argv[0]
	switch {
	case strings.ContainsAny(program, " \t"):
		c.report(diag.PluginCommand, at,
			"%s.command: %q is taken for the name of one program; no shell takes it apart", where, program).
			Hint = fmt.Sprintf("command: [%s]", strings.Join(strings.Fields(program), ", "))
	case strings.HasPrefix(program, "."):
		c.report(diag.PluginCommand, at,
			"%s.command: %s is looked for in the application's folder: whoever writes there runs programs in the "+
				"sidecar", where, program).
			Hint = "Name a program of the image by its absolute path."
	}
	if i := slices.Index(argv, "-c"); i > 0 && i+1 < len(argv) && strings.HasSuffix(program, "sh") {
		c.script(at, where, argv[i+1])
	}
	switch base := path.Base(program); {
	case base == "rollstamp":
		c.program(at)
		c.rollstampCommand(at, where, purpose, argv[1:])
	case nearly(base, []string{"rollstamp"}) != "":
		c.report(diag.PluginCommand, at, "%s.command: there may be no program %s%s", where, program, didYouMean("rollstamp")).
			Hint = ""
	}
}

// script checks a shell script: the status of a pipe is that of its last command.
func (c *checker) script(at *yaml.Node, where, script string) {
	pipes := strings.Contains(strings.ReplaceAll(script, "||", ""), "|")
	if pipes && !strings.Contains(script, "pipefail") {
		c.report(diag.PluginCommand, at,
			"%s: an error before the last | is lost, and an empty answer deletes what the application has", where).
			Hint = "Begin the script with set -o pipefail, or run rollstamp without a shell."
	}
}

// rollstampCommand checks a call of rollstamp.
func (c *checker) rollstampCommand(at *yaml.Node, where, purpose string, args []string) {
	if len(args) >= 2 && args[0] == "argocd" && args[1] == purpose {
		c.words(diag.PluginCommand, at, where, args)
		return
	}
	c.report(diag.PluginCommand, at, "%s runs rollstamp %s, which does not read what Argo CD passes", where,
		strings.Join(args[:min(2, len(args))], " ")).
		Hint = "Run rollstamp argocd " + purpose + "."
}

func (c *checker) announcement(a *yaml.Node) {
	name := get(a, "name").Value
	if name == "" {
		c.report(diag.PluginValue, a, "a parameter of spec.parameters.static has no name")
	}
	collection := get(a, "collectionType")
	if !slices.Contains([]string{"", "string", "array", "map"}, collection.Value) {
		c.report(diag.PluginValue, collection, "collectionType of %s: want string, array or map, found %q", name,
			collection.Value)
	}
	for _, form := range []string{"string", "array", "map"} {
		if n := get(a, form); n != absent && collection.Value != "" && collection.Value != form {
			c.report(diag.PluginValue, n, "the default of %s is given as %s, but its collectionType is %s", name, form,
				collection.Value)
		}
	}
}
