package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/inventory"
	"github.com/rollstamp/rollstamp/pipeline"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// checkedLock is a lock of a run of check, with the names of the applications that use it.
type checkedLock struct {
	*lock.File
	by    *app.Application // one that uses it
	first map[lock.Application]*app.Application
	names map[lock.Application]bool // all under which lines hold
	found []diag.Finding
}

// lockFindings reports lines of locks about restarts that are about no application, or not about one alone. What cannot
// be read is reported where it is used.
func lockFindings(
	ctx context.Context, source app.Source, as string, paths []string, apps []*app.Application,
) (found []diag.Finding) {
	byPath, cache := map[string]*checkedLock{}, new(lock.Cache)
	for _, a := range apps {
		if a == nil || a.Settings().Place().Dir == "" {
			continue
		}
		place := a.Settings().Place()
		path, err := place.Nearest(lock.FileName)
		if err != nil || path == "" {
			continue
		}
		if byPath[path] == nil {
			file, err := cache.Nearest(place)
			if err != nil || file == nil {
				continue
			}
			byPath[path] = &checkedLock{File: file, by: a, first: map[lock.Application]*app.Application{},
				names: map[lock.Application]bool{}}
		}
		byPath[path].add(a)
	}
	for _, l := range byPath {
		l.reportOthers(ctx, source, as, paths)
		found = append(found, l.found...)
	}
	return found
}

// add adds an application that uses the lock.
func (l *checkedLock) add(a *app.Application) {
	names := pipeline.Applications(a, l.Path(), l.File)
	for _, name := range names {
		l.names[name] = true
	}
	if other := l.first[names[0]]; other != nil && isAnother(other, a) {
		f := diag.New(diag.LineShared, "", fmt.Sprintf("%s (%s) and this are both %s in lines of %s", other.Name(),
			describedAt(other), names[0], fromHere(l.Path())))
		l.found = append(l.found, a.Settings().Severity([]diag.Finding{f.At(describedAt(a))})...)
		return
	}
	l.first[names[0]] = a
	d := a.Identity().Declared
	if by := l.AppliedBy(names[0]); d.Engine == lock.Flux && d.From == d.In && len(by) > 1 {
		f := diag.New(diag.DecisionUnused, "", fmt.Sprintf("it has lines in %s by what applies it, such as %s and %s: "+
			"which is meant is not known in this run, and none counts", fromHere(l.Path()), by[0], by[1]))
		f.Hint = "Name the folder of a cluster."
		l.found = append(l.found, a.Settings().Severity([]diag.Finding{f.At(describedAt(a))})...)
		for _, name := range by {
			l.names[name] = true
		}
	}
}

// isAnother reports whether two applications with one name in lines are two: of a path that is named twice, as by a
// link, there is one.
func isAnother(one, other *app.Application) bool {
	none := diag.Position{}
	return one.Origin().Pos != none || other.Origin().Pos != none
}

// reportOthers reports the lines about applications that the run does not have: surely of none, where a folder of their
// names is gone, and else where the run covers what they are about.
func (l *checkedLock) reportOthers(ctx context.Context, source app.Source, as string, paths []string) {
	folder := filepath.Dir(l.Path())
	all, isList := source.(*inventory.Source)
	covers := isList && as == "" && (len(paths) == 0 || isRead(folder, paths)) && all.Covers(ctx, folder)
	var gone, unknown otherLines
	for _, name := range l.Applications() {
		if l.names[name] {
			continue
		}
		switch missing := name.Gone(folder, l.by.Settings().Place().Files); {
		case missing != "":
			gone.add(name, l.Decisions(name), fromHere(missing))
		case covers || isWithin(name.Folders(folder), as, paths):
			unknown.add(name, l.Decisions(name), "")
		}
	}
	unknown.mayBeOfAnotherRun = true
	l.found = append(l.found, l.by.Settings().Severity(append(gone.findings(), unknown.findings()...))...)
}

// mostOthers is how many applications that a run does not have, for one reason, have a finding each.
const mostOthers = 3

// otherLines are the lines of a lock about applications that a run does not have, for one reason.
type otherLines struct {
	first             []diag.Finding // of the first few
	names             []string       // of these
	count             int            // of applications
	mayBeOfAnotherRun bool
}

// add adds the lines about an application, and what of its name is not there, if that is why.
func (o *otherLines) add(name lock.Application, lines []lock.Decision, missing string) {
	if o.count++; o.count > mostOthers {
		return
	}
	text := fmt.Sprintf("%s has %s here, which this run does not have: it may be of another run", name,
		diag.Count(len(lines), "line"))
	if missing != "" {
		text = fmt.Sprintf("%s has %s here, and %s is not there", name, diag.Count(len(lines), "line"), missing)
	}
	o.first = append(o.first, diag.New(diag.DecisionUnused, "", text).At(firstOf(lines)))
	o.names = append(o.names, string(name))
}

// findings returns a finding for each application, or one for many.
func (o *otherLines) findings() []diag.Finding {
	if o.count > mostOthers {
		why := "whose folders are not there"
		if o.mayBeOfAnotherRun {
			why = "which this run does not have: they may be of another run"
		}
		o.first = o.first[:1]
		o.first[0].Message = fmt.Sprintf("each of %s and %s has lines here, %s", strings.Join(o.names, ", "),
			diag.Count(o.count-len(o.names), "other application"), why)
	}
	for i := range o.first {
		if o.mayBeOfAnotherRun {
			o.first[i].Severity, o.first[i].Hint = diag.Info, "Delete the line where nothing has that name any more."
		} else if o.count > mostOthers {
			o.first[i].Hint = "Run rollstamp adopt --prune and rollstamp approve --prune, which drop those of theirs."
		}
	}
	return o.first
}

// firstOf returns where the first of some lines stands.
func firstOf(lines []lock.Decision) diag.Position {
	return slices.MinFunc(lines, func(a, b lock.Decision) int { return cmp.Compare(a.Pos.Line, b.Pos.Line) }).Pos
}

// isWithin reports whether a run over objects of Flux has read the folder that leads to an application, the last that
// its name has.
func isWithin(folders []string, as string, paths []string) bool {
	return as == lock.Flux && len(folders) > 0 && isRead(folders[len(folders)-1], paths)
}

// isRead reports whether a folder is one of the paths, or lies in one.
func isRead(folder string, paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		real, err := files.RealPath(nil, path)
		return err == nil && files.Within(real, folder)
	})
}
