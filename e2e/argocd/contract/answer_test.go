package contract

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/rollstamp/rollstamp/e2e/argocd/parts"
	"github.com/rollstamp/rollstamp/e2e/cluster/folder"
)

// canary is a value that may stand in the manifests and nowhere else.
const canary = "canary-6f1d0c"

const secret = `
-- secret.yaml --
apiVersion: v1
kind: Secret
metadata: {name: database}
stringData: {password: ` + canary + `}
-- api.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
spec:
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec:
      containers: [{name: api, image: registry.example.com/api:1, envFrom: [{secretRef: {name: database}}]}]
`

func TestAManifestsSecretsAreInTheAnswerAlone(t *testing.T) {
	quiet := sidecar{env: []string{"ARGOCD_CMP_SERVER_LOGLEVEL=info"}} // at debug, Argo CD's server logs the answer itself
	both(t, quiet, func(t *testing.T, s *parts.Server) {
		repo := folder.New(t, secret)
		manifests, err := s.Generate(t, shop(repo))
		if err != nil {
			t.Fatal(err)
		}
		says(t, strings.Join(manifests, "\n"), canary, "checksum.rollstamp.dev/secret.database")
		hides(t, s.LastWords(), canary)
	})
}

func TestNoErrorShowsASecret(t *testing.T) {
	for name, c := range map[string]struct{ tree, word string }{
		"an object without kind":  {"-- Chart.yaml --\napiVersion: v2\nname: shop\nversion: 1.0.0\n-- templates/a.yaml --\napiVersion: v1\nmetadata: {name: database}\nstringData: {password: " + canary + "}\n", "kind"},
		"a document that is text": {"-- Chart.yaml --\napiVersion: v2\nname: shop\nversion: 1.0.0\n-- templates/z.yaml --\n" + canary + " and more words\n", "templates/z.yaml"},
		"a broken Secret":         {"-- a.yaml --\napiVersion: v1\nkind: Secret\nmetadata: {name: database}\nstringData:\n  password: " + canary + "\n b: [\n", "a.yaml"},
		"base64 that is none":     {"-- templates/a.yaml --\napiVersion: v1\nkind: Secret\nmetadata: {name: database}\ndata: {password: '" + canary + "!'}\n---\n{{ fail \"the end\" }}\n-- Chart.yaml --\napiVersion: v2\nname: shop\nversion: 1.0.0\n", "the end"},
		"a template with a value": {"-- templates/a.yaml --\na: {{ .Values.password.x.y }}\n-- values.yaml --\npassword: " + canary + "\n-- Chart.yaml --\napiVersion: v2\nname: shop\nversion: 1.0.0\n", "templates/a.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
				text := refused(t, s, shop(folder.New(t, c.tree)))
				says(t, text, c.word)
				hides(t, text, canary)
				hides(t, s.LastWords(), canary)
			})
		})
	}
}

func TestAHashKeyShowsNowhere(t *testing.T) {
	key := strings.Repeat(canary, 4)
	both(t, sidecar{env: []string{"ROLLSTAMP_HASH_KEY=" + key}}, func(t *testing.T, s *parts.Server) {
		manifests, err := s.Generate(t, shop(folder.New(t, secret)))
		if err != nil {
			t.Fatal(err)
		}
		hides(t, strings.Join(manifests, "\n"), key)
		hides(t, s.LastWords(), key)
	})
}

// refusals are answers by which Argo CD would delete or lose objects, or that it cannot read.
var refusals = map[string]struct{ tree, word string }{
	"a renderer that fails":        {chart + "-- templates/z.yaml --\n{{ fail \"the region is missing\" }}\n", "the region is missing"},
	"no objects at all":            {chart + "-- templates/facts.yaml --\n{{- if .Values.never }}\na: b\n{{- end }}\n", ""},
	"an object without kind":       {chart + "-- templates/z.yaml --\napiVersion: v1\nmetadata: {name: z}\n", "kind"},
	"a document that is a list":    {chart + "-- templates/z.yaml --\n- a\n- b\n", "templates/z.yaml"},
	"a document that is a text":    {chart + "-- templates/z.yaml --\njust words\n", "templates/z.yaml"},
	"a kustomization of nothing":   {"-- kustomization.yaml --\nresources: []\n", ""},
	"a resource that is not there": {"-- kustomization.yaml --\nresources: [none.yaml]\n", "none.yaml"},
}

func TestAnAnswerThatArgoCDWouldMisreadIsAnErrorInstead(t *testing.T) {
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
				says(t, refused(t, s, shop(folder.New(t, c.tree))), c.word)
			})
		})
	}
}

func TestAnErrorLeavesStandardOutputEmpty(t *testing.T) {
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, err := rollstamp(t, shop(folder.New(t, c.tree)), "argocd", "generate")
			if err == nil || stdout != "" || stderr == "" {
				t.Errorf("got %v, %d bytes of output and %q", err, len(stdout), stderr)
			}
		})
	}
}

func TestAnEmptyRenderIsTakenWhereThatIsAsked(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		call := with(shop(folder.New(t, refusals["no objects at all"].tree)), "allowEmpty", "true")
		if got := render(t, s, call); len(got) != 0 {
			t.Errorf("got %v", keys(got))
		}
	})
}

