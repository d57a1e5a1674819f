package refs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/config"
)

// notPods are the places of kustomize's list where no pod reads the object: by kind and path, with the reason.
var notPods = map[string]string{
	"Ingress spec/tls/secretName":                                                        "the ingress controller watches it",
	`Ingress metadata/annotations/ingress.kubernetes.io\/auth-secret`:                    "the ingress controller watches it",
	`Ingress metadata/annotations/nginx.ingress.kubernetes.io\/auth-secret`:              "the ingress controller watches it",
	`Ingress metadata/annotations/nginx.ingress.kubernetes.io\/auth-tls-secret`:          "the ingress controller watches it",
	`Ingress metadata/annotations/nginx.ingress.kubernetes.io\/fastcgi-params-configmap`: "the ingress controller watches it",
	"ServiceAccount imagePullSecrets/name":                                               "read when an image is pulled",
	"StorageClass parameters/secretName":                                                 "the provisioner reads it",
	"StorageClass parameters/adminSecretName":                                            "the provisioner reads it",
	"StorageClass parameters/userSecretName":                                             "the provisioner reads it",
	"StorageClass parameters/secretRef":                                                  "the provisioner reads it",
	"PersistentVolume spec/azureFile/secretName":                                         "a claim, not a name, leads a pod there",
	"Role rules/resourceNames":                                                           "a permission",
	"ClusterRole rules/resourceNames":                                                    "a permission",
	"Node spec/configSource/configMap":                                                   "the kubelet's own, long gone from Kubernetes",
}

// lists are the fields on kustomize's paths that hold lists: it does not mark them.
var lists = map[string]bool{"volumes": true, "containers": true, "initContainers": true, "env": true, "envFrom": true, "sources": true, "imagePullSecrets": true}

// apiVersions of the kinds for which kustomize names none.
var apiVersions = map[string]string{
	"Pod": "v1", "PodTemplate": "v1", "ReplicationController": "v1", "Deployment": "apps/v1", "ReplicaSet": "apps/v1", "DaemonSet": "apps/v1",
	"StatefulSet": "apps/v1", "Job": "batch/v1", "CronJob": "batch/v1",
}

type nameReference struct {
	Kind       string
	FieldSpecs []struct{ Path, Group, Version, Kind string }
}

// kustomizeNameReferences reads the list out of the source of the kustomize that we link.
func kustomizeNameReferences(t *testing.T) []nameReference {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kustomize/api").Output()
	if err != nil {
		t.Fatalf("find the module: %v", err)
	}
	path := filepath.Join(strings.TrimSpace(string(dir)), "internal", "konfig", "builtinpluginconsts", "namereference.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ NameReference []nameReference }
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.Contains(lit.Value, "nameReference:") {
			text, err := strconv.Unquote(lit.Value)
			if err == nil {
				err = yaml.Unmarshal([]byte(text), &list)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return true
	})
	return list.NameReference
}

func TestWhateverKustomizeTakesForAReferenceOfAPodIsFound(t *testing.T) {
	t.Parallel()
	table := NewTable(config.MaxLevel, nil)
	tried, seen := 0, map[string]bool{}
	for _, target := range kustomizeNameReferences(t) {
		if target.Kind != ConfigMap && target.Kind != Secret {
			continue
		}
		for _, at := range target.FieldSpecs {
			place := at.Kind + " " + at.Path
			if _, known := notPods[place]; known {
				seen[place] = true
				continue
			}
			apiVersion := apiVersions[at.Kind]
			if at.Group != "" {
				apiVersion = at.Group + "/" + at.Version
			}
			if apiVersion == "" {
				t.Errorf("%s: a kind that is new in kustomize's list, which refers to a %s", place, target.Kind)
				continue
			}
			tried++
			var path []string
			for _, field := range strings.Split(at.Path, "/") {
				if lists[field] {
					field += "[]"
				}
				path = append(path, field)
			}
			text := jsonObject(t, apiVersion, at.Kind, nested(strings.Join(path, "."), "it"))
			found := templates(t, table, text)
			if len(found) != 1 || len(found[0].References) != 1 || found[0].References[0].Name != "it" || found[0].References[0].Kind != target.Kind {
				t.Errorf("%s: found %+v in\n%s", place, found, text)
			}
		}
	}
	if tried < 90 {
		t.Errorf("only %d paths tried: the list was not read", tried)
	}
	for place := range notPods {
		if !seen[place] {
			t.Errorf("%s is not in kustomize's list any more", place)
		}
	}
}
