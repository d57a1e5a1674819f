package argocd

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/render"
)

// fields lists the JSON paths of a type's fields, without those in items of lists.
func fields(typ reflect.Type, path string, out map[string]reflect.Type) {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct {
		out[path] = typ
		return
	}
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields(f.Type, strings.TrimPrefix(path+"."+name, "."), out)
	}
}

func TestEveryFieldOfASourceIsAnOption(t *testing.T) {
	want := map[string]reflect.Type{}
	fields(reflect.TypeFor[Source](), "", want)
	if len(want) < 35 {
		t.Fatalf("%d fields are seen", len(want))
	}
	seen, names := map[string]bool{}, map[string]bool{}
	for _, o := range Options() {
		if names[o.Name] || o.Meaning == "" || !strings.HasSuffix(o.Meaning, ".") {
			t.Errorf("option %+v", o)
		}
		names[o.Name] = true
		for _, path := range o.Paths {
			typ := want[path]
			if o.Own {
				continue
			}
			seen[path] = true
			if typ == nil {
				t.Errorf("%s: there is no field %s", o.Name, path)
				continue
			}
			if !strings.HasSuffix(path, "."+o.Name) && o.Flag == "" {
				t.Errorf("%s is not called by its field %s", o.Name, path)
			}
			shape := map[reflect.Kind]Collection{reflect.String: String, reflect.Bool: String, reflect.Slice: Array,
				reflect.Map: Map}[typ.Kind()]
			if o.Keys[0] != "" {
				shape = Map
			}
			if typ == reflect.TypeFor[config.Tree]() {
				shape = String
			}
			if o.Collection != shape || (typ.Kind() == reflect.Bool) != (o.Item == Boolean) {
				t.Errorf("%s: a field of type %s is a %s of %s", o.Name, typ, o.Collection, o.Item)
			}
		}
	}
	for path := range want {
		if !seen[path] {
			t.Errorf("%s is no option", path)
		}
	}
}

// everything returns each option of a kind once, as a parameter, with the field of the source that it must become.
var everything = map[render.Kind]struct{ parameters, source string }{
	render.KindHelm: {
		`[{"name":"valueFiles","array":["a"]},{"name":"values","string":"b: c"},{"name":"valuesObject","string":"d: {e: 1}"},{"name":"parameters","map":{"f":"g","h":"i"}},
		{"name":"forceStringParameters","map":{"j":"1"}},{"name":"fileParameters","map":{"k":"l"}},{"name":"releaseName","string":"m"},{"name":"namespace","string":"n"},
		{"name":"version","string":"v3"},{"name":"passCredentials","string":"true"},{"name":"ignoreMissingValueFiles","string":"true"},{"name":"skipCrds","string":"true"},
		{"name":"skipTests","string":"true"},{"name":"skipSchemaValidation","string":"true"},{"name":"kubeVersion","string":"1.33"},{"name":"apiVersions","array":["v1"]}]`,
		`{"helm":{"valueFiles":["a"],"parameters":[{"name":"f","value":"g"},{"name":"h","value":"i"},{"name":"j","value":"1","forceString":true}],"releaseName":"m","values":"b: c",
		"fileParameters":[{"name":"k","path":"l"}],"version":"v3","passCredentials":true,"ignoreMissingValueFiles":true,"skipCrds":true,"valuesObject":{"d":{"e":1}},
		"namespace":"n","kubeVersion":"1.33","apiVersions":["v1"],"skipTests":true,"skipSchemaValidation":true}}`,
	},
	render.KindKustomize: {
		`[{"name":"namePrefix","string":"a"},{"name":"nameSuffix","string":"b"},{"name":"images","array":["c:d"]},{"name":"replicas","map":{"e":"3"}},{"name":"commonLabels","map":{"f":"g"}},
		{"name":"forceCommonLabels","string":"true"},{"name":"labelWithoutSelector","string":"true"},{"name":"labelIncludeTemplates","string":"true"},{"name":"commonAnnotations","map":{"h":"i"}},
		{"name":"forceCommonAnnotations","string":"true"},{"name":"commonAnnotationsEnvsubst","string":"true"},{"name":"namespace","string":"j"},
		{"name":"patches","array":["{path: k, target: {kind: L}, options: {allowNameChange: true}}"]},{"name":"components","array":["m"]},{"name":"ignoreMissingComponents","string":"true"},
		{"name":"version","string":"v5"},{"name":"kubeVersion","string":"1.33"},{"name":"apiVersions","array":[]}]`,
		`{"kustomize":{"namePrefix":"a","nameSuffix":"b","images":["c:d"],"commonLabels":{"f":"g"},"version":"v5","commonAnnotations":{"h":"i"},"forceCommonLabels":true,"forceCommonAnnotations":true,
		"namespace":"j","commonAnnotationsEnvsubst":true,"replicas":[{"name":"e","count":3}],"patches":[{"path":"k","target":{"kind":"L"},"options":{"allowNameChange":true}}],"components":["m"],
		"ignoreMissingComponents":true,"labelWithoutSelector":true,"kubeVersion":"1.33","labelIncludeTemplates":true}}`,
	},
	render.KindPlain: {
		`[{"name":"recurse","string":"true"},{"name":"include","string":"a"},{"name":"exclude","string":"b"},{"name":"disableExtensionFilter","string":"false"},{"name":"extVars","map":{"c":"d"}},
		{"name":"extVarsCode","map":{"e":"1"}},{"name":"tlas","map":{"f":"g"}},{"name":"tlasCode","map":{"h":"2"}},{"name":"libs","array":["i"]},{"name":"refs","map":{}},{"name":"allowEmpty","string":"true"}]`,
		`{"directory":{"recurse":true,"jsonnet":{"extVars":[{"name":"c","value":"d"},{"name":"e","value":"1","code":true}],"tlas":[{"name":"f","value":"g"},{"name":"h","value":"2","code":true}],
		"libs":["i"]},"exclude":"b","include":"a"}}`,
	},
}

