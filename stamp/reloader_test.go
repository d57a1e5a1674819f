package stamp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/hashing"
)

// reloaderCase is a fact about Reloader, with manifests for it: what a workload says and reads, what changes then, and
// whether Reloader restarts the workload.
type reloaderCase struct {
	name       string
	kinds      string // of workloads, with blanks
	own        string // annotations, key=value with semicolons; AUTO, CM, SECRET and SPC stand for the usual ones
	template   string // the pod template's
	pod        string // how it refers to what, form:object with blanks; "-" is a pod without containers but init containers
	annotated  string // annotations of what changes
	changes    string // the object
	labelsOnly bool   // nothing else of it changes
	labels     string // of what changes, as YAML; and of its namespace
	namespace  string
	comes      bool   // it is new, or goes
	goes       bool   //
	args       string // of Reloader, with blanks
	restarts   bool
	differs    string // what the finding has where rollstamp does otherwise
	remarks    string // what a finding has where both restart it, in another way
	page       string // what migrate.md has where rollstamp does otherwise, and no render can say so
}

const (
	allReloaded = "Deployment DaemonSet StatefulSet Rollout"
	oneReloaded = "Deployment"
)

// reloaderNames are the annotations of Reloader by the words of the tables.
var reloaderNames = strings.NewReplacer(
	"AUTO", "reloader.stakater.com/auto", "CMAUTO", "configmap.reloader.stakater.com/auto",
	"SECRETAUTO", "secret.reloader.stakater.com/auto", "SPCAUTO", "secretproviderclass.reloader.stakater.com/auto",
	"CMEXCLUDE", "configmaps.exclude.reloader.stakater.com/reload",
	"SECRETEXCLUDE", "secrets.exclude.reloader.stakater.com/reload",
	"SPCEXCLUDE", "secretproviderclasses.exclude.reloader.stakater.com/reload",
	"CM=", "configmap.reloader.stakater.com/reload=", "SECRET=", "secret.reloader.stakater.com/reload=",
	"SPC=", "secretproviderclass.reloader.stakater.com/reload=",
	"SEARCH", "reloader.stakater.com/search", "MATCH", "reloader.stakater.com/match",
	"IGNORE", "reloader.stakater.com/ignore")

// what Reloader's own tables say, of its tests at chart 2.2.16: each row is run with real manifests.
func TestReloadersOwnTables(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(reloaderReferences, reloaderWorkloads, reloaderAnnotations, reloaderUnits,
		reloaderFlags) {
		for kind := range strings.FieldsSeq(c.kinds) {
			t.Run(c.name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				before, found := c.stamps(t, kind, false)
				after, _ := c.stamps(t, kind, true)
				restarts := !slices.Equal(before, after)
				explained := slices.ContainsFunc(found, func(f diag.Finding) bool {
					return f.Code == diag.UnlikeReloader && strings.Contains(f.Message, c.differs+c.remarks)
				})
				if (restarts != c.restarts) != (c.differs+c.page != "") || explained != (c.differs+c.remarks != "") {
					t.Errorf("it restarts: %v, and Reloader: %v; explained: %v, want %v\n%v\n%v", restarts, c.restarts,
						explained, c.differs+c.remarks != "", after, found)
				}
				if !strings.Contains(page(t), c.page) {
					t.Errorf("migrate.md has nothing of %q", c.page)
				}
			})
		}
	}
}

