package lint

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
)

// looked returns what was seen of an object, and reports what of it was not looked into.
func (c *checker) looked(root *yaml.Node) *Looked {
	name := manifest.Describe(get(root, "kind").Value, get(root, "metadata", "namespace").Value,
		get(root, "metadata", "name").Value)
	looked := c.rules.Looked[name]
	if looked == nil {
		return &Looked{}
	}
	if !c.judged[name] {
		c.judged[name] = true
		for _, u := range looked.Unjudged {
			c.unjudged(root, u)
		}
	}
	return looked
}

// unjudged reports why something of an object was not looked into, where it may concern rollstamp, or is wrong.
func (c *checker) unjudged(root *yaml.Node, u Unjudged) {
	isSet := get(root, "kind").Value == "ApplicationSet"
	isWrong := !u.Unknown && (isSet || isComplete(root))
	at := root
	if generators := items(get(root, "spec", "generators")); u.Generator >= 0 && u.Generator < len(generators) {
		at = generators[u.Generator]
	}
	code, text := diag.SourceUnjudged, "%v: only what is written here is checked"
	switch {
	case isWrong && (isSet || c.mayBeOurs(root)):
		code, text = diag.PluginValue, "%v"
	case !c.mayBeOurs(root) && (!u.New || c.rules.IsTemplate):
		return
	case u.Generator >= 0:
		text = "%v: of the Applications that it makes only the template is checked"
	}
	var known *diag.Error
	isField := errors.As(u.Err, &known) && known.Pos.File == c.file &&
		(at == root || known.Pos.Line > root.Line+c.offset) // a set's first line says less than its generator
	if isField && c.wrong[known.Pos.Line] {
		return // it is reported already
	}
	f := c.report(code, at, text, diag.CauseOf(u.Err))
	if f.Hint = diag.HintOf(u.Err); u.New {
		f.Severity = diag.Warning
	}
	if isField {
		*f = f.At(known.Pos) // a field of the object
	}
}

// leftOver reports what no object of the file was found for, so that nothing is left out in silence.
func (c *checker) leftOver() {
	if c.rules.Unread != nil && c.known > 0 {
		before := len(c.findings)
		c.leave(c.rules.Unread)
		for i := before; i < len(c.findings) && !c.rules.IsTemplate; i++ {
			c.findings[i].Severity = diag.Failure
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.rules.Looked)) {
		if c.judged[name] {
			continue
		}
		for _, u := range c.rules.Looked[name].Unjudged {
			c.leave(u.Err)
		}
	}
}

func (c *checker) leave(err error) {
	at, object := diag.Position{File: c.file}, ""
	var known *diag.Error
	if errors.As(err, &known) {
		at.Line, object = known.Pos.Line, known.Object
	}
	if at.Line > 0 && c.wrong[at.Line] {
		return // it is reported already
	}
	f := diag.New(diag.SourceUnjudged, object, diag.CauseOf(err).Error()+": no repository was looked into for it").At(at)
	f.Hint = cmp.Or(diag.HintOf(err), f.Hint)
	c.findings = append(c.findings, f)
}

// isComplete reports whether an Application has what each one needs, so that it is no patch of another.
func isComplete(root *yaml.Node) bool {
	return has(root, "spec", "project") && has(root, "spec", "destination")
}
