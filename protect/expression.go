package protect

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/selection"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/manifest/generated"
)

// variables are what the expressions of a policy share. What an object holds is all but its metadata and its state; it
// is empty as diff takes it.
func variables() []named {
	const nothing = `(X == null || X == '' || X == [] || type(X) == map && X.all(v, ` +
		`X[v] == null || X[v] == '' || X[v] == [] || X[v] == {}))`
	empty := func(of string) string {
		value := strings.ReplaceAll(nothing, "X", of+"[k]")
		return of + ".all(k, k in ['apiVersion', 'kind', 'metadata', 'status', 'type', 'immutable'] || " + value + ")"
	}
	labels := func(of string) string { return "has(" + of + ".metadata.labels) ? " + of + ".metadata.labels : {}" }
	return []named{
		{"labels", labels("oldObject")},
		{"newLabels", "request.operation == 'DELETE' ? {} : (" + labels("object") + ")"},
		{"changed", "request.operation == 'UPDATE' && !(" +
			"object.all(k, k in ['metadata', 'status'] || k in oldObject && object[k] == oldObject[k]) && " +
			"oldObject.all(k, k in ['metadata', 'status'] || k in object))"},
		{"emptied", "request.operation == 'UPDATE' && " + empty("object") + " && !" + empty("oldObject")},
	}
}

// placed returns whether an object has the kind, namespace and name of a match.
func placed(m config.Match, names Names) string {
	all := []string{}
	if m.Kind != "" {
		all = append(all, "request.kind.kind.lowerAscii() == "+strconv.Quote(strings.ToLower(string(m.Kind))))
	}
	if m.Namespace != "" {
		const namespace = "(has(oldObject.metadata.namespace) ? oldObject.metadata.namespace : '')"
		all = append(all, fits(namespace, m.Namespace))
	}
	if m.Name != "" {
		all = append(all, isNamed(m, names))
	}
	if len(all) == 0 {
		return "true"
	}
	return strings.Join(all, " && ")
}

// isNamed returns whether an object has the name of a match; of a ConfigMap or Secret, with kustomize's hash behind it,
// too, or with a digest where names have them.
func isNamed(m config.Match, names Names) string {
	const name = "oldObject.metadata.name"
	plain, kind := fits(name, m.Name), strings.ToLower(string(m.Kind))
	if kind != "" && !slices.Contains(digested, kind) {
		return plain
	}
	suffix := "-" + generated.Hash
	if names == WithDigests {
		suffix = "-(" + generated.Hash + "|" + digest + ")"
	}
	with := name + ".matches(" + strconv.Quote("^"+expression(string(m.Name))+suffix+"$") + ")"
	if kind == "" {
		with = "request.kind.kind.lowerAscii() in " + list(digested) + " && " + with
	}
	return "(" + plain + " || " + with + ")"
}

// digested are the kinds of objects whose names may carry hashes and digests.
var digested = []string{"configmap", "secret"}

// digest is what a digest in a name looks like.
const digest = "[0-9a-f]{16}"

// fits returns whether a text fits a pattern.
func fits(text string, g config.Glob) string {
	if !strings.ContainsAny(string(g), `*?[\`) {
		return text + " == " + strconv.Quote(string(g))
	}
	return text + ".matches(" + strconv.Quote("^"+expression(string(g))+"$") + ")"
}

// expression returns a pattern as a regular expression.
func expression(pattern string) string {
	var out strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '*':
			out.WriteString("[^/]*")
		case '?':
			out.WriteString("[^/]")
		case '\\':
			i++
			out.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		case '[':
			end := i + 1 + strings.IndexByte(pattern[i+1:], ']')
			out.WriteString(pattern[i : end+1])
			i = end
		default:
			out.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		}
	}
	return out.String()
}

// selected returns whether labels fulfil a selector; "" where that selects nothing in particular.
func selected(s config.Selector, labels string) string {
	var all []string
	for _, r := range s.Requirements() {
		key := strconv.Quote(r.Key())
		has, value := key+" in "+labels, labels+"["+key+"]"
		switch values := r.ValuesUnsorted(); r.Operator() {
		case selection.Exists:
			all = append(all, has)
		case selection.DoesNotExist:
			all = append(all, "!("+has+")")
		case selection.NotIn, selection.NotEquals:
			all = append(all, "!("+has+" && "+value+" in "+list(values)+")")
		case selection.GreaterThan, selection.LessThan:
			sign := map[selection.Operator]string{selection.GreaterThan: " > ", selection.LessThan: " < "}[r.Operator()]
			all = append(all, has+" && "+value+".matches('^-?[0-9]{1,18}$') && int("+value+")"+sign+values[0])
		default:
			all = append(all, has+" && "+value+" in "+list(values))
		}
	}
	return strings.Join(all, " && ")
}

// list returns texts as a list of an expression.
func list(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = strconv.Quote(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