// stamps returns the stamps of the workload, before or after the change, and what is reported.
func (c *reloaderCase) stamps(t *testing.T, kind string, changed bool) (out []string, found []diag.Finding) {
	t.Helper()
	s := config.New()
	s.Compat.Reloader.Value, s.Compat.WholeObjects.Value = config.ReloaderOnly, true
	s.Compat.ReloaderArgs.Value = []config.NonEmpty{"--is-Argo-Rollouts=true", "--enable-csi-integration=true"}
	for arg := range strings.FieldsSeq(c.args) {
		s.Compat.ReloaderArgs.Value = append(s.Compat.ReloaderArgs.Value, config.NonEmpty(arg))
	}
	p, err := planOf(t, []byte(c.manifests(kind, changed)), Options{Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(bytesOf(t, p))) {
		if strings.Contains(line, hashing.DefaultPrefix) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out, p.Findings
}

// page returns docs/migrate.md on a line.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "migrate.md"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

// manifests returns the workload with all that it reads, and what changes.
func (c *reloaderCase) manifests(kind string, changed bool) string {
	var out strings.Builder
	done := map[string]bool{}
	write := func(object string) {
		if done[object] {
			return
		}
		done[object] = true
		if object == c.changes && (c.comes && !changed || c.goes && changed) {
			return
		}
		value, label, notes := "before", "l: before", ""
		if object == c.changes {
			notes = c.annotated
			if changed {
				label = "l: after"
			}
			if changed && !c.labelsOnly {
				value = "after"
			}
			if c.labels != "" {
				label = c.labels
			}
		}
		out.WriteString(objectOfReloader(object, value, label, notes) + "---\n")
	}
	for form := range strings.FieldsSeq(c.pod) {
		_, objects, _ := strings.Cut(form, ":")
		for object := range strings.SplitSeq(objects, "+") {
			if object != "" && !strings.HasPrefix(object, "csi/") {
				write(object)
			}
		}
	}
	write(c.changes)
	if c.namespace != "" {
		out.WriteString("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {" + c.namespace + "}}\n---\n")
	}
	template := "{metadata: {annotations: " + annotationsOf(c.template) + "}, spec: " + podOf(c.pod) + "}"
	spec := "{template: " + template + "}"
	if kind == "CronJob" {
		spec = "{jobTemplate: {spec: " + spec + "}}"
	}
	groups := map[string]string{"Rollout": "argoproj.io/v1alpha1", "DeploymentConfig": "apps.openshift.io/v1",
		"CronJob": "batch/v1", "Job": "batch/v1"}
	group := groups[kind]
	if group == "" {
		group = "apps/v1"
	}
	fmt.Fprintf(&out, "apiVersion: %s\nkind: %s\nmetadata: {name: web, namespace: shop, annotations: %s}\nspec: %s\n",
		group, kind, annotationsOf(c.own), spec)
	return out.String()
}

// objectOfReloader returns the manifest of KIND/NAME.
func objectOfReloader(object, value, labels, annotations string) string {
	kind, name, _ := strings.Cut(object, "/")
	head := map[string]string{
		"cm":     "apiVersion: v1\nkind: ConfigMap\ndata: {key: " + value + "}",
		"secret": "apiVersion: v1\nkind: Secret\nstringData: {key: " + value + "}",
		"spc": "apiVersion: secrets-store.csi.x-k8s.io/v1\nkind: SecretProviderClass\nspec: {provider: vault, " +
			"parameters: {roleName: " + value + "}}",
	}[kind]
	return fmt.Sprintf("%s\nmetadata: {name: %s, namespace: shop, labels: {%s}, annotations: %s}\n", head, name, labels,
		annotationsOf(annotations))
}

// annotationsOf returns annotations as a mapping on a line.
func annotationsOf(list string) string {
	var out []string
	for item := range strings.SplitSeq(reloaderNames.Replace(list), ";") {
		if key, value, ok := strings.Cut(item, "="); ok {
			out = append(out, key+": '"+value+"'")
		}
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// podOf returns a pod's spec on a line. A form with init- is of an init container.
func podOf(forms string) string {
	bare := strings.HasPrefix(forms, "-")
	forms = strings.TrimPrefix(forms, "-")
	var env, from, mounts [2][]string
	var volumes []string
	for form := range strings.FieldsSeq(forms) {
		form, object, _ := strings.Cut(form, ":")
		form, isInit := strings.CutPrefix(form, "init-")
		of := 0
		if isInit {
			of = 1
		}
		kind, name, _ := strings.Cut(object, "/")
		volume := fmt.Sprintf("v%d", len(volumes))
		switch form {
		case "env":
			key := map[string]string{"cm": "configMapKeyRef", "secret": "secretKeyRef"}[kind]
			env[of] = append(env[of], fmt.Sprintf("{name: A, valueFrom: {%s: {name: %s, key: key}}}", key, name))
			continue
		case "envFrom":
			key := map[string]string{"cm": "configMapRef", "secret": "secretRef"}[kind]
			from[of] = append(from[of], fmt.Sprintf("{%s: {name: %s}}", key, name))
			continue
		}
		volumes = append(volumes, volumeOf(volume, form, object))
		if form != "unmounted" {
			mounts[of] = append(mounts[of], "{name: "+volume+", mountPath: /"+volume+"}")
		}
	}
	container := func(i int) string {
		return "[{name: c, env: [" + strings.Join(env[i], ", ") + "], envFrom: [" + strings.Join(from[i], ", ") +
			"], volumeMounts: [" + strings.Join(mounts[i], ", ") + "]}]"
	}
	first := container(0)
	if bare {
		first = "[]"
	}
	return "{containers: " + first + ", initContainers: " + container(1) + ", volumes: [" +
		strings.Join(volumes, ", ") + "]}"
}

// volumeOf returns a volume on a line.
func volumeOf(volume, form, objects string) string {
	if form == "projected" {
		var all []string
		for object := range strings.SplitSeq(objects, "+") {
			kind, name, _ := strings.Cut(object, "/")
			source := map[string]string{"cm": "configMap", "secret": "secret"}[kind]
			all = append(all, fmt.Sprintf("{%s: {name: %s}}", source, name))
		}
		return "{name: " + volume + ", projected: {sources: [" + strings.Join(all, ", ") + "]}}"
	}
	kind, name, _ := strings.Cut(objects, "/")
	if kind == "csi" {
		return "{name: " + volume + ", csi: {driver: secrets-store.csi.k8s.io, volumeAttributes: " + name + "}}"
	}
	source := map[string]string{"cm": "configMap: {name: %s}", "secret": "secret: {secretName: %s}",
		"spc": "csi: {driver: secrets-store.csi.k8s.io, volumeAttributes: {secretProviderClass: %s}}"}[kind]
	return "{name: " + volume + ", " + fmt.Sprintf(source, name) + "}"
}
