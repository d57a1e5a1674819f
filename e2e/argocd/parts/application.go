package parts

import (
	"path"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
)

// Application is what Argo CD knows of an application when it calls a plugin.
type Application struct {
	Name, Namespace, Project      string
	Revision                      string
	RepoURL, Path, TargetRevision string
	KubeVersion                   string
	APIVersions                   []string
	Env                           map[string]string // plugin.env, already expanded
	Parameters                    v1alpha1.ApplicationSourcePluginParameters
}

// Shop is an application with every variable set; tests change what they are about.
func Shop() Application {
	return Application{
		Name: "shop", Namespace: "retail", Project: "default",
		Revision: "0123456789abcdef0123456789abcdef01234567",
		RepoURL:  "https://git.example.com/shop.git", Path: ".", TargetRevision: "main",
		KubeVersion: "1.34.0", APIVersions: []string{"v1", "apps/v1"},
	}
}

// With returns the application with one more parameter. A parameter is a string, a []string or a map[string]string.
func (a Application) With(name string, value any) Application {
	p := v1alpha1.ApplicationSourcePluginParameter{Name: name}
	switch v := value.(type) {
	case string:
		p.String_ = &v
	case []string:
		p.OptionalArray = &v1alpha1.OptionalArray{Array: v}
	case map[string]string:
		p.OptionalMap = &v1alpha1.OptionalMap{Map: v}
	default:
		panic("a parameter is a string, an array of strings or a map of strings")
	}
	a.Parameters = append(a.Parameters[:len(a.Parameters):len(a.Parameters)], p)
	return a
}

// Environ is what the repo-server sends along when it wants manifests.
func (a Application) Environ(t testing.TB) []string {
	t.Helper()
	env := []string{
		"ARGOCD_APP_NAME=" + a.Name,
		"ARGOCD_APP_NAMESPACE=" + a.Namespace,
		"ARGOCD_APP_PROJECT_NAME=" + a.Project,
		"ARGOCD_APP_REVISION=" + a.Revision,
		"ARGOCD_APP_REVISION_SHORT=" + a.Revision[:min(7, len(a.Revision))],
		"ARGOCD_APP_REVISION_SHORT_8=" + a.Revision[:min(8, len(a.Revision))],
		"ARGOCD_APP_SOURCE_REPO_URL=" + a.RepoURL,
		"ARGOCD_APP_SOURCE_PATH=" + a.Path,
		"ARGOCD_APP_SOURCE_TARGET_REVISION=" + a.TargetRevision,
		"KUBE_VERSION=" + a.KubeVersion,
		"KUBE_API_VERSIONS=" + strings.Join(a.APIVersions, ","),
	}
	return append(env, a.own(t)...)
}

// AnnouncementEnviron is what the repo-server sends along when it asks which parameters there are: much less.
func (a Application) AnnouncementEnviron(t testing.TB) []string {
	t.Helper()
	env := []string{
		"ARGOCD_APP_NAME=" + a.Name,
		"ARGOCD_APP_SOURCE_REPO_URL=" + a.RepoURL,
		"ARGOCD_APP_SOURCE_PATH=" + a.Path,
		"ARGOCD_APP_SOURCE_TARGET_REVISION=" + a.TargetRevision,
	}
	return append(env, a.own(t)...)
}

// own are the variables that the application's author has a say in.
func (a Application) own(t testing.TB) []string {
	t.Helper()
	var env []string
	for name, value := range a.Env {
		env = append(env, "ARGOCD_ENV_"+name+"="+value)
	}
	parameters, err := a.Parameters.Environ()
	if err != nil {
		t.Fatal(err)
	}
	return append(env, parameters...)
}

// dir is the application's folder in a repository on disk.
func (a Application) dir(repo string) string { return path.Join(repo, a.Path) }
