package index

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/git"
)

// inRepository divides the name of a repository from a path in it, where the output folder does not lie in that.
const inRepository = "//"

// argumentPaths returns what returns a path as the index has it, so that it means the same thing wherever the next run
// is started and the repository lies: as it is reached from the output folder, where both are in one repository; else
// by the name of its own, which the remote has, and from the top of that. Without a repository it is reached from the
// output folder. Folders that many paths lie in are looked at once.
func argumentPaths(dir string) func(name string) string {
	disk, known, names := files.NewUnlinked(files.Disk{}), tops{}, map[string]string{}
	from, err := disk.Abs(dir)
	return func(name string) string {
		to, err2 := disk.Abs(name)
		if err != nil || err2 != nil {
			return filepath.ToSlash(name)
		}
		base, repository := from, ""
		if top := known.of(to); top != "" && top != known.of(from) {
			if _, isNamed := names[top]; !isNamed {
				names[top] = repositoryName(top)
			}
			base, repository = top, names[top]+inRepository
		}
		rel, err := filepath.Rel(base, to)
		if err != nil {
			return filepath.ToSlash(to) // on another drive
		}
		return repository + filepath.ToSlash(rel)
	}
}

// diskPath returns where a path of the index lies for a run in a repository; "" where it is in another one.
func diskPath(dir, argument string, here func() repository) string {
	name, rest, ok := strings.Cut(argument, inRepository)
	if !ok {
		return filepath.Join(dir, filepath.FromSlash(argument))
	}
	if in := here(); in.top != "" && in.name == name {
		return filepath.Join(in.top, filepath.FromSlash(rest))
	}
	return ""
}

// repository is the top of one, and the name that it has in an index.
type repository struct{ top, name string }

// workingRepository returns the repository of the working folder; the zero one where it lies in none.
func workingRepository() repository {
	here, err := filepath.Abs(".")
	if err != nil {
		return repository{}
	}
	top := tops{}.of(here)
	if top == "" {
		return repository{}
	}
	return repository{top, repositoryName(top)}
}

// tops are the tops of repositories, by the folders that were asked for and those above them: "" in none.
type tops map[string]string

// of returns the top of the repository that a path lies in; "" where it lies in none. The path need not exist.
func (t tops) of(path string) string {
	top, known := t[path]
	if known {
		return top
	}
	if _, err := os.Lstat(filepath.Join(path, ".git")); err == nil {
		top = path
	} else if up := filepath.Dir(path); up != path {
		top = t.of(up)
	}
	t[path] = top
	return top
}

// repositoryName returns the last part of the address of a repository's remote, of origin if there is one; "" where it
// has none.
func repositoryName(top string) string {
	repo, err := git.Open(top)
	if err != nil {
		return ""
	}
	defer func() { _ = repo.Close() }() // it was only read
	remotes := repo.Remotes()
	i := max(0, slices.IndexFunc(remotes, func(r git.Remote) bool { return r.Name == "origin" }))
	if len(remotes) == 0 || len(remotes[i].URLs) == 0 {
		return ""
	}
	address := strings.TrimRight(filepath.ToSlash(remotes[i].URLs[0]), "/")
	name := path.Base(strings.TrimSuffix(address, ".git"))
	return name[strings.LastIndexByte(name, ':')+1:]
}
