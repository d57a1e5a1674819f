package appset

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/manifest/typed"
	"github.com/rollstamp/rollstamp/workspace"
)

// gitGenerator is the generator that reads a repository.
type gitGenerator struct {
	RepoURL     string `json:"repoURL"`
	Revision    string `json:"revision"`
	Directories []struct {
		Path    string `json:"path"`
		Exclude bool   `json:"exclude"`
	} `json:"directories"`
	Files []struct {
		Path    string `json:"path"`
		Exclude bool   `json:"exclude"`
	} `json:"files"`
	PathParamPrefix string            `json:"pathParamPrefix"`
	Values          map[string]string `json:"values"`
}

func (e *expansion) git(body map[string]any) ([]params, error) {
	var g gitGenerator
	if err := typed.Decode(body, &g); err != nil {
		return nil, err
	}
	if len(g.Directories)+len(g.Files) == 0 {
		return nil, errors.New("it names neither directories nor files")
	}
	tree, err := e.in.Repositories.Find(e.ctx, g.RepoURL, g.Revision)
	if err != nil {
		return nil, err
	}
	if len(g.Directories) > 0 {
		return e.gitFolders(&g, tree)
	}
	return e.gitFiles(&g, tree)
}

func (e *expansion) gitFolders(g *gitGenerator, tree *workspace.Checkout) ([]params, error) {
	all, err := tree.Folders()
	if err != nil {
		return nil, err
	}
	var out []params
	for _, folder := range all {
		if strings.HasPrefix(folder, ".") || strings.Contains(folder, "/.") {
			continue // hidden, or in a hidden one
		}
		in, left := false, false
		for _, d := range g.Directories {
			if match, err := path.Match(d.Path, folder); err == nil && match {
				in, left = in || !d.Exclude, left || d.Exclude
			}
		}
		if !in || left {
			continue
		}
		p := params{}
		g.addPath(e.language, p, folder, "")
		if err := e.values(g.Values, p); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func (e *expansion) gitFiles(g *gitGenerator, tree *workspace.Checkout) ([]params, error) {
	names, err := g.files(e.ctx, tree)
	if err != nil {
		return nil, err
	}
	var out []params
	for _, name := range names {
		text, err := tree.Read(name)
		if err != nil {
			return nil, err
		}
		objects, err := parameterFile(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, object := range objects {
			p := params{}
			if e.language.goTemplate {
				p = cloneMap(object)
			} else {
				for key, value := range flatten(object) {
					p[key] = value
				}
			}
			g.addPath(e.language, p, path.Dir(name), path.Base(name))
			if err := e.values(g.Values, p); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			out = append(out, p)
		}
	}
	return out, nil
}

// files lists the files that the patterns mean, sorted.
func (g *gitGenerator) files(ctx context.Context, tree *workspace.Checkout) ([]string, error) {
	all, err := tree.FileNames()
	if err != nil {
		return nil, err
	}
	matched := map[string]bool{}
	for _, exclude := range []bool{false, true} {
		for _, f := range g.Files {
			if f.Exclude != exclude {
				continue
			}
			spec, err := newPathspec(f.Path)
			if err != nil {
				return nil, fmt.Errorf("files: %q: %w", f.Path, err)
			}
			for _, name := range all {
				match, err := spec.matches(ctx, name)
				if err != nil {
					return nil, fmt.Errorf("files: %q: %w", f.Path, err)
				}
				if match {
					matched[name] = !exclude
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !matched[name] }), nil
}

// parameterFile decodes a mapping, or a list of mappings.
func parameterFile(text []byte) ([]map[string]any, error) {
	one := map[string]any{}
	if err := yaml.Unmarshal(text, &one); err == nil {
		return []map[string]any{one}, nil
	}
	var many []map[string]any
	if err := yaml.Unmarshal(text, &many); err != nil {
		return nil, errors.New("it holds neither a mapping nor a list of mappings")
	}
	return many, nil
}

// addPath adds the parameters of a folder, or of a file in it.
func (g *gitGenerator) addPath(l language, p params, folder, file string) {
	segments := strings.Split(folder, "/")
	base := path.Base(folder)
	if l.goTemplate {
		all := map[string]any{"path": folder, "basename": base, "basenameNormalized": normalize(base),
			"segments": segments}
		if file != "" {
			all["filename"], all["filenameNormalized"] = file, normalize(file)
		}
		if g.PathParamPrefix != "" {
			p[g.PathParamPrefix] = map[string]any{"path": all}
		} else {
			p["path"] = all
		}
		return
	}
	name := "path"
	if g.PathParamPrefix != "" {
		name = g.PathParamPrefix + ".path"
	}
	p[name], p[name+".basename"], p[name+".basenameNormalized"] = folder, base, normalize(base)
	if file != "" {
		p[name+".filename"], p[name+".filenameNormalized"] = file, normalize(file)
	}
	for i, segment := range segments {
		if segment != "" {
			p[name+"["+strconv.Itoa(i)+"]"] = segment
		}
	}
}
