package pipeline

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"github.com/rollstamp/rollstamp/files"
)

// answers are what the files of an application answer to what an earlier run asked.
type answers struct {
	digest files.Digest
	print  []byte // fingerprint of the answers; nil where the files have none
	isOld  bool   // the digest was known by the fingerprint
	proof  []byte // that the disk answers so; nil where there is none
}

// known is the digest of what a tree answers, by the fingerprint of these answers: a revision that has the folder of
// an application as another one has it is not read for it.
type known struct{ Print, Answers []byte }

// maxKnown is how many of them an application has: a change and what it changed are compared, and others meanwhile.
const maxKnown = 8

// ask returns what the files answer to the questions of an earlier run.
func (c *cachedRun) ask(questions files.Questions, r reads, of []known) answers {
	a := c.recall(questions, r, of)
	if a.isOld {
		return a
	}
	proof := c.beginProof(questions)
	a.digest = questions.Ask(c.system())
	a.proof = proof.end()
	return a
}

// recall returns the answers as far as they are known by their fingerprint, and asks nobody.
func (c *cachedRun) recall(questions files.Questions, r reads, of []known) answers {
	a := answers{print: c.fingerprint(questions, r)}
	if a.print == nil {
		return a
	}
	for _, k := range of {
		if bytes.Equal(k.Print, a.print) && len(k.Answers) == len(a.digest) {
			a.digest, a.isOld = files.Digest(k.Answers), true
			break
		}
	}
	return a
}

// system returns where the files of the application are.
func (c *cachedRun) system() files.System {
	if system := c.app.Request().Files; system != nil {
		return system
	}
	return c.cache.Disk()
}

// top returns the path of the application as an absolute one; "" where it has none.
func (c *cachedRun) top() string {
	top, err := c.cache.Abs(c.app.Path())
	if err != nil || c.app.Path() == "" {
		return ""
	}
	return top
}

// fingerprint returns what decides the answers to the questions of a run, found without reading the application's
// folder; nil where there is no such thing.
func (c *cachedRun) fingerprint(questions files.Questions, r reads) []byte {
	system, ok := c.system().(files.Fingerprinted)
	top := c.top()
	if !ok || top == "" {
		return nil
	}
	print, ok := questions.Fingerprint(system, top, c.app.Path(), func(q files.Question) files.Digest {
		return c.cache.Ask(system, q)
	})
	if !ok {
		return nil
	}
	asked := sha256.Sum256(r.Files)
	return slices.Concat(asked[:], print[:])
}

// known returns what is known of the answers, with what was known before.
func (c *cachedRun) known(a answers, before []known) []known {
	system, ok := c.system().(files.Fingerprinted)
	if a.print == nil || !ok || !system.IsClosed(c.top()) {
		return before
	}
	return appendKnown([]known{{a.print, a.digest[:]}}, before)
}

// appendKnown appends what was known before, up to maxKnown of them.
func appendKnown(all, before []known) []known {
	for _, k := range before {
		isThere := slices.ContainsFunc(all, func(o known) bool { return bytes.Equal(o.Print, k.Print) })
		if !isThere && len(all) < maxKnown {
			all = append(all, k)
		}
	}
	return all
}

// remember returns an entry of the first sort with what was found out about a tree, and stores it.
func (c *cachedRun) remember(l latest, a answers) latest {
	if a.isOld || a.print == nil {
		return l
	}
	if all := c.known(a, l.Known); len(all) > 0 && bytes.Equal(all[0].Print, a.print) {
		l.Known = all
		c.write(l)
	}
	return l
}
