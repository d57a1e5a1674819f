package kustomize_test

import (
	"context"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/render"
	"github.com/rollstamp/rollstamp/render/kustomize"
)

// tree is the files of a kustomization: its own text, and that of others by their names.
func tree(kustomization string, others ...string) map[string]string {
	out := map[string]string{"kustomization.yaml": kustomization, "a.yaml": configMap}
	for i := 0; i < len(others); i += 2 {
		out[others[i]] = others[i+1]
	}
	return out
}

// Each row is a kustomization that kustomize refuses: where that leads to, a part of the cause and of the next step.
func TestErrorsLeadToWhatIsWrong(t *testing.T) {
	t.Parallel()
	const (
		all       = "resources: [a.yaml]\n"
		patches   = all + "patches:\n- path: p.yaml\n"
		targeted  = patches + "  target: {kind: ConfigMap}\n"
		component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
		generate  = "configMapGenerator:\n- name: z\n- name: g\n"
		replace   = all + "replacements:\n- source: {kind: ConfigMap, name: a, fieldPath: metadata.name}\n" +
			"  targets: [{select: {kind: ConfigMap}, fieldPaths: [metadata.name]}]\n"
		second = "---\napiVersion: v1\nkind: ConfigMap\n"
	)
	inOne := strings.Replace(configMap, "name: a", "name: a, namespace: one", 1)
	inTwo := strings.Replace(inOne, "one", "two", 1)
	other := strings.Replace(configMap, "name: a", "name: other", 1)
	both := "ConfigMap a of namespace one at %/one.yaml:1 and ConfigMap a of namespace two at %/two.yaml:1"
	for name, c := range map[string]struct {
		files             map[string]string
		want, cause, hint string
	}{
		"patch of a file":         {tree(patches, "p.yaml", configMap+"---\n"+other), "p.yaml:5", "no resource matches strategic merge patch", "its kind, name and namespace"},
		"patch of patchesSM":      {tree(all+"patchesStrategicMerge: [p.yaml]\n", "p.yaml", other), "p.yaml:1", "no matches", "take the patch out"},
		"patch inline":            {tree(all + "patches:\n- patch: |\n    " + strings.ReplaceAll(other, "\n", "\n    ") + "\n"), "kustomization.yaml:3", "no matches", "take the patch out"},
		"patch twice":             {tree(patches+"- path: q.yaml\n", "p.yaml", other, "q.yaml", other), "kustomization.yaml:2", "no matches", "take the patch out"},
		"patch of a component":    {tree(all+"components: [c]\n", "c/kustomization.yaml", component+"patches: [path: p.yaml]\n", "c/p.yaml", other), "c/p.yaml:1", "no matches", "take the patch out"},
		"patch of a transformer":  {tree(patches+"transformers: [t.yaml]\n", "p.yaml", other, "t.yaml", "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: p}\npath: p.yaml\n"), "kustomization.yaml", "no matches", "take the patch out"},
		"add":                     {tree(targeted, "p.yaml", "- {op: add, path: /x, value: y}\n- {op: add, path: /data/x/y, value: z}\n"), "p.yaml:2", "add operation does not apply", "has to be there in every object"},
		"replace":                 {tree(targeted, "p.yaml", "- {op: replace, path: /data/x, value: z}\n"), "p.yaml:1", "replace operation does not apply", "has to be there"},
		"remove in JSON":          {tree(targeted, "p.yaml", "[\n{\"op\": \"remove\", \"path\": \"/data/x\"}]\n"), "p.yaml:2", "remove operation does not apply", "has to be there"},
		"move":                    {tree(targeted, "p.yaml", "- {op: move, path: /data/x, from: /metadata/none}\n"), "p.yaml:1", "error in move", "has to be there"},
		"test":                    {tree(targeted, "p.yaml", "- {op: test, path: /metadata/name, value: a}\n- {op: test, path: /kind, value: a}\n"), "p.yaml:2", "testing value /kind failed", "correct the test"},
		"operation by two":        {tree(targeted+"- path: q.yaml\n  target: {kind: Secret}\n", "p.yaml", "- {op: remove, path: /x}\n", "q.yaml", "- {op: remove, path: /x}\n"), "kustomization.yaml:2", "error in remove", "has to be there"},
		"unknown operation":       {tree(targeted, "p.yaml", "- {op: test, path: /kind, value: ConfigMap}\n- {op: delete, path: /kind}\n"), "p.yaml:2", "Unexpected kind: delete", "add, remove"},
		"operations, no target":   {tree(patches, "p.yaml", "- {op: remove, path: /x}\n"), "kustomization.yaml:3", "must specify a target", "needs a target"},
		"patch without a name":    {tree(patches, "p.yaml", configMap+second+"metadata: {nme: a}\n"), "p.yaml:5", "unable to parse SM or JSON patch", "a part of the object"},
		"target is no regexp":     {tree(all+"patches:\n- path: p.yaml\n  target: {kind: Secret}\n- path: p.yaml\n  target: {name: 'a[*'}\n", "p.yaml", configMap), "kustomization.yaml:5", "error parsing regexp", "regular expressions"},
		"replicas":                {tree(all + "images:\n- name: b\nreplicas:\n- name: b\n"), "kustomization.yaml:5", "resource with name b does not match a config", "without prefix"},
		"source is two":           {tree("resources: [a.yaml, o.yaml]\nreplacements:\n- source: {kind: ConfigMap}\n  targets: [{select: {kind: Secret}, fieldPaths: [a]}]\n", "o.yaml", other), "kustomization.yaml:3", "multiple matches", "exactly one"},
		"source is none":          {tree(replace + "- source: {kind: ConfigMap, name: b}\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [a]}]\n"), "kustomization.yaml:5", "nothing selected by", "exactly one"},
		"source has no field":     {tree(replace + "- source: {kind: ConfigMap, name: a, fieldPath: data.x}\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [a]}]\n"), "kustomization.yaml:5", "fieldPath `data.x` is missing", "fieldPath"},
		"target has no field":     {tree(all+"replacements: [path: r.yaml]\n", "r.yaml", "source: {kind: ConfigMap, name: a}\ntargets:\n- select: {kind: ConfigMap}\n  fieldPaths:\n  - metadata.name\n  - data.x\n"), "r.yaml:6", "unable to find field", "options.create"},
		"select is no regexp":     {tree(all + "replacements:\n- source: {kind: ConfigMap, name: a}\n  targets:\n  - select: {name: a}\n    reject: [name: '[']\n    fieldPaths: [metadata.name]\n"), "kustomization.yaml:6", "error parsing regexp", "regular expressions"},
		"replacement, no targets": {tree(replace + "- source: {kind: ConfigMap, name: a}\n"), "kustomization.yaml:5", "at least one target", "Add"},
		"nothing to merge into":   {tree(all + generate + "  behavior: merge\n"), "kustomization.yaml:4", `merging from generator: ConfigMap "g" does not exist`, "take the behavior out"},
		"generated, and there":    {tree(all+"components: [c]\n", "c/kustomization.yaml", component+"configMapGenerator:\n- name: a\n"), "c/kustomization.yaml:4", `merging from generator: ConfigMap "a" exists`, "choose another"},
		"key of two files":        {tree(generate+"  envs: [one.env, two.env]\n", "one.env", "A=1\n", "two.env", "B=1\n# A\nA=2\n"), "two.env:3", "illegally repeats the key `A`", "Take one"},
		"key of a literal":        {tree(generate+"  envs: [one.env]\n  literals: [A=1]\n", "one.env", "A=1\n"), "kustomization.yaml:3", "illegally repeats the key `A`", "Take one"},
		"no name":                 {tree(all, "a.yaml", configMap+second+"metadata: {nme: x, annotations: {a: b}}\n"+second+"metadata: {name: x}\n"), "a.yaml:5", "missing metadata.name", "Each document"},
		"no kind":                 {tree(all, "a.yaml", configMap+"---\napiVersion: v1\nmetadata: {name: x}\n"), "a.yaml:5", "missing kind", "Each document"},
		"no object":               {tree(all, "a.yaml", configMap+"---\n- a\n"), "a.yaml:5", "missing Resource metadata", "Each document"},
		"two namespaces":          {tree("resources: [one.yaml, two.yaml]\nnamespace: shop\n", "one.yaml", inOne, "two.yaml", inTwo), "kustomization.yaml:2", both, "Rename one"},
		"two in a component":      {tree("resources: [one.yaml, two.yaml]\ncomponents: [c]\n", "one.yaml", inOne, "two.yaml", inTwo, "c/kustomization.yaml", component+"namespace: shop\n"), "c/kustomization.yaml:3", both, "Rename one"},
		"two, renamed":            {tree("resources: [b]\nnamespace: shop\n", "one.yaml", "", "b/kustomization.yaml", "namePrefix: p-\nresources: [one.yaml, two.yaml]\n", "b/one.yaml", inOne, "b/two.yaml", inTwo), "kustomization.yaml:2", strings.ReplaceAll(both, "%", "%/b"), "Rename one"},
		"key is a number":         {tree("namePrefix: p-\n"+all, "a.yaml", configMap+"data:\n  a: b\n  80: c\n"), "a.yaml:6", "a key is no string", "quotes"},
		"annotations are a list":  {tree(all, "a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n  - a: b\n"), "a.yaml:5", "metadata.annotations is a list", "without the dashes"},
		"another panic":           {tree("crds: [e.json]\n", "e.json", ""), "kustomization.yaml", "kustomize panicked", ""},
		"file begins with a tab":  {tree(generate+"  files: [m.txt]\n", "m.txt", "\thello\n"), "m.txt:1", "found a tab character", "begin it with another"},
		"file with a DEL":         {tree(generate+"  files: [m.txt]\n", "m.txt", "x\na\x7fb"), "m.txt:2", "control characters", "control characters out"},
		"literal with a DEL":      {tree(generate + "  literals: [\"a=x\\x7f\"]\n"), "kustomization.yaml:3", "control characters", "control characters out"},
		"key in a patch":          {tree(patches, "p.yaml", configMap+"data:\n  80: c\n"), "p.yaml:5", "a key is no string", "quotes"},
		"no name in a list":       {tree(all, "a.yaml", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n"), "a.yaml:4", "missing metadata.name", "Each document"},
		"generator, no name":      {tree(generate + "- literals: [a=b]\n"), "kustomization.yaml:4", "must have a name", "Give each"},
		"literal without a key":   {tree(generate + "  literals:\n  - a=b\n  - c\n"), "kustomization.yaml:6", "invalid literal source", "KEY=VALUE"},
		"variables, no text":      {tree(generate+"  envs: [e]\n", "e", "A=b\nB=\xff\n"), "e:2", "invalid utf8", "UTF-8"},
		"patch and path":          {tree(patches+"- path: p.yaml\n  patch: x\n", "p.yaml", configMap), "kustomization.yaml:4", "can't be set at the same time", "either"},
		"variable of nothing":     {tree(all + "vars:\n- name: V\n  objref: {apiVersion: v1, kind: Service, name: none}\n"), "kustomization.yaml:3", "var V cannot be mapped", "objref"},
		"configuration, no YAML":  {tree(all+"configurations: [c.yaml]\n", "c.yaml", "namePrefix:\n- path: ]\n"), "c.yaml:2", "parse YAML: did not find expected node content", "just before"},
		"field of another type":   {tree(all+"commonAnnotations: {a: b}\n", "a.yaml", configMap+"---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x, annotations: []}\nspec: {template: {}}\n"), "a.yaml:5", "considering field", "another type"},
		"number that is infinite": {tree(all, "a.yaml", configMap+"data: {a: .inf}\n"), "a.yaml:1", "json: unsupported value", ".inf"},
		"name is a truth value":   {tree(all + "configMapGenerator:\n- name: y\n"), "kustomization.yaml:3", "cannot unmarshal bool", "fields of a kustomization"},
		"unknown field at anchor": {tree(patches + "  target: &t\n    nmae: x\n- path: p.yaml\n  target: *t\n"), "kustomization.yaml:5", `unknown field "nmae"`, "fields of a kustomization"},
		"unknown field x-a":       {tree(all + "# x-a\nx-a: &a {}\n"), "kustomization.yaml:3", `unknown field "x-a"`, "fields of a kustomization"},
		"unknown field elsewhere": {tree(all + "configMapGenerator: [{name: x}]\nname: x\n"), "kustomization.yaml", `unknown field "name"`, "fields of a kustomization"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := write(t, c.files)
			_, err := kustomize.Engine{}.Render(context.Background(), render.Request{Path: dir})
			mustFail(t, err, diag.ExitInput)
			got := err.Error()
			if want := dir + "/" + c.want + ": "; !strings.HasPrefix(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
			if want := strings.ReplaceAll(c.cause, "%", dir); !strings.Contains(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
			if !strings.Contains(diag.HintOf(err), c.hint) || c.hint == "" && diag.HintOf(err) != "" {
				t.Errorf("the hint is %q, want %s", diag.HintOf(err), c.hint)
			}
			for _, dump := range []string{"map[", "resid.", "&{", "}}", ": \""} {
				if rest := strings.NewReplacer(`missing path: "`, "", `[path: "`, "").Replace(got); strings.Contains(rest, dump) {
					t.Errorf("%s is in %s", dump, got)
				}
			}
		})
	}
}
