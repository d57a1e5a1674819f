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
	known   map[inForce]*shared
	nearest map[above]string
}

// inForce is what settings follow from, but for flags and the environment, which are those of the run.
type inForce struct {
	by                  *Wiring
	roots               *config.Roots // of the files
	root                string
	configuration, lock string // files, "" for none
}

// above is a question for the nearest file of a name in a folder of a repository, or above it.
type above struct {
	roots           *config.Roots
	root, dir, name string
}

// settings returns what is in force for the application at a path of a place, and what that has in common with others
// under the same settings; "" is the working folder.
func (p Paths) settings(at app.Place, path string) (*config.Settings, *shared, error) {
	if p.Resolved == nil || at.Roots == nil {
		s, err := p.Settings(p.Flags, at, path)
		return s, &shared{}, err
	}
	place, err := at.Roots.Locate(path)
	if err != nil {
		return nil, nil, err
	}
	of, err := p.Resolved.inForce(p.Wiring, at.Roots, place)
	if err != nil {
		s, err := p.SettingsAt(p.Flags, place) // which reports it
		return s, &shared{}, err
	}
	if known := p.Resolved.find(of); known != nil {
		return known.settings.At(place), known, nil
	}
	s, err := p.SettingsAt(p.Flags, place)
	if err != nil {
		return nil, nil, err
	}
	return s, p.Resolved.add(of, s), nil
}

func (r *Resolved) find(of inForce) *shared {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[of]
}

func (r *Resolved) add(of inForce, s *config.Settings) *shared {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[inForce]*shared{}
	}
	if r.known[of] == nil {
		r.known[of] = &shared{settings: s, alike: &app.Alike{}}
	}
	return r.known[of]
}

// inForce returns what the settings at a place follow from. The error is that of files that cannot be looked for, or
// that lie elsewhere than they seem to.
func (r *Resolved) inForce(by *Wiring, roots *config.Roots, place config.Place) (of inForce, err error) {
	of = inForce{by: by, roots: roots, root: place.Root}
	if of.configuration, err = r.nearestOf(roots, place, config.FileName); err == nil {
		if of.lock, err = r.nearestOf(roots, place, lock.FileName); err == nil {
			by.locks.Know(place, of.lock)
		}
	}
	return of, err
}

// nearestOf returns the nearest file of a name from a place upwards; "" for none. What is above the place's folder is
// looked for once.
func (r *Resolved) nearestOf(roots *config.Roots, place config.Place, name string) (string, error) {
	here := config.Place{Dir: place.Dir, Root: place.Dir, Files: place.Files}
	file, err := "", error(nil)
	if name != config.FileName || !roots.LacksConfiguration(here) {
		file, err = here.Nearest(name)
	}
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
