package diff

// configs is what changed of the ConfigMaps and Secrets of an application.
type configs struct {
	mask    mask
	all     []*delta
	byNow   map[*object]*delta
	renamed map[[2]string]*delta // generated ones under another hash, by kind and either name
}

// compareConfigs compares the ConfigMaps and Secrets among the pairs, and drops their values.
func compareConfigs(pairs []pair, s stability, m mask, by applier) (*configs, error) {
	out := &configs{mask: m, byNow: map[*object]*delta{}, renamed: map[[2]string]*delta{}}
	for _, p := range pairs {
		if !p.now.isConfig() {
			continue
		}
		c, err := compareObjects(p, s, m)
		if err != nil {
			return nil, err
		}
		d := c.delta
		d.refused = by.refusalsOf(&c, nil)
		out.all = append(out.all, &d)
		out.byNow[p.now] = &d
		if p.old.Name.Name != p.now.Name.Name {
			out.renamed[[2]string{p.now.Kind, p.old.Name.Name}] = &d
			out.renamed[[2]string{p.now.Kind, p.now.Name.Name}] = &d
		}
	}
	return out, nil
}

// between returns the keys of two objects that are not the same, which most often are one object on both sides.
func (c *configs) between(old, now *object) []KeyChange {
	if d := c.byNow[now]; d != nil && d.old == old {
		return d.keys
	}
	if !old.isConfig() || !now.isConfig() || same(old, now) {
		return nil
	}
	a, errA := old.content(c.mask)
	b, errB := now.content(c.mask)
	if errA != nil || errB != nil {
		return nil
	}
	return changedKeys(a.keys, b.keys)
}

// rename returns the object of a new name, where that has another hash only.
func (c *configs) rename(kinds []string, from, to string) *delta {
	for _, kind := range kinds {
		if d := c.renamed[[2]string{kind, to}]; d != nil && d.old.Name.Name == from && d.now.Name.Name == to {
			return d
		}
	}
	return nil
}
