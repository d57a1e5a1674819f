package argocd

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// Env are the variables of one call of a plugin, those that Argo CD sets: config.PluginEnvironment, or what a request carries.
// Others are not looked at.
type Env map[string]string

// Call is one call of a plugin: what is to be rendered, and how.
type Call struct {
	Build
	Source     Source      // with at most the options of Kind
	Kind       render.Kind // what the application's folder holds
	AllowEmpty bool        // the application says that it may be empty
	Config     string      // the configuration file that has a part in this; "" where there is none

	remotes []remote // other sources that stand elsewhere; see Fetch
}

// Request returns what an engine is asked. It has no permissions, cache and credentials: the caller adds those.
func (c *Call) Request() (render.Request, []diag.Finding, error) {
	_, req, found, err := c.Build.Request(c.Source)
	return req, found, err
}

// FromPlugin reads a call: the variables, and in the application's folder the files that Argo CD leaves to us. Dir is that folder and
// root the top of the tree that came with it (see Root); where root is "", it is looked for. What counts, from the least:
//
//   - argocd in the nearest .rollstamp.yaml,
//   - the variables ROLLSTAMP_... of plugin.env,
//   - plugin.parameters,
//   - helm, kustomize and directory in .argocd-source.yaml, then in .argocd-source-APP.yaml.
//
// Each replaces an option as a whole; but the last two are merged as JSON merge patches, which replace lists as a whole. An option of
// unknown name, of the wrong type, or of another kind of source is an error with exit code 2; only the configuration file, which may
// serve several applications, can hold options of all kinds.
//
// An error is one for the Application's condition, as Tell makes it.
func FromPlugin(env Env, dir, root string, system files.System) (*Call, error) {
	c := &Call{Build: surroundings(env)}
	if err := c.read(env, dir, root, system); err != nil {
		return nil, c.Tell(err)
	}
	return c, nil
}

func (c *Call) read(env Env, dir, root string, system files.System) (err error) {
	if err := c.place(dir, root, system); err != nil {
		return err
	}
	if c.Kind, err = Detect(files.OrDisk(system), c.Dir); err != nil {
		return err
	}
	file, err := config.Load(config.Place{Dir: c.Dir, Root: c.Root, Files: system})
	if err != nil {
		return err
	}
	c.Config = file.Path()
	said, err := options(env)
	if err != nil {
		return err
	}
	return c.join(file.ArgoCD(), said)
}

// surroundings takes what the variables say of the application.
func surroundings(env Env) Build {
	b := Build{
		AppName:        env["ARGOCD_APP_NAME"],
		Namespace:      env["ARGOCD_APP_NAMESPACE"],
		Project:        env["ARGOCD_APP_PROJECT_NAME"],
		Revision:       env["ARGOCD_APP_REVISION"],
		RepoURL:        env["ARGOCD_APP_SOURCE_REPO_URL"],
		Path:           env["ARGOCD_APP_SOURCE_PATH"],
		TargetRevision: env["ARGOCD_APP_SOURCE_TARGET_REVISION"],
		KubeVersion:    env["KUBE_VERSION"],
		Env:            map[string]string{},
	}
	for _, v := range strings.Split(env["KUBE_API_VERSIONS"], ",") {
		if v != "" {
			b.APIVersions = append(b.APIVersions, v)
		}
	}
	for name, value := range env {
		if strings.HasPrefix(name, config.PluginEnvPrefix) {
			b.Env[name] = value
		}
	}
	return b
}

// place finds the application's folder and the repository around it.
func (c *Call) place(dir, root string, system files.System) error {
	c.Files = system
	real, err := files.OrDisk(system).Real(dir)
	if err == nil {
		c.Dir, err = filepath.Abs(real)
	}
	if err != nil {
		return diag.Input(diag.Position{}, errors.New("find the application: no such folder"), "")
	}
	if root == "" {
		root = Root(c.Dir, c.Path, system)
	}
	if c.Root, err = files.OrDisk(system).Real(root); err != nil || !files.Within(c.Root, c.Dir) {
		return diag.Input(diag.Position{}, errors.New("find the repository of the application: its folder lies in no such tree"), "")
	}
	return nil
}

// Root returns the top of the tree that dir lies in, dir being the application's folder, absolute and without links. Argo CD may send
// the tree without .git, and only a part of it: its own server unpacks it in a folder whose place is known, and otherwise the top is dir
// less as much of the end of path, the application's path in the repository, as both have in common. Where they have nothing in common,
// it is the repository that the files show.
func Root(dir, path string, system files.System) string {
	if top, ok := unpacked(dir); ok {
		return top
	}
	at := dir
	for rest := clean(path); rest != ""; {
		i := strings.LastIndexByte(rest, '/')
		if filepath.Base(at) != rest[i+1:] {
			break
		}
		rest, at = rest[:max(i, 0)], filepath.Dir(at)
	}
	if at != dir {
		return at
	}
	roots := config.Roots{Files: system}
	if repository, ok := roots.Repository(dir); ok {
		return repository
	}
	return dir
}

// unpacked returns the folder that argocd-cmp-server unpacked a tree in. Its name is the first of its kind: those below are the tree's.
func unpacked(dir string) (string, bool) {
	const folder = string(filepath.Separator) + "_cmp_server" + string(filepath.Separator)
	before, after, found := strings.Cut(dir, folder)
	if !found {
		return "", false
	}
	name, _, _ := strings.Cut(after, string(filepath.Separator))
	return before + folder + name, name != ""
}

func clean(p string) string { return strings.Trim(path.Clean("/"+p), "/") }

// options reads those that variables hold, the least first.
func options(env Env) ([]given, error) {
	fromEnv, err := variables(env)
	if err != nil {
		return nil, err
	}
	fromParameters, err := parameters(env[parametersVar])
	if err != nil {
		return nil, err
	}
	return append(fromEnv, fromParameters...), nil
}

// join makes the source out of all that was said.
func (c *Call) join(file config.ArgoCD, said []given) error {
	base, err := toTree(ofKind(file, c.Kind))
	if err != nil {
		return fmt.Errorf("read the options of the application: %w", err)
	}
	refs := tree{}
	for name, dir := range file.Refs {
		refs[name] = dir
	}
	base["refs"], base["allowEmpty"] = refs, file.AllowEmpty
	if err := lay(base, c.Kind, said); err != nil {
		return err
	}
	c.AllowEmpty, _ = base["allowEmpty"].(bool)
	if err := c.refs(base["refs"]); err != nil {
		return err
	}
	if base, err = Patched(c.Files, c.Root, c.Dir, c.AppName, base); err != nil {
		return err
	}
	if err := fromTree(base, &c.Source); err != nil {
		return diag.Input(diag.Position{File: sourceFile}, errors.New("read options: a value has the wrong type"), patchHint)
	}
	kind, err := c.kind(c.Source)
	if err != nil {
		return err
	}
	if kind != c.Kind {
		return diag.Input(diag.Position{File: sourceFile}, fmt.Errorf("the application is %s", article[c.Kind]), patchHint)
	}
	return nil
}

// ofKind returns the options of the configuration file that are for a kind of source.
func ofKind(file config.ArgoCD, kind render.Kind) Source {
	return only(Source{file.Helm, file.Kustomize, file.Directory}, kind)
}

func only(s Source, kind render.Kind) Source {
	switch kind {
	case render.KindHelm:
		return Source{Helm: or(s.Helm)}
	case render.KindKustomize:
		return Source{Kustomize: or(s.Kustomize)}
	}
	return Source{Directory: or(s.Directory)}
}
