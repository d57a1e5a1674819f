package manifest

// AnyScalar reports whether a key or a value of a node, or of what lies below it, is a scalar that is asked for.
func AnyScalar(n Node, is func(Node) bool) bool {
	switch {
	case n.IsMap():
		for key, value := range n.Entries() {
			if AnyScalar(key, is) || AnyScalar(value, is) {
				return true
			}
		}
	case n.IsSeq():
		for item := range n.Items() {
			if AnyScalar(item, is) {
				return true
			}
		}
	case n.IsScalar():
		return is(n)
	}
	return false
}
