package index

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/git"
)

// inRepository divides the name of a repository from a path in it, where the output folder does not lie in that.
const inRepository = "//"

// argumentPath returns a path as the index has it, so that it means the same thing wherever the next run is started and
// the repository lies: as it is reached from the output folder, where both are in one repository; else by the name of
// its own, which the remote has, and from the top of that. Without a repository it is reached from the output folder.
func argumentPath(dir, name string) string {
	from, err := filepath.Abs(dir)
	to, err2 := filepath.Abs(name)
	if err != nil || err2 != nil {
		return filepath.ToSlash(name)
	}
	base, repository := from, ""
	if top := topOf(to); top != "" && top != topOf(from) {
		base, repository = top, repositoryName(top)+inRepository
	}
	rel, err := filepath.Rel(base, to)
	if err != nil {
		return filepath.ToSlash(to) // on another drive
	}
	return repository + filepath.ToSlash(rel)
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
	top := topOf(here)
	if top == "" {
		return repository{}
	}
	return repository{top, repositoryName(top)}
}

// topOf returns the top of the repository that a path lies in; "" where it lies in none. The path need not exist.
func topOf(name string) string {
	for {
		if _, err := os.Lstat(filepath.Join(name, ".git")); err == nil {
			return name
		}
		up := filepath.Dir(name)
		if up == name {
			return ""
		}
		name = up
	}
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
