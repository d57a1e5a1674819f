package config

// Permissions are what a run may do beyond reading the application's own files. They come only from flags, the
// environment or the operator's policy file; a configuration file in the rendered tree can narrow, never widen them.
type Permissions struct {
	Network     bool // fetch charts, bases and values over the network
	ExecPlugins bool // run kustomize exec plugins and functions
	OutsideRoot bool // read files outside the application's root through .. or symbolic links
}
