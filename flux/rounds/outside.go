package rounds

import "github.com/rollstamp/rollstamp/files"

// IsOutside reports whether a file lies outside of all that the paths of the run are a part of, their repositories and
// the root of sources: in a folder that --source names, which may be a copy that nobody publishes.
func (s *Source) IsOutside(file string) bool {
	real, err := files.RealPath(nil, file)
	if err != nil {
		return false // which is an error of its own
	}
	within := func(dir string) bool {
		top, err := files.RealPath(nil, dir)
		return err == nil && (top == real || files.Within(top, real))
	}
	if within(s.finder.root) {
		return false
	}
	for _, path := range s.finder.Paths {
		if path == "-" {
			continue
		}
		if within(path) {
			return false
		}
		if at, err := s.finder.At.Roots.Locate(path); err == nil {
			if top, ok := s.finder.At.Roots.Repository(at.Dir); ok && within(top) {
				return false
			}
		}
	}
	return true
}
