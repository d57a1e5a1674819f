package stamp

import (
	"fmt"
	"path/filepath"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/sources/objects"
)

// contentReport reports what is likely wrong with objects, consumed or not.
type contentReport struct {
	findings
	*run
}

// reportContent returns the findings about invalid content. What is consumed is an error already.
func reportContent(run *run) []diag.Finding {
	d := contentReport{findings: findings{positions: run.in.positions}, run: run}
	d.invalid()
	if len(run.settings.Producers.Value) > 0 {
		d.rules()
	}
	return d.list
}

func (d *contentReport) invalid() {
	for _, o := range d.in.index.Objects() {
		if !d.checked.done[o.Number()] {
			d.contents.Read(o, &d.memory)
			d.checked.add(o, &d.memory)
		}
		for _, v := range d.checked.invalid[o] {
			d.add(diag.New(diag.InvalidContent, o.String(), v.Problem).WithKey(v.Key), v.Offset)
		}
	}
	for _, m := range d.in.index.Producers() {
		for _, v := range m.Problems() {
			d.add(diag.New(diag.InvalidProducer, m.String(), v.Problem).WithKey(v.Key), v.Offset)
		}
	}
	for c := range d.in.index.Clashes() {
		d.add(diag.New(diag.MadeTwice, c.Producer.String(), c.String()), c.Producer.Offset)
	}
}

// rules reports paths in the configuration's rules that lead to nothing. Where another object has what this one
// has not, it may well be left out on purpose.
func (d *contentReport) rules() {
	type path struct {
		rule  int
		field string
	}
	type miss struct {
		producer *objects.Producer
		objects.Unmatched
	}
	objects, misses := map[int]int{}, map[path]int{}
	var all []miss
	for _, m := range d.in.index.Producers() {
		if rule, ok := m.Rule(); ok {
			objects[rule]++
			for _, u := range m.UnmatchedPaths() {
				misses[path{u.Rule, u.Field}]++
				all = append(all, miss{m, u})
			}
		}
	}
	for _, u := range d.in.index.UnnamedObjects() {
		message := fmt.Sprintf("name %q leads to nothing, by the rule%s", u.Name, d.ruleAt(u.Rule, "name"))
		f := diag.New(diag.RuleMatchesNothing, u.Object, message)
		if u.Name.HasMarks() {
			f.Severity = diag.Info
		}
		d.add(f, u.Offset)
	}
	for _, u := range all {
		message := fmt.Sprintf("path %q leads to nothing, by the rule for %s%s", u.Path, u.producer.Kind,
			d.ruleAt(u.Rule, u.Field))
		f := diag.New(diag.RuleMatchesNothing, u.producer.String(), message)
		if misses[path{u.Rule, u.Field}] < objects[u.Rule] {
			f.Severity = diag.Info
		}
		d.add(f, u.producer.Offset)
	}
}

// ruleAt returns where the configuration has the path, or else its rule.
func (d *contentReport) ruleAt(which int, path string) string {
	rule := fmt.Sprintf("producers[%d]", which)
	for _, field := range []string{rule + "." + path, rule} {
		if at := settingAt(d.settings, field); at != "" {
			return at
		}
	}
	return ""
}

// settingAt returns the file and line of a setting for a message; "" where no file has it. The file has no folder: that
// may be a copy, as of an earlier revision, and lie elsewhere on another machine.
func settingAt(s *config.Settings, field string) string {
	at, known := s.Where(field)
	if !known {
		return ""
	}
	at.File = filepath.Base(at.File)
	return " in " + at.String()
}
