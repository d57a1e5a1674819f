// Package render says what a renderer is: it turns one application's files into the bytes that the stock tool would
// print, with their origin.
package render

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/rollstamp/rollstamp/config"
	"github.com/rollstamp/rollstamp/diag"
	"github.com/rollstamp/rollstamp/files"
	"github.com/rollstamp/rollstamp/redact"
)

// Kind names an engine, as --as spells it.
type Kind string

// The engines. KindAuto means: what the folder's files say.
const (
	KindAuto      Kind = ""
	KindHelm      Kind = "helm"
	KindKustomize Kind = "kustomize"
	KindPlain     Kind = "plain"
)

// KustomizationFiles are the names of the file that makes a folder a kustomization, in the order in which kustomize
// looks for them.
var KustomizationFiles = [...]string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// IsKustomizationFile reports whether a file has one of these names.
func IsKustomizationFile(path string) bool {
	return slices.Contains(KustomizationFiles[:], filepath.Base(path))
}

// DefaultNamespace is what a chart takes for its release's namespace where none is given.
const DefaultNamespace = "default"

// Request is one application to render. Engines read it and change nothing in it.
type Request struct {
	Path      string       // folder or file, as the user wrote it
	Files     files.System // where Path and all that it names is read; nil is the disk
	Namespace string       // --namespace; "" where not given
	Helm      HelmOptions
	Kustomize KustomizeOptions
	Plain     PlainOptions
	Allow     config.Permissions
	CacheDir  string // the user's cache folder for fetched charts and bases
	// Roots remembers the repositories of the run; nil asks again.
	Roots *config.Roots
	// Once leaves the second render out: nobody asks what would come out differently.
	Once bool
	// RegistryConfig is helm's file of credentials for registries; "" where the user has none.
	RegistryConfig string
	// Probed are absolute paths at which the options were looked for, of which nothing may be there: optional files, and
	// folders in which a pattern was matched. Another render would follow where something else is there.
	Probed []string
}

// HelmOptions are helm template's flags that change its output, with helm's names and defaults.
type HelmOptions struct {
	ReleaseName          string   // --release-name; "" is helm's default "release-name"
	NameTemplate         string   // --name-template
	ValuesFiles          []string // -f, in order; "-" is standard input
	Values               []Values // further values, after those of the files
	Set                  []string // --set
	SetString            []string // --set-string
	SetFile              []string // --set-file
	SetJSON              []string // --set-json
	SetLiteral           []string // --set-literal
	KubeVersion          string   // --kube-version; "" is DefaultKubeVersion
	APIVersions          []string // -a
	IncludeCRDs          bool
	SkipCRDs             bool
	SkipTests            bool
	NoHooks              bool
	SkipSchemaValidation bool
	SkipSchemaBy         string // what to do for that, as hints have it; "" is the flag
	IsUpgrade            bool
	ShowOnly             []string // -s
	EnableDNS            bool
	DependencyUpdate     bool
	Version              config.HelmVersion // of the Helm that renders; 0 leaves it to the engine
	// DropNulls leaves out what is null in the values of charts, as Helm 4 does: templates see no such key. It is for
	// Helm 3 where nobody asks for that.
	DropNulls bool
	// ExactEnds lets block scalars at the end of a document end as in its template, as post-renderers of Helm 4 see them.
	ExactEnds bool
}

// Values are values that lie in no file.
type Values struct {
	Name string // what errors call them
	Text []byte // YAML
	// Table has them decoded, in the types that --set and YAML make, and counts instead of Text. An engine changes nothing
	// in it.
	Table map[string]any
	// Hidden are values among them that came from Secrets: no error shows them.
	Hidden *redact.Values
}

