package diff

import (
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/protect"
)

// protected returns findings about protected objects: what became of them and nobody approved, what was approved, and
// approvals and rules that are not as they should be.
func protected(p protections, approvals protect.Approvals) ([]diag.Finding, error) {
	all, err := p.breaches()
	if err != nil {
		return nil, err
	}
	out := judge(all, approvals)
	if !approvals.Part && !p.hasFailures() { // else it may be for what was not compared here
		out = append(out, unusedApprovals(all, approvals)...)
	}
	return append(out, loosened(p)...), nil
}

// hasFailures reports whether an application could not be rendered on a side.
func (p protections) hasFailures() bool {
	return slices.ContainsFunc(p.names, func(name string) bool {
		old, now := p.old[name], p.now.apps[name]
		return old != nil && old.Err != nil || now != nil && now.Err != nil
	})
}

// Unapproved returns the findings about protected objects that change without an approval.
func (c *Comparison) Unapproved() []diag.Finding {
	return slices.DeleteFunc(slices.Clone(c.Findings), func(f diag.Finding) bool { return f.Code != diag.ProtectedObject })
}

// judge returns a finding for each breach.
func judge(all []breach, approvals protect.Approvals) (out []diag.Finding) {
	for _, b := range all {
		object, text := b.Name.String(), b.text
		if as := manifest.Describe(b.as.Kind, b.as.Namespace, b.as.Name); b.as.Kind != b.Kind {
			text += "; it makes " + as
		}
		if len(b.as.Among) > 0 {
			text += "; its namespace is not known here, and may be that of the rule"
		}
		at := diag.Position{File: b.File, Line: b.Line}
		i := slices.IndexFunc(approvals.Trailers, b.isApprovedBy)
		lines := linesFor(b, approvals)
		switch k := slices.IndexFunc(lines, b.isApprovedBy); {
		case i >= 0:
			text += ", approved by " + approvals.Trailers[i].String()
			out = append(out, diag.New(diag.ProtectedApproved, object, text).At(at))
		case k >= 0:
			text += ", approved by " + lines[k].String()
			out = append(out, diag.New(diag.ProtectedApproved, object, text).At(at))
		default:
			text += "; not approved: " + b.as.String()
			out = append(out, diag.New(diag.ProtectedObject, object, text).At(at))
		}
	}
	return out
}

func (b breach) isApprovedBy(a protect.Approval) bool { return a.IsFor(b.as) }

// linesFor returns the lines of files that may approve a breach.
func linesFor(b breach, approvals protect.Approvals) (out []protect.Approval) {
	for _, file := range b.by {
		out = append(out, approvals.Files[string(file)]...)
	}
	return out
}

// unusedApprovals returns a finding for each approval that names no object, or one that does not change.
func unusedApprovals(all []breach, approvals protect.Approvals) (out []diag.Finding) {
	for _, one := range approvals.All() {
		text := "no protected object of that name changes in what was compared"
		switch {
		case one.Name == "":
			text = "it names no object as KIND/NAMESPACE/NAME"
		case slices.ContainsFunc(all, func(b breach) bool { return b.isApprovedBy(one) }):
			continue
		}
		where := "" // a finding has its place before its text
		if one.Commit != "" {
			where = " in " + one.String()
		}
		text = "the approval of " + diag.Quote(one.Text) + where + " has no effect: " + text
		out = append(out, diag.New(diag.ApprovalUnused, "", text).At(one.At))
	}
	return out
}

// loosened returns a finding for each rule of the old side that applications have no more.
func loosened(p protections) (out []diag.Finding) {
	seen := map[string]bool{}
	for _, name := range p.names {
		old, now := p.old[name], p.now.apps[name]
		if old == nil || now == nil || now.Err != nil || old.Render == now.Render {
			continue
		}
		for i, rule := range old.Protect.Objects.Value {
			text := "the rule for " + describeMatch(rule.Match) + " is not as it was; what it says counted here once more"
			if !slices.ContainsFunc(now.Protect.Objects.Value, rule.IsIncludedIn) && !seen[text] {
				seen[text] = true
				out = append(out, diag.New(diag.ProtectionLoosened, "", text).At(looseAt(old, now, i)))
			}
		}
	}
	return out
}

// looseAt returns where a rule of the old side is now: where the same objects have one, else where the list of rules
// is, else the file in which it was.
func looseAt(old, now *App, rule int) diag.Position {
	match := describeMatch(old.Protect.Objects.Value[rule].Match)
	i := slices.IndexFunc(now.Protect.Objects.Value,
		func(r config.ProtectRule) bool { return describeMatch(r.Match) == match })
	switch {
	case i >= 0 && i < len(now.RulesAt):
		return now.RulesAt[i]
	case now.ProtectAt != (diag.Position{}):
		return now.ProtectAt
	case rule < len(old.RulesAt):
		return diag.Position{File: old.RulesAt[rule].File}
	}
	return diag.Position{}
}

func describeMatch(m config.Match) string {
	var parts []string
	for _, one := range [][2]string{{"kind", string(m.Kind)}, {"namespace", string(m.Namespace)},
		{"name", string(m.Name)}, {"labels", m.Labels.String()}} {
		if one[1] != "" {
			parts = append(parts, one[0]+": "+one[1])
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
