package pipeline_test

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

// choices decide what is random: the bytes of a fuzzer, and behind them numbers that follow from these.
type choices struct {
	data []byte
	rest *rand.Rand
}

func newChoices(data []byte) *choices {
	h := fnv.New64a()
	h.Write(data)
	return &choices{data, rand.New(rand.NewPCG(h.Sum64(), 1))}
}

// below returns a number less than n.
func (c *choices) below(n int) int {
	if len(c.data) == 0 {
		return c.rest.IntN(n)
	}
	first := int(c.data[0])
	c.data = c.data[1:]
	return first % n
}

// oneIn reports true once in so many times.
func (c *choices) oneIn(n int) bool { return c.below(n) == n-1 }

func pick[T any](c *choices, from ...T) T { return from[c.below(len(from))] }

type object = map[string]any

// values are contents of keys that are easy to write wrongly.
var values = []string{"x", "", "true", "8080", "a: b", "# c", "a\nb\n", " a\n  b\n", "\n", "a\n\n", "'", "\"", "é", "- a"}

var keys = []string{"k1", "k2", "k3.txt", "k4"}

// tree is a random application: configuration, what produces more of it, and what consumes it.
type tree struct {
	*choices
	namespace string
	objects   []object
}

func newTree(c *choices) *tree {
	t := &tree{choices: c, namespace: pick(c, "", "p")}
	for _, id := range []string{"ConfigMap a", "ConfigMap b", "ConfigMap a.b", "Secret a", "Secret c"} {
		if kind, name, _ := strings.Cut(id, " "); !c.oneIn(8) {
			t.add(t.content(kind, name))
		}
	}
	shared := t.content("ConfigMap", "shared")
	shared["metadata"].(object)["namespace"] = "q"
	t.add(shared)
	if c.oneIn(2) {
		t.add(t.externalSecret())
	}
	if c.oneIn(4) {
		t.add(object{"apiVersion": "bitnami.com/v1alpha1", "kind": "SealedSecret",
			"metadata": t.named("sealed", object{"sealedsecrets.bitnami.com/cluster-wide": "true"}),
			"spec":     object{"encryptedData": object{"k1": "QUJD", "k2": "REVG"}}})
	}
	if c.oneIn(3) {
		spec := pick(c, object{"a": object{"x": 1}}, object{"a": object{"text": ""}}, object{"a": object{"text": nil}},
			object{"size": 1}, object{"a": object{}})
		t.add(object{"apiVersion": "example.com/v1", "kind": "Bucket", "metadata": t.named("bucket", nil), "spec": spec})
	}
	for i := range 1 + c.below(4) {
		t.add(t.workload(fmt.Sprintf("w%d", i)))
	}
	if c.oneIn(3) {
		c.rest.Shuffle(len(t.objects), func(i, j int) { t.objects[i], t.objects[j] = t.objects[j], t.objects[i] })
	}
	return t
}

func (t *tree) add(o object) { t.objects = append(t.objects, o) }

// named returns metadata.
func (t *tree) named(name string, annotations object) object {
	out := object{"name": name, "labels": object{"app": name}}
	if t.namespace != "" {
		out["namespace"] = t.namespace
	}
	switch {
	case len(annotations) > 0:
		out["annotations"] = annotations
	case t.oneIn(10):
		out["annotations"] = pick[any](t.choices, nil, object{})
	}
	return out
}

// content returns a ConfigMap or Secret.
func (t *tree) content(kind, name string) object {
	annotations := object{}
	for _, a := range [][2]string{{"reloader.stakater.com/match", "true"}, {"reloader.stakater.com/ignore", "true"},
		{"rollstamp.dev/ignore", "true"}, {"flagger.app/config-tracking", "disabled"}, {"kapp.k14s.io/versioned", ""},
		{"operator.1password.io/auto-restart", pick(t.choices, "true", "false")}} {
		if t.oneIn(30) {
			annotations[a[0]] = a[1]
		}
	}
	data := object{}
	for _, k := range keys {
		if v := pick(t.choices, values...); kind == "Secret" {
			data[k] = base64.StdEncoding.EncodeToString([]byte(v))
		} else {
			data[k] = v
		}
	}
	return object{"apiVersion": "v1", "kind": kind, "metadata": t.named(name, annotations), "data": data}
}

func (t *tree) externalSecret() object {
	spec := object{"secretStoreRef": object{"name": "s", "kind": "SecretStore"},
		"data": []any{object{"secretKey": "k1", "remoteRef": object{"key": pick(t.choices, "x", "y")}}}}
	switch t.below(3) {
	case 0:
		spec["target"] = object{"name": "made"}
	case 1:
		spec["target"] = object{"name": "made", "template": object{"data": object{"k1": "{{ .k1 }}", "k2": "x"}}}
	}
	return object{"apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret",
		"metadata": t.named("made", nil), "spec": spec}
}