// KustomizeOptions are kustomize build's flags that change its output.
type KustomizeOptions struct {
	LoadRestrictor    string // --load-restrictor: "", LoadRestrictionsRootOnly, LoadRestrictionsNone
	EnableHelm        bool   // accepted; local charts are rendered in any case
	HelmKubeVersion   string
	PinnedKubeVersion string // of the configuration: what a chart sees whose entry and --helm-kube-version name none
	HelmAPIVersions   []string
	Reorder           string // "", legacy, none
	AsCurrentUser     bool   // functions in containers run as the user who runs us
	EnableExec        bool
	EnableAlphaPlugin bool
	Env               []string
	Network           bool
	Mount             []string
	TraceOf           *Output         // what a build of this request returned: only the files of its objects are wanted
	Edits             *KustomizeEdits // what is changed in the kustomization before it is built; nil is nothing
	// Overlay builds as kustomize-controller does; nil as the command does.
	Overlay *KustomizeOverlay
}

// KustomizeOverlay is what a Kustomization of Flux adds to the kustomization of a folder, or to the one that is
// generated for a folder without. It is added in memory.
type KustomizeOverlay struct {
	Root                    string // the top of the source: files outside of it are refused; "" is the usual rule
	Namespace               string
	NamePrefix, NameSuffix  string
	Patches                 []json.RawMessage // as items of the field patches
	Images                  []Image
	Components              []string
	IgnoreMissingComponents bool
	BuildMetadata           []string
}

// Image is an item of a kustomization's field images.
type Image struct{ Name, NewName, NewTag, Digest string }

// KustomizeEdits are changes to a kustomization as kustomize edit makes them, in memory and in the order of the fields.
type KustomizeEdits struct {
	NamePrefix            string
	NameSuffix            string
	Images                []string // as kustomize edit set image takes them
	Replicas              []Replica
	Labels                map[string]string
	ForceLabels           bool // replace labels that are there, which is an error otherwise
	LabelsWithoutSelector bool
	LabelsInTemplates     bool
	Annotations           map[string]string
	ForceAnnotations      bool // the same
	Namespace             string
	Patches               []json.RawMessage // as items of the field patches
	Components            []string
}

// Replica is the number of replicas of the workloads with a name.
type Replica struct {
	Name  string
	Count int
}

// PlainOptions select files in a folder of plain manifests.
type PlainOptions struct {
	Recursive bool
	Include   []string // globs relative to the folder; none means *.yaml, *.yml, *.json
	Exclude   []string
	// Directory reads the folder by Argo CD's rules instead; what stands above does not count then. Nil is ours.
	Directory *DirectoryOptions
}

// DirectoryOptions are those of an application that Argo CD calls a directory, with its names and its rules.
type DirectoryOptions struct {
	Recurse bool
	// Include and Exclude are globs of paths from the folder; "*" stands for slashes too, and {a,b} for either. "" is
	// none.
	Include, Exclude       string
	DisableExtensionFilter bool  // take files of any name, not only *.yaml, *.yml, *.json and *.jsonnet
	MaxBytes               int64 // of all files but Jsonnet together; 0 is no limit
	Jsonnet                JsonnetOptions
}

// DirectoryMaxBytes is MaxBytes where the operator of Argo CD says nothing else.
const DirectoryMaxBytes = 10_000_000

// JsonnetOptions are what Jsonnet files see.
type JsonnetOptions struct {
	ExtVars, TLAs []JsonnetVar
	Libs          []string // folders from the top of the repository
}

// JsonnetVar is an external variable or a top-level argument.
type JsonnetVar struct {
	Name, Value string
	Code        bool // the value is Jsonnet, not a string
}

// Origin reports where the text from Offset on (up to the next Origin) comes from. Line is the line of that file at
// Offset, or 0 where the text was generated and only the file (a template) is known. ObjectLine is the line of that
// file that has the kind of the object at Offset, whose other lines may be in another order there; 0 where it is not
// known.
type Origin struct {
	Offset     int
	File       string
	Line       int
	ObjectLine int
}

