package kustomize

import (
	"cmp"
	"regexp"

	"github.com/rollstamp/rollstamp/diag"
)

// class is a kind of errors of kustomize, known by its words: where it comes from, and what to do.
type class struct {
	pattern string
	find    func(where, []string) spot
	hint    string
}

// where is what is known of an error: the build, and the last kustomization on the way down to it.
type where struct {
	failures
	k    *kustomization
	text string
}

// spot is what was found out about an error. Without a file, the position is the one that the words alone lead to.
type spot struct {
	pos   diag.Position
	cause string // in place of kustomize's words, where these say less
	hint  string // where only what was found says the next step
}

// classes returns all but the common ones; the first that fits counts.
func classes() []class {
	return []class{
		{`no resource matches strategic merge patch "([^"]+)"|failed to find unique target for patch (\S+)`,
			where.unmatchedPatch,
			"A patch without a target is for the object of its kind, name and namespace, as they are before this " +
				"kustomization changes them: correct these, or take the patch out."},
		{`(\w+) operation does not apply: .*?: "?(/[^\s"]*?)"?: `, where.operation, missingPath},
		{`error in (\w+) for (?:path|from): '([^']*)'`, where.operation, missingPath},
		{`testing (value) (/\S*) failed`, where.operation,
			"An object of the target has another value there: correct the test, or narrow the target."},
		{`(Unexpected kind): (\S+)`, where.operation,
			"The operations are add, remove, replace, move, copy and test."},
		{`unable to find patch target ("(?:[^"\\]|\\.)*")`, where.target,
			"The fields of a target are regular expressions, its selectors are those of kubectl: correct it."},
		{`unable to parse SM or JSON patch`, where.unreadablePatch,
			"Write a part of the object, with its apiVersion, kind and name, or a list of operations with a target."},
		{`\[path: "([^"]*)"\]`, where.patchFile,
			"A patch of operations needs a target; several patches in one file can have none."},
		{`resource with name (\S*) does not match a config with`, where.replicas,
			"The name is that of the resource, without prefix and suffix: correct it, or take the entry out."},
		{`(?s)(?:multiple matches for selector|nothing selected by) (\S+)$`, where.source,
			"A source has to select exactly one object: say its kind, name and namespace as they are in the resources."},
		{"fieldPath `(.*)` is missing for replacement source (\\S+)$", where.sourceField,
			"Correct the source's fieldPath, or add the field."},
		{`replacements must specify a source and at least one target`, where.incomplete,
			"Add what is missing, or take it out."},
		{`unable to find field "([^"]*)" in replacement target`, where.fieldPath,
			"Correct the path, narrow what the target selects, or let options.create add the field."},
		{`error creating target selector: error parsing regexp`, where.targetOfReplacement,
			"The fields of select and reject are regular expressions: correct the one that is none."},
		{`merging from generator: (ConfigMap|Secret) "([^"]*)" does not exist`, where.generator,
			"Nothing before this has the name: correct it, or take the behavior out, so that the object is created."},
		{`merging from generator: (ConfigMap|Secret) "([^"]*)" exists`, where.generator,
			"Something before this has the name already: choose another, or say with behavior: merge or replace."},
		{"configmap (\\S+) illegally repeats the key `(.*)`", where.repeatedSource, "Take one of the two away."},
		{`a configmap must have a name`, where.namelessGenerator, "Give each generator a name."},
		{`invalid literal source`, where.literal, "Write it as KEY=VALUE."},
		{`has invalid utf8 bytes`, where.noText, "A file with variables is text in UTF-8: take other contents with files."},
		{`must specify one of patch and path|patch and path can't be set at the same time`, where.pathAndPatch,
			"An entry of patches has either a path or a patch."},
		{`var '\{(\S+) .*' cannot be mapped`, where.variable,
			"Correct the kind, apiVersion and name of its objref, or take the variable out."},
		{`accumulating resources from '([^']+)': missing (metadata\.name|kind|apiVersion|Resource metadata)`,
			where.headless,
			"Each document has to be an object with apiVersion, kind and metadata.name: add what is missing."},
		{`namespace transformation produces ID conflict: \[`, where.conflict,
			"Rename one of them, or take the namespace out of the kustomization."},
		{`print (\w+)\.\S*: (?:json: unsupported type: map|a key is no string)`, where.keyNoString,
			"Put the key into quotes: kustomize takes no numbers or truth values as keys."},
		{`kustomize panicked: `, where.listOfAnnotations, ""},
		{`(?:found a tab character|control characters are not allowed)`, where.unprintable,
			"kustomize cannot write this text as YAML: begin it with another character than a tab, and take " +
				"control characters out."},
		{`of object (\w+)\.[^/\s]*/(\S+)\.[^.\s]+: .*(?:node|kind)`, where.object,
			"A value on the way to the field is of another type than kustomize expects: correct it in the object."},
		{`print (\w+)\.[^/\s]*/(\S+)\.[^.\s]+: json: unsupported value`, where.object,
			"Correct the number: .inf and .nan cannot be written as JSON."},
	}
}

const missingPath = "The path has to be there in every object of the patch's target: correct it, " +
	"let an operation before this add what it leads through, or narrow the target."

// classify returns what is found out about an error whose words are those of a class, and the next step; nothing of any
// other.
func (f failures) classify(k *kustomization, text string) (at spot, hint string) {
	for _, one := range append(classes(), commonClasses()...) {
		if m := regexp.MustCompile(one.pattern).FindStringSubmatch(text); m != nil {
			at = one.find(where{f, k, text}, m)
			return at, cmp.Or(at.hint, one.hint)
		}
	}
	return spot{}, ""
}
