package diff

// isOne reports whether what was rendered once is what an application is on both sides.
func isOne(old, now *App) bool {
	return old != nil && now != nil && old.Render != nil && old.Render == now.Render &&
		old.AsIs == now.AsIs && old.Unstamped == now.Unstamped && old.Applier == now.Applier &&
		old.Leaves == now.Leaves && old.Fetched == now.Fetched && old.Described == now.Described
}

// isQuiet reports whether nothing in an application can be news, whatever other applications do, so that its objects
// need not be read: it was rendered once for both sides, all of it is known and the same in each render, there is no
// stamp in its source and no object twice, and its workloads find what they refer to in the application itself.
func isQuiet(old, now *App) bool {
	if !isOne(old, now) || old.Together != nil || now.Together != nil || len(now.Context) > 0 ||
		moveOf(old, now) != nil {
		return false
	}
	return now.Render.Summary().Enclosed
}
