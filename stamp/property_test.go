package stamp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	kube "sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/manifest"
)

// texts are values that are easy to get wrong.
var texts = []string{"", " ", "x", "8080", "true", "null", "~", "a: b", "- a", "# c", "'", "\"", "\\", "a\\nb", "\n",
	"a\n", "a\n\n", "\na", " a\n  b\n", "a\nb", "a \nb",
	"\ta", "a\tb", "ü", "\u2028", "{a}", "[a]", "&a", "*a", "!a", "%a", "@a", "|", ">", "---\n", "...", "a #b", "a:",
	":", "?", "é\r\nb", "\x00\x01", "a'b''c", "-----BEGIN X-----\nabc\n-----END X-----\n"}

// app is a random application: configuration objects, and workloads that consume parts of them.
type app struct {
	content   map[string]map[string]string // "ConfigMap a" -> key -> value
	workloads []testWorkload
}

// testWorkload is a workload by its pod spec and, for each object that it consumes, the keys; nil for all.
type testWorkload struct {
	kind, name string
	podSpec    map[string]any
	scope      map[string][]string
}

type object = map[string]any

func newApp(r *rand.Rand) *app {
	a := &app{content: map[string]map[string]string{}}
	for _, id := range []string{"ConfigMap a", "ConfigMap b", "Secret a", "Secret c"} {
		a.content[id] = map[string]string{}
		for _, k := range []string{"k1", "k2", "k3.txt", "k4", "K5"} {
			a.content[id][k] = texts[r.IntN(len(texts))]
		}
	}
	for i, kind := range []string{"Deployment", "StatefulSet", "DaemonSet", "Deployment"} {
		a.workloads = append(a.workloads, a.newWorkload(r, kind, fmt.Sprintf("w%d", i)))
	}
	return a
}

// newWorkload makes a workload with one to four references, each of a form whose scope is plain by its making.
func (a *app) newWorkload(r *rand.Rand, kind, name string) testWorkload {
	c := testWorkload{kind: kind, name: name, scope: map[string][]string{}}
	var env, envFrom, mounts, volumes []any
	ids := slices.Sorted(maps.Keys(a.content))
	for i := range 1 + r.IntN(4) {
		id := ids[r.IntN(len(ids))]
		kind, object1, _ := strings.Cut(id, " ")
		keys := slices.Sorted(maps.Keys(a.content[id]))
		r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		ref, source := object{"name": object1}, object{"name": object1}
		field, keyField, fromField := "configMap", "configMapKeyRef", "configMapRef"
		if kind == "Secret" {
			field, keyField, fromField = "secret", "secretKeyRef", "secretRef"
			source = object{"secretName": object1}
		}
		volume := fmt.Sprintf("v%d", i)
		mount := object{"name": volume, "mountPath": "/" + volume}
		switch r.IntN(6) {
		case 0:
			ref["key"] = keys[0]
			env = append(env, object{"name": fmt.Sprintf("E%d", i), "valueFrom": object{keyField: ref}})
			c.consumes(id, keys[:1])
			continue
		case 1:
			envFrom = append(envFrom, object{fromField: ref})
			c.consumes(id, nil)
			continue
		case 2:
			c.consumes(id, nil)
		case 3:
			mount["subPath"] = keys[0]
			c.consumes(id, keys[:1])
		case 4:
			source["items"] = []any{object{"key": keys[0], "path": "x/1"}, object{"key": keys[1], "path": "y"}}
			c.consumes(id, keys[:2])
		case 5:
			source["items"] = []any{object{"key": keys[0], "path": "x/1"}, object{"key": keys[1], "path": "y"}}
			mount["subPath"] = "x"
			c.consumes(id, keys[:1])
		}
		mounts = append(mounts, mount)
		volumes = append(volumes, object{"name": volume, field: source})
	}
	container := object{"name": "c", "env": env, "envFrom": envFrom, "volumeMounts": mounts}
	c.podSpec = object{"containers": []any{container}, "volumes": volumes}
	return c
}