func TestAnAnswerThatIsTooLargeIsRefusedByUs(t *testing.T) {
	tree := chart + "-- templates/z.yaml --\n" + `{{- range until 104 }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: large-{{ . }}}
data: {text: {{ repeat 1048576 "x" }}}
{{- end }}
`
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		text := refused(t, s, shop(folder.New(t, tree)))
		says(t, text, "Argo CD takes 100")
		hides(t, text, "ResourceExhausted")
	})
}

const twice = `
-- a.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {LOG_LEVEL: info}
-- b.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {LOG_LEVEL: debug}
`

func TestTheSameObjectTwiceIsReported(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		manifests, err := s.Generate(t, shop(folder.New(t, twice)))
		if err != nil || len(manifests) != 2 {
			t.Fatalf("got %d manifests, %v", len(manifests), err)
		}
		says(t, s.LastWords(), "ConfigMap", "settings", "duplicate-object")
	})
}

const everyForm = `
-- all.yaml --
# a comment before all
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: listed}, data: {a: "1"}}
---
null
---
{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "json"}, "data": {"b": "é ☃ \u00e9"}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, description: "a <b> & c"}}}
---
x: &labels {app: web, tier: front}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: *labels
spec:
  selector: {matchLabels: *labels}
  template:
    metadata: {labels: *labels}
    spec:
      containers:
      - name: web
        image: registry.example.com/web:1
        envFrom: [{configMapRef: {name: listed}}]
        command: ["sh", "-c", 'echo "${x}" $$']
`

func TestEveryFormOfManifestsArrivesWithItsFields(t *testing.T) {
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		crlf := "apiVersion: v1\r\nkind: ConfigMap\r\nmetadata: {name: crlf}\r\ndata:\r\n  text: |\r\n    one\r\n    two\r\n"
		large := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: large}\ndata: {text: " + strings.Repeat("x", 9_000_000) + "}\n"
		repo := folder.New(t, everyForm)
		folder.WriteFile(t, repo+"/crlf.yaml", crlf)
		folder.WriteFile(t, repo+"/large.yaml", large)
		// Argo CD takes Lists apart behind the plugin; a list may come as one object or as its items.
		manifests, err := s.Generate(t, shop(repo))
		if err != nil {
			t.Fatal(err)
		}
		got := objects(t, manifests)
		for name, want := range map[string][]string{
			"ConfigMap json":  {"b", "é ☃ é"},
			"ConfigMap crlf":  {"text", "one\ntwo\n"},
			"ConfigMap large": {"text", strings.Repeat("x", 9_000_000)},
		} {
			if value := field(got[name], "data", want[0]); value != want[1] {
				t.Errorf("%s: %.40q, want %.40q", name, value, want[1])
			}
		}
		if got["ConfigMap listed"] == nil && got["List "] == nil {
			t.Errorf("the List has gone: %v", keys(got))
		}
		if got["CustomResourceDefinition widgets.example.com"] == nil {
			t.Errorf("no definition: %v", keys(got))
		}
		deployment := got["Deployment web"]
		if len(stamps(deployment)) != 1 || field(deployment, "spec", "selector", "matchLabels") != "map[app:web tier:front]" {
			t.Errorf("got %v", deployment)
		}
	})
}

func TestTwentyRequestsAtOnceGetOneAnswer(t *testing.T) {
	tree := chart + `-- templates/many.yaml --
{{- range $i := until 30 }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c{{ $i }}}
data: {{ dict "z" "1" "a" "2" "m" $.Values.greeting | toJson }}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d{{ $i }}}
spec:
  selector: {matchLabels: {app: d}}
  template:
    metadata: {labels: {app: d}}
    spec:
      containers: [{name: d, image: registry.example.com/d:1, envFrom: [{configMapRef: {name: c{{ $i }}}}, {configMapRef: {name: c0}}]}]
{{- end }}
`
	both(t, sidecar{}, func(t *testing.T, s *parts.Server) {
		repo := folder.New(t, tree)
		answers, errs := make([][]string, 20), make([]error, 20)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i], errs[i] = s.Generate(t, shop(repo)) })
		}
		all.Wait()
		for i := range answers {
			if errs[i] != nil {
				t.Fatal(errs[i])
			}
			if !reflect.DeepEqual(answers[i], answers[0]) {
				t.Fatalf("answer %d differs from the first", i)
			}
		}
		if len(answers[0]) != 61 {
			t.Errorf("got %d manifests, want 61", len(answers[0]))
		}
	})
}

func TestBothServersGiveTheSameManifests(t *testing.T) {
	theirs := behind(t, sidecar{})
	ours := parts.StartServe(t, "rollstamp", nil, parts.Sidecar{})
	for name, tree := range map[string]string{"plain": web, "chart": chart, "forms": everyForm, "secret": secret, "twice": twice} {
		t.Run(name, func(t *testing.T) {
			call := shop(folder.New(t, tree))
			want, err := theirs.Generate(t, call)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 2 { // the second may come out of a cache
				got, err := ours.Generate(t, call)
				if err != nil {
					t.Fatal(err)
				}
				// Theirs takes the text apart and writes each document as JSON; ours hands on what was rendered.
				if !reflect.DeepEqual(inOrder(t, got), inOrder(t, want)) {
					t.Errorf("answer %d of ours:\n%s\nwant:\n%s", i, fmt.Sprint(got), fmt.Sprint(want))
				}
			}
		})
	}
}
