package diff

import (
	"maps"
	"slices"

	"github.com/rollstamp/rollstamp/manifest/generated"
)

// delta is what a pair comes to.
type delta struct {
	pair
	fields   []FieldChange
	keys     []KeyChange     // of a ConfigMap or Secret
	unstable map[string]bool // places that differ in each render, and are in neither list
	random   map[string]bool // of the keys: those whose values differ in each render of a side; nil for none
	refused  []refusal
	left     string // of a ConfigMap or Secret: why Flux leaves it as it is; "" where it does not
	// encryptedAgain: the ciphertext is another one, and all that was decrypted of it is the same.
	encryptedAgain bool
	// isElsewhere: a controller renders what changes, or runs the pods.
	isElsewhere bool
}

// refusal is a change that the API server does not take.
type refusal struct{ path, why string }

// compared is a pair with what both sides hold.
type compared struct {
	delta
	from, to content
}

// compareObjects decodes both sides of a pair and compares them.
func compareObjects(p pair, s stability, m mask) (c compared, err error) {
	c.pair = p
	if c.from, err = p.old.content(m); err != nil {
		return c, err
	}
	if c.to, err = p.now.content(m); err != nil {
		return c, err
	}
	unstable, renamed := s.unstable(&c, m)
	c.unstable = renamed
	for _, f := range fields("", c.from.table, c.to.table) {
		if !unstable[f.Path] {
			c.fields = append(c.fields, f)
			continue
		}
		c.addUnstable(f.Path)
	}
	if p.now.isConfig() {
		c.keys = slices.DeleteFunc(changedKeys(c.from.keys, c.to.keys), func(k KeyChange) bool {
			return holdsKey(c.unstable, k.Key)
		})
		c.random = s.random(&c, m)
		c.encryptedAgain = len(c.keys) == 0 && len(changedKeys(c.from.ciphertext, c.to.ciphertext)) > 0
		if p.old.Name.Name == p.now.Name.Name {
			c.left = p.now.applier.leaves(c.to.table)
		}
	}
	return c, nil
}

// addUnstable adds a place that is another one in each render.
func (d *delta) addUnstable(path string) {
	if d.unstable == nil {
		d.unstable = map[string]bool{}
	}
	d.unstable[path] = true
}

// holdsKey reports whether the place of a key of a ConfigMap or Secret is among places.
func holdsKey(places map[string]bool, key string) bool {
	return places[join("data", key)] || places[join("binaryData", key)] || places[join("stringData", key)]
}

// change returns the pair as reports list it; not ok where nothing differs.
func (d *delta) change() (o ObjectChange, ok bool) {
	o = ObjectChange{Name: d.now.Name, Change: Modification, Fields: d.fields}
	if d.old.Name.Name != d.now.Name.Name {
		o.Was = d.old.Name.Name
	}
	return o, len(d.fields) > 0
}

// onlyUnstable reports whether the pair differs in nothing but what differs in each render.
func (d *delta) onlyUnstable() bool { return len(d.fields) == 0 && len(d.unstable) > 0 }

// isFormat reports whether the two texts of a pair hold the same.
func (d *delta) isFormat() bool {
	return len(d.fields)+len(d.keys)+len(d.unstable) == 0 && !d.encryptedAgain && d.old.Name.Name == d.now.Name.Name
}

// paths returns the places that differ in each render; none where that is the name only.
func (d *delta) paths() []string {
	if len(d.unstable) == 1 && d.unstable[namePath] {
		return []string{}
	}
	return slices.Sorted(maps.Keys(d.unstable))
}

// isRandomName reports whether the object has another name in each render, and no hash of its content is a part of it.
func (d *delta) isRandomName() bool {
	_, isGenerated := generated.Base(d.now.Name.Name)
	return d.old.Name.Name != d.now.Name.Name && !isGenerated
}

// isRandom is why nothing that a container reads has changed.
const isRandom = "it is another one in each render"

// namePath is where an object has its name.
const namePath = "metadata.name"