func (c *testWorkload) consumes(id string, keys []string) {
	old, seen := c.scope[id]
	switch {
	case keys == nil || seen && old == nil:
		c.scope[id] = nil
	default:
		c.scope[id] = append(slices.Clone(old), keys...)
	}
}

func (c *testWorkload) has(id, key string) bool {
	keys, seen := c.scope[id]
	return seen && (keys == nil || slices.Contains(keys, key))
}

// text writes the application, each configuration object by write.
func (a *app) text(t testing.TB, write func(kind, name string, content map[string]string) string) string {
	t.Helper()
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(a.content)) {
		kind, name, _ := strings.Cut(id, " ")
		b.WriteString("---\n" + write(kind, name, a.content[id]))
	}
	for _, c := range a.workloads {
		y, err := kube.Marshal(object{"apiVersion": "apps/v1", "kind": c.kind, "metadata": object{"name": c.name},
			"spec": object{"template": object{"spec": c.podSpec}}})
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("---\n" + string(y))
	}
	return b.String()
}

// stampedWorkloads stamps a text and returns the text of each workload's document, in order.
func stampedWorkloads(t testing.TB, text string) []string {
	t.Helper()
	p, err := planOf(t, []byte(text), Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var out []string
	r := manifest.NewReader(bytesOf(t, p))
	for {
		d, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if d == nil {
			return out
		}
		for o := range d.Objects() {
			if o.Group() == "apps" {
				out = append(out, string(d.Bytes()))
			}
		}
	}
}

// plainly writes a configuration object as kubectl would.
func plainly(kind, name string, content map[string]string) string {
	o := object{"apiVersion": "v1", "kind": kind, "metadata": object{"name": name}}
	data, field := object{}, "data"
	for k, v := range content {
		switch {
		case kind == "Secret":
			data[k] = base64.StdEncoding.EncodeToString([]byte(v))
		case strings.Contains(v, "\x00"):
			o["binaryData"] = merged(o["binaryData"], k, base64.StdEncoding.EncodeToString([]byte(v)))
		default:
			data[k] = v
		}
	}
	o[field] = data
	y, err := kube.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(y)
}

func merged(m any, k, v string) object {
	out, _ := m.(object)
	if out == nil {
		out = object{}
	}
	out[k] = v
	return out
}

func TestAChangeRestartsWhatConsumesItAndNothingElse(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	inside, outside := 0, 0
	for range 150 {
		a := newApp(r)
		before := stampedWorkloads(t, a.text(t, plainly))
		ids := slices.Sorted(maps.Keys(a.content))
		id := ids[r.IntN(len(ids))]
		keys := slices.Sorted(maps.Keys(a.content[id]))
		key := keys[r.IntN(len(keys))]
		switch r.IntN(3) {
		case 0:
			a.content[id][key] += "!"
		case 1:
			delete(a.content[id], key)
		case 2:
			key = "new"
			a.content[id][key] = "x"
		}
		after := stampedWorkloads(t, a.text(t, plainly))
		for i, c := range a.workloads {
			if !c.has(id, key) {
				outside++
				if before[i] != after[i] {
					t.Fatalf("key %s of %s is outside the scope of %s, whose text changed:\n%s\n%s", key, id, c.name, before[i],
						after[i])
				}
				continue
			}
			inside++
			want := "        checksum.rollstamp.dev/" + strings.ToLower(strings.Replace(id, " ", ".", 1)) + ": v1-"
			if got := changedLines(before[i], after[i]); len(got) != 1 || !strings.HasPrefix(got[0], want) {
				t.Fatalf("key %s of %s is inside the scope of %s, whose text changed in %q", key, id, c.name, got)
			}
		}
	}
	if inside < 100 || outside < 100 {
		t.Errorf("%d changes inside and %d outside: too few to show anything", inside, outside)
	}
}

// changedLines returns the lines of b that differ from those of a.
func changedLines(a, b string) (out []string) {
	old, now := strings.Split(a, "\n"), strings.Split(b, "\n")
	if len(old) != len(now) {
		return []string{"another number of lines"}
	}
	for i := range now {
		if old[i] != now[i] {
			out = append(out, now[i])
		}
	}
	return out
}

func TestTheSameContentHasTheSameDigestHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	writers := map[string]func(kind, name string, content map[string]string) string{
		"mixed fields and styles": func(kind, name string,
			content map[string]string) string {
			return oddly(t, r, kind, name, content)
		},
		"JSON": func(kind, name string,
			content map[string]string) string {
			return asJSON(t, r, kind, name, content)
		},
		"labels and comments": func(kind, name string, content map[string]string) string {
			head := "# a comment\ntype: Opaque\nimmutable: true\n"
			return head + strings.Replace(plainly(kind, name, content), "metadata:\n",
				"metadata:\n  labels: {a: b}\n  annotations: {c: d}\n", 1)
		},
	}
	for range 60 {
		a := newApp(r)
		want := stampedWorkloads(t, a.text(t, plainly))
		for name, write := range writers {
			text := a.text(t, write)
			if got := stampedWorkloads(t, text); !slices.Equal(got, want) {
				t.Fatalf("%s:\n%s\ngot\n%s\nwant\n%s", name, text, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// spread puts each key into one of the fields that can hold it, and returns the fields with their keys in random order.
func spread(r *rand.Rand, kind string, content map[string]string) (fields map[string][][2]string) {
	fields = map[string][][2]string{}
	keys := slices.Sorted(maps.Keys(content))
	r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, k := range keys {
		v, encoded := content[k], base64.StdEncoding.EncodeToString([]byte(content[k]))
		binary := strings.Contains(v, "\x00") || r.IntN(2) == 0
		field := map[string]map[bool]string{"ConfigMap": {true: "binaryData", false: "data"},
			"Secret": {true: "data", false: "stringData"}}[kind][binary]
		if binary {
			v = encoded
		}
		fields[field] = append(fields[field], [2]string{k, v})
	}
	return fields
}

// oddly writes an object with a random style for every scalar.
func oddly(t testing.TB, r *rand.Rand, kind, name string, content map[string]string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("kind: " + kind + "\n")
	fields := spread(r, kind, content)
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		pairs := fields[field]
		m := &yaml.Node{Kind: yaml.MappingNode}
		if r.IntN(4) == 0 {
			m.Style = yaml.FlowStyle
		}
		want := map[string]string{}
		for _, p := range pairs {
			want[p[0]] = p[1]
			m.Content = append(m.Content, scalar(r, p[0]), scalar(r, p[1]))
		}
		y, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode,
			Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: field}, m}})
		if err != nil {
			t.Fatal(err)
		}
		// Where the library's writer and Kubernetes' reader do not agree, JSON is written.
		var back map[string]map[string]string
		if err := kube.Unmarshal(y, &back); err != nil || !maps.Equal(back[field], want) {
			j, _ := json.Marshal(want)
			y = []byte(field + ": " + string(j) + "\n")
		}
		b.Write(y)
	}
	b.WriteString("metadata:\n    name: '" + name + "'\napiVersion: \"v1\"\n")
	return b.String()
}

func scalar(r *rand.Rand, v string) *yaml.Node {
	styles := []yaml.Style{0, yaml.DoubleQuotedStyle, yaml.SingleQuotedStyle, yaml.LiteralStyle, yaml.FoldedStyle}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v, Style: styles[r.IntN(len(styles))]}
}

// asJSON writes an object on one line, or indented with tabs.
func asJSON(t testing.TB, r *rand.Rand, kind, name string, content map[string]string) string {
	t.Helper()
	o := object{"kind": kind, "apiVersion": "v1", "metadata": object{"name": name}}
	fields := spread(r, kind, content)
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		pairs := fields[field]
		m := map[string]string{}
		for _, p := range pairs {
			m[p[0]] = p[1]
		}
		o[field] = m
	}
	j, err := json.Marshal(o)
	if r.IntN(2) == 0 {
		j, err = json.MarshalIndent(o, "", "\t")
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(j) + "\n"
}
