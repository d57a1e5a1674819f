package objects

import "github.com/rollstamp/rollstamp/sources/canonical"

// generatedSecret returns the row for a Secret that an operator makes by itself, in the namespace of its object and
// only where nobody else makes one of that name. No manifest says what is in it.
func generatedSecret(group, template string) row {
	return row{group: group, kind: secret, name: names(template), content: inCluster, versionless: Made, yields: true}
}

// ifSet returns the row for objects with a field that is not false.
func (r row) ifSet(path string) row {
	r.needs = fields(path)
	return r
}

// ifUnset returns the row for objects without each of the fields.
func (r row) ifUnset(paths ...string) row {
	for _, path := range paths {
		r.unless = append(r.unless, fields(path))
	}
	return r
}

// inCluster builds the content of what an operator makes by itself: which kind does, and nothing that could change.
func inCluster(b *builder) {
	b.put(Anything, canonical.ClassSpec, func() canonical.Value {
		return canonical.Value{Shape: canonical.Map}.With("producer", canonical.String(b.producer.kindAndGroup()))
	})
}