// workload returns an object with a pod template.
func (t *tree) workload(name string) object {
	kind := pick(t.choices, "Deployment", "Deployment", "Deployment", "Deployment", "StatefulSet", "StatefulSet", "DaemonSet",
		"DaemonSet", "CronJob", "Job")
	annotations := object{}
	for _, a := range [][2]string{{"rollstamp.dev/mode", pick(t.choices, "on", "off")}, {"rollstamp.dev/live-volumes", "true"},
		{"rollstamp.dev/strategy", pick(t.choices, "annotation", "env", "suffix", "none")},
		{"reloader.stakater.com/auto", pick(t.choices, "true", "false")}, {"reloader.stakater.com/search", "true"},
		{"configmap.reloader.stakater.com/reload", pick(t.choices, "b", "a,b", "a.*")},
		{"secrets.exclude.reloader.stakater.com/reload", "a"}, {"wave.pusher.com/update-on-config-change", "true"},
		{"wave.pusher.com/extra-configmaps", "q/shared"}, {"argocd.argoproj.io/sync-wave", "3"},
		{"scout.commandk.dev/mutation-mode", pick(t.choices, "ignore", "ignore-and-detach")}} {
		if t.oneIn(30) {
			annotations[a[0]] = a[1]
		}
	}
	version, group := "apps/v1", t.template()
	spec := object{"template": group}
	if kind == "CronJob" || kind == "Job" {
		version = "batch/v1"
	}
	if kind == "CronJob" {
		spec = object{"schedule": "@daily", "jobTemplate": object{"spec": spec}}
	}
	return object{"apiVersion": version, "kind": kind, "metadata": t.named(name, annotations), "spec": spec}
}

// foreignChecksum is an annotation of another tool.
const foreignChecksum = "checksum/config"

// template returns a pod template.
func (t *tree) template() object {
	out := object{}
	annotations := object{}
	for _, a := range [][2]string{{foreignChecksum, "abc"}, {"other", "x"}, {"reloader.stakater.com/auto", "true"},
		{"fluxcd.controlplane.io/checksumFrom", "ConfigMap/q/shared"}} {
		if t.oneIn(10) {
			annotations[a[0]] = a[1]
		}
	}
	switch {
	case len(annotations) > 0:
		out["metadata"] = object{"annotations": annotations}
	case t.oneIn(2):
		out["metadata"] = pick[any](t.choices, object{"labels": object{"a": "b"}}, object{"annotations": nil},
			object{"annotations": object{}}, object{}, nil)
	}
	var volumes []any
	spec := object{"containers": []any{t.container("c", &volumes)}}
	if t.oneIn(3) {
		spec["containers"] = append(spec["containers"].([]any), t.container("d", &volumes))
	}
	if t.oneIn(4) {
		spec["initContainers"] = []any{t.container("i", &volumes)}
	}
	if len(volumes) > 0 || t.oneIn(8) {
		spec["volumes"] = volumes
	}
	out["spec"] = spec
	return out
}

// consumed are objects that workloads refer to; not all are there.
var consumed = []string{"ConfigMap a", "ConfigMap b", "ConfigMap a.b", "Secret a", "Secret c", "Secret made", "Secret made", "Secret sealed",
	"ConfigMap absent"}

// container returns a container and adds the volumes that it mounts.
func (t *tree) container(name string, volumes *[]any) object {
	out := object{"name": name, "image": "x"}
	var env, envFrom, mounts []any
	for i := range t.below(4) {
		kind, of, _ := strings.Cut(pick(t.choices, consumed...), " ")
		word, named := "configMap", object{"name": of}
		source := named
		if kind == "Secret" {
			word, source = "secret", object{"secretName": of}
		}
		volume := fmt.Sprintf("%s%d", name, len(*volumes))
		mount := object{"name": volume, "mountPath": "/" + volume}
		switch t.below(6) {
		case 0:
			ref := object{"name": of, "key": pick(t.choices, keys...)}
			if t.oneIn(4) {
				ref["key"] = "__data"
			}
			if t.oneIn(4) {
				ref["optional"] = true
			}
			env = append(env, object{"name": fmt.Sprintf("E%d", i), "valueFrom": object{word + "KeyRef": ref}})
			continue
		case 1:
			envFrom = append(envFrom, object{word + "Ref": named})
			continue
		case 3:
			mount["subPath"] = pick(t.choices, keys...)
		case 4:
			source["items"] = []any{object{"key": "k1", "path": "x/1"}, object{"key": "k2", "path": "y"}}
		case 5:
			source = object{"sources": []any{object{word: named}}}
			word = "projected"
		}
		mounts = append(mounts, mount)
		*volumes = append(*volumes, object{"name": volume, word: source})
	}
	if t.oneIn(4) {
		env = append(env, object{"name": "PLAIN", "value": "x"})
	}
	for field, list := range map[string][]any{"env": env, "envFrom": envFrom, "volumeMounts": mounts} {
		if len(list) > 0 {
			out[field] = list
		}
	}
	if len(env) == 0 && t.oneIn(6) {
		out["env"] = pick[any](t.choices, nil, []any{})
	}
	return out
}
