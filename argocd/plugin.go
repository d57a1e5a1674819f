package argocd

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/render"
)

// FromPlugin decodes a call: its variables, and the files in the application's folder that hold options. Dir is that
// folder and root the top of the tree that was sent with it (see Root); if root is "", it is searched for. Options
// come from, with increasing precedence:
//
//   - argocd in the nearest .rollstamp.yaml,
//   - the variables ROLLSTAMP_... of plugin.env,
//   - plugin.parameters,
//   - helm, kustomize and directory in .argocd-source.yaml, then in .argocd-source-APP.yaml.
//
// Each replaces an option as a whole, except that the last two are merged as JSON merge patches, which replace lists
// as a whole. An option of unknown name, of the wrong type, or of another kind of source is an error with exit code 2;
// only the configuration file, which may serve several applications, can contain options of all kinds.
//
// Errors are those that Condition returns.
func FromPlugin(env Env, dir, root string, system files.System) (*Call, error) {
	c := &Call{Build: buildOf(env)}
	if err := c.read(env, dir, root, system); err != nil {
		return nil, c.Condition(err)
	}
	return c, nil
}

func (c *Call) read(env Env, dir, root string, system files.System) (err error) {
	if err := c.locate(dir, root, system); err != nil {
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
	settings, err := options(env)
	merged := c.merge(file, settings)
	if err == nil || merged != nil || c.Remote() {
		return errors.Join(err, merged)
	}
	_, _, also := c.Request() // what is refused anyway is named at once, as files that are not there
	return errors.Join(err, also)
}

// buildOf returns the context of the application that the variables describe.
func buildOf(env Env) Build {
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

// locate finds the application's folder and the repository around it.
func (c *Call) locate(dir, root string, system files.System) error {
	c.Files = system
	real, err := files.OrDisk(system).Real(dir)
	if err == nil {
		c.Dir, err = filepath.Abs(real)
	}
	if err != nil {
		return diag.Input(diag.Position{File: dir}, errors.New("find the application: no such folder"),
			"Name the folder of an application; a pattern or a file that is not there is none.")
	}
	if root == "" {
		root = Root(c.Dir, c.Path, system)
	}
	if c.Root, err = files.OrDisk(system).Real(root); err != nil || !files.Within(c.Root, c.Dir) {
		return diag.Input(diag.Position{},
			errors.New("find the repository of the application: its folder lies in no such tree"), "")
	}
	return nil
}

// Root returns the top of the tree that contains dir, the application's folder, absolute and without links. Argo CD
// may send the tree without .git, and only a part of it: its own server unpacks it in a folder with a known path;
// otherwise the top is dir without the end that it has in common with path, the application's path in the repository.
// If they have nothing in common, it is the repository that the files show.
func Root(dir, path string, system files.System) string {
	if top, ok := unpackedRoot(dir); ok {
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

// unpackedRoot returns the folder in which argocd-cmp-server unpacked a tree: the outermost one with its name, because
// those below belong to the tree.
func unpackedRoot(dir string) (string, bool) {
	const folder = string(filepath.Separator) + "_cmp_server" + string(filepath.Separator)
	before, after, found := strings.Cut(dir, folder)
	if !found {
		return "", false
	}
	name, _, _ := strings.Cut(after, string(filepath.Separator))
	return before + folder + name, name != ""
}

// options returns the settings of variables, in order of increasing precedence, and the errors of those that are not
// taken.
func options(env Env) ([]setting, error) {
	fromEnv, errEnv := variables(env)
	fromParameters, errParameters := parameters(env[parametersVar])
	return append(fromEnv, fromParameters...), errors.Join(errEnv, errParameters)
}

// merge merges the options of all places into the source.
func (c *Call) merge(from *config.File, settings []setting) error {
	file := from.ArgoCD()
	base, err := toTree(ofKind(file, c.Kind))
	if err != nil {
		return fmt.Errorf("read the options of the application: %w", err)
	}
	refs := tree{}
	for name, dir := range file.Refs {
		refs[name] = dir
	}
	base["refs"], base["allowEmpty"] = refs, file.AllowEmpty
	if err := overlay(base, c.Kind, settings); err != nil {
		return err
	}
	c.AllowEmpty, _ = base["allowEmpty"].(bool)
	if err := c.refs(base["refs"], refsPlaces(from, settings)); err != nil {
		return err
	}
	if base, err = Patch(c.Files, c.Root, c.Dir, c.AppName, base); err != nil {
		return err
	}
	if err := fromTree(base, &c.Source); err != nil {
		return diag.Input(diag.Position{File: sourceFile}, errors.New("read options: a value has the wrong type"),
			patchHint)
	}
	kind, err := c.kind(c.Source)
	if err != nil {
		return err
	}
	if kind != c.Kind {
		return diag.Input(diag.Position{File: sourceFile}, fmt.Errorf("the application is %s", article[c.Kind]),
			patchHint)
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
		return Source{Helm: orZero(s.Helm)}
	case render.KindKustomize:
		return Source{Kustomize: orZero(s.Kustomize)}
	}
	return Source{Directory: orZero(s.Directory)}
}
