package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/diff"
)

// remark is one message at a place in the source.
type remark struct {
	rule     string
	severity diag.Severity
	message  string
	file     string
	line     int
	identity string // what stays the same when its line moves; "" is the message
}

// rules are what remarks are about, besides the codes of findings.
var rules = map[string]string{
	"application-moves": "An application moves to another namespace or cluster",
	"will-not-come-up":  "Pods cannot start, or the API server refuses a change",
	"repeated-restart":  "A workload restarts at each render",
	"restart":           "A workload restarts",
	"noisy-restart":     "A workload restarts, and nothing that it reads has changed",
	"no-restart":        "A pod template changes, and no pod is replaced by it",
	"stale-stamps":      "A workload has stamps in its source that are stale",
	"not-known":         "Something changes, and what it restarts is not known",
	"quiet-change":      "Configuration changes and restarts nothing",
	renderFailed:        "An application could not be rendered",
}

// renderFailed is the rule of an application that could not be rendered.
const renderFailed = "render-failed"

// RenderFailed returns an application that could not be rendered as a finding, for formats that show nothing else.
func RenderFailed(app, why string, at diag.Position) diag.Finding {
	message := or(app, ".") + ": " + strings.TrimPrefix(why, app+": ")
	return diag.Finding{Code: renderFailed, Severity: diag.Failure, Message: message}.At(at)
}

// remarks lists the messages of a comparison, in the order of the reports.
func remarks(c *diff.Comparison) []remark {
	out, listed := movingRemarks(c), listedBefore(c)
	also := restartsOnce(c)
	for _, b := range c.Blocked {
		message := b.Name.String() + ": " + hinders(b)
		out = append(out, remark{"will-not-come-up", diag.Failure, message + also(b.Name), b.File, b.Line, message})
	}
	for _, r := range c.Repeated {
		message := r.Name.String() + repeatedVerb(r) + joinSome(r.Paths, 4)
		out = append(out, remark{"repeated-restart", diag.Warning, message + also(r.Name), r.File, r.Line, message})
	}
	for _, r := range c.Restarts {
		if listed(r) {
			continue // it is a part of a remark above
		}
		rule, severity, verb := "restart", diag.Info, " restarts: "
		switch partOf(r) {
		case still:
			rule, verb = "no-restart", " changes ("+Effect(r.Rollout)+"): "
		case noisy:
			rule, severity = "noisy-restart", diag.Warning
		}
		out = append(out, remark{rule, severity, r.Name.String() + verb + causesText(r), r.File, r.Line, ""})
	}
	out = append(out, staleRemarks(c)...)
	out = append(out, unknownRemarks(c)...)
	for _, q := range c.Quiet {
		out = append(out, remark{"quiet-change", diag.Warning, q.Name.String() + ": " + quietText(q), q.File, q.Line, ""})
	}
	for _, f := range c.Findings {
		message := f.Message
		if f.Object != "" {
			message = f.Object + ": " + message
		}
		out = append(out, remark{string(f.Code), f.Severity, message, f.File, f.Line, f.Identity()})
	}
	for _, a := range c.Apps {
		if a.Alike {
			continue // as before
		}
		for _, p := range a.Problems {
			message := fmt.Sprintf("%s (%s): %s", or(a.Name, "."), side(p.Side, c), p.Error)
			if p.By != "" {
				out = append(out, remark{"not-known", diag.Warning, message, "", 0, ""})
				continue
			}
			out = append(out, remark{renderFailed, diag.Failure, message, p.File, p.Line, ""})
		}
	}
	return out
}

// movingRemarks lists the applications that move.
func movingRemarks(c *diff.Comparison) []remark {
	var out []remark
	for _, a := range c.Apps {
		if a.Move != nil {
			message := or(a.Name, ".") + ": " + moveText(a.Move)
			out = append(out, remark{"application-moves", diag.Warning, message, a.Name, 0, ""})
		}
	}
	return out
}

// restartsOnce returns what reports, in the first remark about a workload, why it restarts as well.
func restartsOnce(c *diff.Comparison) func(diff.Name) string {
	why, listed := map[[2]string]string{}, listedBefore(c)
	for _, r := range c.Restarts {
		if listed(r) && r.Rollout.Effect != diff.Rejected {
			why[workloadOf(r.Name)] = "; it restarts: " + causesText(r)
		}
	}
	return func(n diff.Name) string {
		text := why[workloadOf(n)]
		delete(why, workloadOf(n))
		return text
	}
}

// causesText returns the causes of a restart in one line.
func causesText(r diff.Restart) string {
	var why []string
	for _, cause := range visibleCauses(r) {
		why = append(why, oneLine(CauseText(cause)))
	}
	return strings.Join(why, "; ")
}

// unknownRemarks lists what changes, and what it restarts is not known here.
func unknownRemarks(c *diff.Comparison) []remark {
	var out []remark
	for _, s := range unknownSection(c).Items {
		if len(s.Lines) > 0 {
			continue // it is about objects and applications, which follow
		}
		for _, name := range s.Names {
			out = append(out, remark{"not-known", diag.Warning, s.Head + ": " + name, name, 0, ""})
		}
	}
	for _, u := range c.Unknown {
		switch u.Reason {
		case diff.Renamed:
			out = append(out, remark{"not-known", diag.Warning, u.Via + " is now " + u.App, u.App, 0, ""})
		case diff.Moved:
			message := u.Object.String() + " was in " + u.Via + ": whether it restarts is not known here"
			out = append(out, remark{"not-known", diag.Warning, message, u.Object.File, u.Object.Line, ""})
		case diff.Uncertain:
			message := u.Object.String() + ": " + uncertainText(u)
			out = append(out, remark{"not-known", diag.Warning, message, u.Object.File, u.Object.Line, ""})
		case diff.OtherKey:
			message := u.Object.String() + ": " + otherKeyText(u)
			out = append(out, remark{"not-known", diag.Warning, message, u.Object.File, u.Object.Line, ""})
		case diff.FailedReader:
			message := u.Object.String() + ": " + failedReadersText(u)
			out = append(out, remark{"not-known", diag.Warning, message, u.Object.File, u.Object.Line, ""})
		case diff.Elsewhere:
			message := u.Object.String() + " changes: what it restarts is not known here"
			if u.Change != "" {
				message = u.Object.String() + ": " + unknownText(u)
			}
			out = append(out, remark{"not-known", diag.Warning, message,
				u.Object.File, u.Object.Line, ""})
		}
	}
	return out
}

// fingerprint returns what identifies a remark when its line moves.
func (r remark) fingerprint() string {
	sum := sha256.Sum256([]byte(r.rule + "\x00" + r.file + "\x00" + or(r.identity, r.message)))
	return hex.EncodeToString(sum[:16])
}

// hinders returns what hinders an object, in words.
func hinders(b diff.Blocked) string {
	switch b.Reason {
	case diff.KeyGone:
		return "a container requires key " + brief(b.Key) + " of " + b.Object + ", which is gone"
	case diff.NoKey:
		return "a container requires key " + brief(b.Key) + " of " + b.Object + ", which has no such key"
	case diff.Refused:
		return "the API server refuses the change: " + strings.TrimPrefix(b.Path+": "+b.Why, ": ")
	case diff.Deleted:
		return "it is deleted with " + b.Object + ", which is removed"
	}
	if b.Of != "" {
		return requirer(b) + b.Object + ", a copy of " + b.Of + ", which is gone"
	}
	return requirer(b) + b.Object + ", which is gone"
}
