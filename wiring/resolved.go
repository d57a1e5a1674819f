package wiring

import (
	"path/filepath"
	"sync"

	"github.com/rollstamp/rollstamp/app"
	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/sources/lock"
)

// Resolved remembers the settings of applications, of which most have the same files above them. It is for a run that
// writes none of these files. The zero value is ready, and it may be used from several goroutines.
type Resolved struct {
	mu      sync.Mutex
	known   map[inForce]*config.Settings
	nearest map[above]string
}

// inForce is what settings follow from, but for flags and the environment, which are those of the run.
type inForce struct {
	roots               *config.Roots // of the files
	root                string
	configuration, lock string // files, "" for none
}

// above is a question for the nearest file of a name in a folder of a repository, or above it.
type above struct {
	roots           *config.Roots
	root, dir, name string
}

// settings returns what is in force for the application at a path of a place; "" is the working folder.
func (p Paths) settings(at app.Place, path string) (*config.Settings, error) {
	if p.Resolved == nil || at.Roots == nil {
		return p.Settings(p.Flags, at, path)
	}
	place, err := at.Roots.Locate(path)
	if err != nil {
		return nil, err
	}
	of, err := p.Resolved.inForce(at.Roots, place)
	if err != nil {
		return p.SettingsAt(p.Flags, place) // which reports it
	}
	if s := p.Resolved.find(of); s != nil {
		return s.At(place), nil
	}
	s, err := p.SettingsAt(p.Flags, place)
	if err == nil {
		p.Resolved.add(of, s)
	}
	return s, err
}

func (r *Resolved) find(of inForce) *config.Settings {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[of]
}

func (r *Resolved) add(of inForce, s *config.Settings) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[inForce]*config.Settings{}
	}
	r.known[of] = s
}

// inForce returns what the settings at a place follow from. The error is that of files that cannot be looked for, or
// that lie elsewhere than they seem to.
func (r *Resolved) inForce(roots *config.Roots, place config.Place) (of inForce, err error) {
	of = inForce{roots: roots, root: place.Root}
	if of.configuration, err = r.nearestOf(roots, place, config.FileName); err == nil {
		of.lock, err = r.nearestOf(roots, place, lock.FileName)
	}
	return of, err
}

// nearestOf returns the nearest file of a name from a place upwards; "" for none. What is above the place's folder is
// looked for once.
func (r *Resolved) nearestOf(roots *config.Roots, place config.Place, name string) (string, error) {
	here := config.Place{Dir: place.Dir, Root: place.Dir, Files: place.Files}
	file, err := here.Nearest(name)
	if file != "" || err != nil || place.Dir == place.Root {
		return file, err
	}
	up := above{roots, place.Root, filepath.Dir(place.Dir), name}
	r.mu.Lock()
	file, known := r.nearest[up]
	r.mu.Unlock()
	if known {
		return file, nil
	}
	if file, err = r.nearestOf(roots, config.Place{Dir: up.dir, Root: up.root, Files: place.Files}, name); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.nearest == nil {
		r.nearest = map[above]string{}
	}
	r.nearest[up] = file
	return file, nil
}