// Output is one rendered application. Text is exactly what the stock command prints on stdout.
type Output struct {
	Kind         Kind
	Why          string   // one line for -v: what was detected, and why
	Text         []byte   // never changed after it is returned
	Origins      []Origin // ascending by Offset; may be empty
	Locator      Locator  // finds origins where there are none yet; nil where nothing can
	SecondRender []byte   // a second render of the same input where it could differ (random, time); nil where it cannot
	Namespace    string   // where objects without a namespace will lie; "" where the render does not know
	Findings     []diag.Finding
	Inputs       []string  // every file that was read, sorted, as absolute paths
	Probed       []string  // of what is in a Context: the paths of its request
	App          string    // of what is in a Context: the application, as a run names it, or by its path
	LookedUp     []Span    // of what is in a Context: the documents with something to look up; nil where all may have
	Context      []*Output // what can be looked up for it; nothing of that is stamped
	ContextErr   error     // why what can be looked up is not known; nil where it is
	Hidden       []Hidden  // what is not shown of the text, ascending by Offset; see AllHidden
	// Decrypted are ConfigMaps and Secrets that the text has with ciphertexts, each as a document without. Nothing
	// prints them.
	Decrypted []redact.Secret
	// Bound are the references that bindings of the configuration added to workloads, and that these did not have: which
	// binding did, by its place in the configuration. Nothing changes it.
	Bound map[Bound]int `json:"-"`
	// IsRelease: Helm installs the text as a release. It runs the hooks in it by itself, and changes none of them.
	IsRelease bool
	// ByFlux: kustomize-controller applies the text, and leaves the objects as they are that ask for that.
	ByFlux bool

	change  *change         // by which it came to be; nil for what an engine returned
	derived func() []Hidden // see WithDerived; nil where nothing can be
}

// Span is a part of a text, up to End.
type Span struct{ Start, End int }

// Bound is a reference of a workload that a binding added.
type Bound struct {
	Workload   string // as messages name objects
	Kind, Name string // of the object
	Key        string // that nothing else asks for; "" where nothing else refers to the object at all
}

// ProbedAround returns where it was looked for options of all that can be looked up for the render.
func (o *Output) ProbedAround() (paths []string) {
	for _, around := range o.Context {
		paths = append(append(paths, around.Probed...), around.ProbedAround()...)
	}
	return paths
}

// Locator finds the files that the objects of a render come from, without rendering again.
type Locator interface {
	// Origins returns an origin for each document of a text with the objects of the render. Where more than one file can
	// be meant, it has no File.
	Origins(text []byte) []Origin
}

// Engine renders one application. It returns all of the output or an error, never a part.
type Engine interface {
	Render(ctx context.Context, req Request) (*Output, error)
}

// Transform changes what an engine rendered as the program that applies it does afterwards: text, second render and
// origins together. It returns another output, or the one that it got, and changes nothing in that.
type Transform func(ctx context.Context, out *Output) (*Output, error)

// Engines are the renderers, by what they render.
type Engines map[Kind]Engine

// Chart is a helmCharts entry of a kustomization, resolved to a folder or archive on disk.
type Chart struct {
	Path        string        // chart folder or .tgz
	Files       files.System  // as in a Request
	Roots       *config.Roots // as in a Request
	ReleaseName string
	Namespace   string
	Once        bool // as in a Request: random stays false
	Options     HelmOptions
}

// Inflater renders and fetches charts for another engine. The result is what helm template would print; random reports
// whether a second call may differ.
type Inflater interface {
	Inflate(ctx context.Context, c Chart) (text []byte, random bool, err error)

	// Unpack puts the files of a chart of a repository (http, https) or a registry (oci) into the folder dir; an empty
	// version is the newest. It asks the network, which the caller has to have allowed.
	Unpack(ctx context.Context, repository, name, version, dir string) error
}

// Evaluator evaluates a Jsonnet file for another engine.
type Evaluator interface {
	// Evaluate returns the JSON of the file at path, which is absolute, and what was read for it, absolute too.
	Evaluate(ctx context.Context, req Request, path string) (json []byte, inputs []string, err error)
}
