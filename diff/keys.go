package diff

// changedKeys compares what two objects hold, sorted by key.
func changedKeys(from, to map[string]any) []KeyChange {
	var out []KeyChange
	for _, key := range differing(from, to) {
		_, had := from[key]
		_, has := to[key]
		switch {
		case !had:
			out = append(out, KeyChange{Key: key, Change: Addition})
		case !has:
			out = append(out, KeyChange{Key: key, Change: Removal})
		default:
			out = append(out, KeyChange{Key: key, Change: Modification})
		}
	}
	return out
}
