package sources

import "regexp"

// Pattern returns what the name of a key has to match. Its error is a *Failure.
func (f *Find) Pattern() (*regexp.Regexp, error) {
	pattern, err := regexp.Compile(f.Name)
	if err != nil {
		return nil, Fail(Refused, "name of the search")
	}
	return pattern, nil
}