func TestEveryOptionReachesItsField(t *testing.T) {
	folders := map[render.Kind]string{render.KindHelm: "Chart.yaml", render.KindKustomize: "kustomization.yaml",
		render.KindPlain: "a.yaml"}
	reported := map[string]bool{}
	for kind, c := range everything {
		root := repository(t, map[string]string{folders[kind]: ""})
		call, err := FromPlugin(Env{"ARGOCD_APP_PARAMETERS": c.parameters}, root, root, nil)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		var want Source
		if err := json.Unmarshal([]byte(c.source), &want); err != nil {
			t.Fatal(err)
		}
		got, wanted := asJSON(t, call.Source), asJSON(t, want)
		if got != wanted {
			t.Errorf("%s\n got %s\nwant %s", kind, got, wanted)
		}
		var all []parameter
		if err := json.Unmarshal([]byte(c.parameters), &all); err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			reported[p.Name] = true
		}
	}
	for _, o := range Options() {
		if !reported[o.Name] {
			t.Errorf("no case gives %s", o.Name)
		}
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOptionsOfTheConfigurationFileAreThoseOfASource(t *testing.T) {
	root := repository(t, map[string]string{"Chart.yaml": "", ".rollstamp.yaml": `argocd:
  helm:
    valueFiles: [a, b]
    parameters: [{name: x, value: "1"}]
    valuesObject: {deep: {er: [1, 2.5, null, "x"]}}
  kustomize:
    replicas: [{name: a, count: 2}]
`})
	call, err := FromPlugin(Env{"ARGOCD_APP_PARAMETERS": `[{"name":"valueFiles","array":["c"]}]`}, root, root, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := asJSON(t, call.Source); got != `{"helm":{"valueFiles":["c"],"parameters":[{"name":"x","value":"1"}],"valuesObject":{"deep":{"er":[1,2.5,null,"x"]}}}}` {
		t.Errorf("got %s", got)
	}
}

func TestSourceFilesAreMergedAsArgoCDMergesThem(t *testing.T) {
	root := repository(t, map[string]string{
		"Chart.yaml":                 "",
		".argocd-source.yaml":        "helm:\n  valueFiles: [c]\n  releaseName: one\n  parameters: null\n",
		".argocd-source-ns_app.yaml": "helm:\n  releaseName: two\nrepoURL: elsewhere\n",
		".argocd-source-app.yaml":    "helm:\n  releaseName: three\n",
	})
	env := Env{"ARGOCD_APP_NAME": "ns_app",
		"ARGOCD_APP_PARAMETERS": `[{"name":"valueFiles","array":["a","b"]},{"name":"parameters","map":{"a":"b"}},{"name":"skipCrds","string":"true"}]`}
	call, err := FromPlugin(env, root, root, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := asJSON(t, call.Source); got != `{"helm":{"valueFiles":["c"],"releaseName":"two","skipCrds":true}}` {
		t.Errorf("got %s", got)
	}
	for text, want := range map[string]string{
		"kustomize: {namePrefix: a}\n": "multiple application sources defined: Kustomize,Helm",
		"helm: {valueFiles: text}\n":   ".argocd-source.yaml: read options: a value has the wrong type",
		"- hunter2\n":                  ".argocd-source.yaml: want a mapping",
		"a: 'hunter2\n":                ".argocd-source.yaml: parse YAML: not well-formed",
	} {
		root := repository(t, map[string]string{"Chart.yaml": "", ".argocd-source.yaml": text})
		if _, err := FromPlugin(Env{}, root, root, nil); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
