package argocd

// Collection is the shape of a plugin parameter's value, in the words of announcements.
type Collection string

// The shapes.
const (
	String Collection = "string"
	Array  Collection = "array"
	Map    Collection = "map"
)

// Item is the type of a parameter's text, or of each item of its list or map, in the words of announcements.
type Item string

// The types of items; Argo CD itself treats all of them as text.
const (
	Text    Item = "string"
	Boolean Item = "boolean"
	Number  Item = "number"
	YAML    Item = "yaml" // a mapping as text, in YAML or JSON; announced as a string
)

// Option is one setting of an application's render: a parameter of the plugin, and in most cases also a variable and a
// field of the configuration file.
type Option struct {
	Name string // of the parameter: that of the native field
	// of the native field below spec.source, one for each kind of source that has it; of our own options, below argocd
	// in the configuration file
	Paths      []string
	Collection Collection // of the parameter
	Item       Item
	Keys       [2]string // of the items, if a map is written as a list of names and values
	Flag       string    // the field that is set to true in each of these items, or ""
	NoEnv      bool      // has no variable: it may contain dollars, which Argo CD expands in plugin.env
	Own        bool      // is our own, and not Argo CD's
	Meaning    string
}

// The beginnings of paths, one for each kind of source.
const (
	helmPath      = "helm."
	kustomizePath = "kustomize."
	directoryPath = "directory."
)

// Options lists all of them, in the order of Argo CD's reference. It is the one table for decoding, announcements and
// the documentation.
func Options() []Option {
	return []Option{
		list("valueFiles", "Files with values; globs and a leading slash for the top of the repository are allowed.",
			helmPath),
		free(text("values", "Values as YAML, after all files.", helmPath)),
		{Name: "valuesObject", Paths: []string{"helm.valuesObject"}, Collection: String, Item: YAML, NoEnv: true,
			Meaning: "Values as YAML, instead of values."},
		pairs("parameters", "helm.parameters", "value", "", "Single values, as helm's --set."),
		pairs("forceStringParameters", "helm.parameters", "value", "forceString",
			"Single values that stay strings, as helm's --set-string."),
		pairs("fileParameters", "helm.fileParameters", "path", "", "Single values from files, as helm's --set-file."),
		text("releaseName", "Name of the release; by default the application's name.", helmPath),
		text("namespace", "Chart: namespace of the release, by default the destination's. Kustomization: namespace "+
			"of all objects.", helmPath, kustomizePath),
		text("version", "Version of helm, 3 or 4; of kustomize, taken and not used.", helmPath, kustomizePath),
		flag("passCredentials", "Taken and not used.", helmPath),
		flag("ignoreMissingValueFiles", "Leaves out files with values that are not there.", helmPath),
		flag("skipCrds", "Leaves custom resource definitions out.", helmPath),
		flag("skipTests", "Leaves tests out.", helmPath),
		flag("skipSchemaValidation", "Does not check values against the chart's schema.", helmPath),
		text("kubeVersion", "Kubernetes version that charts see; by default the destination's.", helmPath,
			kustomizePath),
		list("apiVersions", "API versions that charts see; by default the destination's.", helmPath, kustomizePath),
		text("namePrefix", "Prefix of all names.", kustomizePath),
		text("nameSuffix", "Suffix of all names.", kustomizePath),
		list("images", "Images to replace: NAME=NEWNAME:TAG, NAME:TAG, NAME@DIGEST.", kustomizePath),
		{Name: "replicas", Paths: []string{"kustomize.replicas"}, Collection: Map, Item: Number,
			Keys: [2]string{"name", "count"}, Meaning: "Numbers of replicas, by the name of the workload."},
		dict("commonLabels", "Labels of all objects.", "kustomize.commonLabels"),
		flag("forceCommonLabels", "Replaces labels that the kustomization has.", kustomizePath),
		flag("labelWithoutSelector", "Keeps commonLabels out of selectors.", kustomizePath),
		flag("labelIncludeTemplates", "Writes commonLabels into pod templates although not into selectors.",
			kustomizePath),
		dict("commonAnnotations", "Annotations of all objects.", "kustomize.commonAnnotations"),
		flag("forceCommonAnnotations", "Replaces annotations that the kustomization has.", kustomizePath),
		flag("commonAnnotationsEnvsubst", "Expands $NAME in the values of commonAnnotations.", kustomizePath),
		{Name: "patches", Paths: []string{"kustomize.patches"}, Collection: Array, Item: YAML, NoEnv: true,
			Meaning: "Patches after those of the kustomization, each as YAML with path, patch, target and options."},
		list("components", "Components after those of the kustomization.", kustomizePath),
		flag("ignoreMissingComponents", "Leaves out components that are not there.", kustomizePath),
		flag("recurse", "Reads the folders below, too.", directoryPath),
		text("include", "Glob of the files that are read.", directoryPath),
		text("exclude", "Glob of files that are left out.", directoryPath),
		flag("disableExtensionFilter", "Looks at files with other endings than .yaml, .yml, .json and .jsonnet, too.",
			directoryPath),
		pairs("extVars", "directory.jsonnet.extVars", "value", "", "External variables of Jsonnet."),
		pairs("extVarsCode", "directory.jsonnet.extVars", "value", "code",
			"External variables of Jsonnet whose value is Jsonnet."),
		pairs("tlas", "directory.jsonnet.tlas", "value", "", "Top-level arguments of Jsonnet."),
		pairs("tlasCode", "directory.jsonnet.tlas", "value", "code",
			"Top-level arguments of Jsonnet whose value is Jsonnet."),
		{Name: "libs", Paths: []string{"directory.jsonnet.libs"}, Collection: Array, Item: Text,
			Meaning: "Folders with Jsonnet libraries, from the top of the repository."},
		own(dict("refs", "Folders of this repository, or URL@COMMIT of others, that stand for other sources of the "+
			"application, by their ref.", "refs")),
		own(flag("allowEmpty", "Takes an empty render, which is refused otherwise.", "")),
	}
}

func paths(name string, kinds []string) []string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		out[i] = k + name
	}
	return out
}

func text(name, meaning string, kinds ...string) Option {
	return Option{Name: name, Paths: paths(name, kinds), Collection: String, Item: Text, Meaning: meaning}
}

func flag(name, meaning string, kinds ...string) Option {
	return Option{Name: name, Paths: paths(name, kinds), Collection: String, Item: Boolean, Meaning: meaning}
}

func list(name, meaning string, kinds ...string) Option {
	return Option{Name: name, Paths: paths(name, kinds), Collection: Array, Item: Text, Meaning: meaning}
}

func dict(name, meaning, path string) Option {
	return Option{Name: name, Paths: []string{path}, Collection: Map, Item: Text, Meaning: meaning}
}

func pairs(name, path, value, flag, meaning string) Option {
	return Option{Name: name, Paths: []string{path}, Collection: Map, Item: Text, Keys: [2]string{"name", value},
		Flag: flag, Meaning: meaning}
}

func free(o Option) Option { o.NoEnv = true; return o }

func own(o Option) Option { o.Own = true; return o }
