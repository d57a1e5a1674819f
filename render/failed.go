package render

// BuildError is an error of kustomize, with its cause where others can say more of that.
type BuildError struct {
	Cause BuildCause
	Path  string // of PatchedPath: the path in the object; "" where it is not known
	Text  string // in one line and without values
}

// BuildCause is why a kustomization cannot be built.
type BuildCause int

// The causes.
const (
	OtherCause        BuildCause = iota
	UnreadablePatch              // a patch is neither a part of an object nor a list of operations
	PatchedPath                  // an operation is for a path that its object has not
	UnmatchedPatch               // a patch without a target is for an object that is not there
	NamespaceConflict            // two objects get one name in the namespace that is set
)

// Error implements error.
func (e *BuildError) Error() string { return e.Text }
