package render

// The next steps where a render has no end.
const (
	// RecursionHint is the one of a render that calls itself without end.
	RecursionHint = "Look for templates that include themselves or values that contain themselves, for recursion in " +
		"Jsonnet, and for brackets within brackets without end."
	// GrowthHint is the beginning of the one of a render that fills the memory; what allows it more follows.
	GrowthHint = "Look for repeat, until and loops in its templates, and for texts and arrays that grow in its Jsonnet"
	// SmallerHint is the one of a kustomization that takes long or fills the memory, in front of what allows it more.
	SmallerHint = "Make the kustomization smaller (its patches, bases and components; where it renders charts, look for a loop " +
		"in their templates)"
	// LoopHint is the one of a render whose time is over.
	LoopHint = "Allow more time with --timeout, or look for a loop in its templates or its Jsonnet."
)
