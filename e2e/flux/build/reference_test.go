package build_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/kustomize"
	"github.com/fluxcd/pkg/sourceignore"
	"github.com/fluxcd/pkg/ssa"
	ssautil "github.com/fluxcd/pkg/ssa/utils"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/flux/objects"
)

// cluster has the ConfigMaps and Secrets that variables come from.
type cluster struct {
	client.Client
	maps    map[string]map[string]string
	secrets map[string]map[string]string
}

// Get finds a ConfigMap or Secret by its name.
func (c cluster) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	switch o := into.(type) {
	case *corev1.ConfigMap:
		if data, ok := c.maps[key.Name]; ok {
			o.Data = data
			return nil
		}
	case *corev1.Secret:
		if data, ok := c.secrets[key.Name]; ok {
			o.Data = map[string][]byte{}
			for name, value := range data {
				o.Data[name] = []byte(value)
			}
			return nil
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
}

// pack copies what source-controller packs of a folder.
func pack(t *testing.T, from string, ignore *string) string {
	t.Helper()
	to := t.TempDir()
	domain := strings.Split(from, "/")
	patterns, err := sourceignore.LoadIgnorePatterns(from, domain)
	if err != nil {
		t.Fatal(err)
	}
	if ignore != nil {
		patterns = append(patterns, sourceignore.ReadPatterns(strings.NewReader(*ignore), domain)...)
	}
	matcher := sourceignore.NewDefaultMatcher(patterns, domain)
	if len(patterns) > 0 {
		matcher = sourceignore.NewMatcher(append(sourceignore.VCSPatterns(domain), patterns...))
	}
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || matcher.Match(strings.Split(path, "/"), false) {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, rel)), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// reference builds a Kustomization as kustomize-controller does, and returns its objects as JSON by their identities.
func reference(ctx context.Context, k *objects.Kustomization, root string, c cluster) (map[string]string, error) {
	u := unstructured.Unstructured{Object: asUnstructured(k)}
	dir := filepath.Join(root, k.Spec.Path)
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("kustomization path not found: %w", err)
	}
	action, err := kustomize.NewGenerator(root, u).WriteFile(dir, kustomize.WithSaveOriginalKustomization())
	if err != nil {
		return nil, err
	}
	defer func() { _ = kustomize.CleanDirectory(dir, action) }()
	m, err := kustomize.SecureBuild(root, dir, false)
	if err != nil {
		return nil, fmt.Errorf("kustomize build failed: %w", err)
	}
	for _, r := range m.Resources() {
		if r.GetName() == "" || r.GetKind() == "" || r.GetApiVersion() == "" {
			return nil, fmt.Errorf("failed to decode Kubernetes apiVersion, kind and name from: %v", r.String())
		}
		if k.Spec.PostBuild == nil {
			continue
		}
		out, err := kustomize.SubstituteVariables(ctx, c, u, r, kustomize.SubstituteWithStrict(true),
			kustomize.SubstituteWithAlways(k.Spec.PostBuild.Strategy == "Always"))
		if err != nil {
			return nil, fmt.Errorf("post build failed for '%s/%s': %w", r.GetGvk(), r.GetName(), err)
		}
		if out != nil {
			if _, err := m.Replace(r); err != nil {
				return nil, err
			}
		}
	}
	text, err := m.AsYaml()
	if err != nil {
		return nil, err
	}
	all, err := ssautil.ReadObjects(strings.NewReader(string(text)))
	if err != nil {
		return nil, err
	}
	ssa.NewResourceManager(nil, nil, ssa.Owner{Field: "kustomize-controller", Group: objects.KustomizeGroup}).
		SetOwnerLabels(all, k.Name, k.Namespace)
	if common := k.Spec.CommonMetadata; common != nil {
		ssautil.SetCommonMetadata(all, common.Labels, common.Annotations)
	}
	return byIdentity(all)
}

// asUnstructured returns a Kustomization as the API server would, which prunes fields that are null.
func asUnstructured(k *objects.Kustomization) map[string]any {
	text, _ := json.Marshal(k.Fields())
	var out map[string]any
	_ = json.Unmarshal(text, &out)
	pruneNulls(out)
	out["metadata"].(map[string]any)["namespace"] = k.Namespace
	return out
}

func pruneNulls(object map[string]any) {
	for name, v := range object {
		if v == nil {
			delete(object, name)
		} else if below, ok := v.(map[string]any); ok {
			pruneNulls(below)
		}
	}
}

func byIdentity(all []*unstructured.Unstructured) (map[string]string, error) {
	out := map[string]string{}
	for _, o := range all {
		text, err := yaml.Marshal(o.Object)
		if err != nil {
			return nil, err
		}
		out[fmt.Sprintf("%s %s %s/%s", o.GetAPIVersion(), o.GetKind(), o.GetNamespace(), o.GetName())] = string(text)
	}
	return out, nil
}
