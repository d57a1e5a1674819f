package lock

import (
	"strings"

	"github.com/rollstamp/rollstamp/diag"
)

// classCommit is the class of lines about repositories: the commit that a revision of one means, such as a branch or a
// range of versions.
const classCommit = "commit"

const repositoryPrefix = "repository/"

// commitLength is the number of digits of a commit's hash.
const commitLength = 40

// RepositoryName returns the name of the line for a revision of a repository, which is its host and path: no scheme,
// and no credentials.
func RepositoryName(repository, revision string) string {
	return repositoryPrefix + escape(repository) + " " + escape(revision)
}

// IsRepository reports whether the line of a name is about a repository.
func IsRepository(name string) bool { return strings.HasPrefix(name, repositoryPrefix) }

// Commit returns the commit that the lock has for the name of a line, and where; "" where it has none.
func (f *File) Commit(name string) (string, diag.Position) {
	e := f.entries[name]
	if e.class != classCommit {
		return "", diag.Position{}
	}
	return e.text, f.Position(name)
}

// SetCommit puts the commit that a revision means now into the lock. Of applications that share a line, and that were
// rendered while the revision moved, the first counts.
func (u *Update) SetCommit(name, commit string) {
	if !u.used[name] {
		u.now.put(entry{name: name, class: classCommit, text: commit, line: u.old.entries[name].line})
	}
	u.used[name] = true
}
