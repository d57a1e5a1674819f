// Package job writes the Kubernetes Job that divides one run over many pods.
package job

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/rollstamp/rollstamp/diag"
)

// Format is what is printed.
type Format string

// The formats.
const (
	Manifest  Format = "manifest"  // the Job
	Kustomize Format = "kustomize" // the kustomization.yaml of a base, of which the Job is job.yaml
	Helm      Format = "helm"      // values for charts that print what extraObjects lists
)

// Formats lists the formats.
func Formats() []string { return []string{string(Manifest), string(Kustomize), string(Helm)} }

// Claim is a folder of a persistent volume: the name of the claim, and the folder from its root after a slash.
type Claim string

// Name returns the name of the claim.
func (c Claim) Name() string {
	name, _, _ := strings.Cut(string(c), "/")
	return name
}

// Folder returns the folder on the volume, "" for its root.
func (c Claim) Folder() string {
	_, folder, _ := strings.Cut(string(c), "/")
	return folder
}

// Options are what can be chosen.
type Options struct {
	Format      Format
	Image       string // reference of rollstamp's image
	Name        string // of the Job
	Shards      int
	Parallelism int // pods at once, 0 for as many as there are shards
	Source      Claim
	Results     Claim
	Cache       Claim  // of --render-cache, "" for none
	HashKey     string // name of the Secret that has the key under hash-key, "" for none
	CPU, Memory string // what a pod asks for; the memory is its limit, too
	// Arguments are those of the command that is divided: its name, PATHs and flags.
	Command string
	Paths   []string
	Flags   []string
}

var (
	imageRef = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][-A-Za-z0-9._:/@]*$`) })
	dnsLabel = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`) })
	dnsName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$`) })
	quantity = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+(\.[0-9]+)?([mkMGT]|[KMGT]i)?$`) })
)

// The API server takes no more: names of an Indexed Job's pods end in the index and five letters.
const (
	maxShards = 100_000
	maxName   = 63 - len("-99999") - len("-abcde")
)

// Text returns the YAML, with comments that explain it. What cannot be is a usage error.
func (o Options) Text() ([]byte, error) {
	if err := errors.Join(o.problems()...); err != nil {
		return nil, err
	}
	all := template.New("").Funcs(template.FuncMap{"quote": quote, "argument": argument})
	all.Funcs(template.FuncMap{"job": func(indent string) (string, error) {
		var out bytes.Buffer
		err := all.ExecuteTemplate(&out, "job.yaml.tmpl", o)
		return indented(indent, out.String()), err
	}})
	if _, err := all.ParseFS(templates, "templates/*.yaml.tmpl"); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err := all.ExecuteTemplate(&out, string(o.Format)+".yaml.tmpl", o)
	return out.Bytes(), err
}

// isPinned reports whether the reference of an image names its version or digest.
func isPinned(image string) bool {
	return strings.ContainsAny(image[strings.LastIndexByte(image, '/')+1:], ":@")
}

// problems returns what is wrong with the options.
func (o Options) problems() []error {
	var errs []error
	wrong := func(hint, format string, values ...any) {
		errs = append(errs, diag.Usage(fmt.Errorf(format, values...), hint))
	}
	switch {
	case o.Image == "":
		wrong("Name the image of rollstamp in your registry with --image REF; docs/release.md says how to get it there.",
			"no image is given")
	case !imageRef().MatchString(o.Image):
		wrong("", "--image %q is no reference of an image", o.Image)
	case !isPinned(o.Image):
		wrong("Without one, pods may be of several versions, whose parts do not join: write "+o.Image+":VERSION or "+
			o.Image+"@DIGEST.", "--image %q has neither a version nor a digest", o.Image)
	}
	if o.Shards < 1 || o.Shards > maxShards {
		wrong("", "--shards %d is not from 1 to %d", o.Shards, maxShards)
	}
	if o.Parallelism < 0 {
		wrong("", "--parallelism %d is less than 1", o.Parallelism)
	}
	if len(o.Name) > maxName || !dnsLabel().MatchString(o.Name) {
		wrong("", "--name %q is not 1 to %d lower case letters, digits and -", o.Name, maxName)
	}
	if o.HashKey != "" && !dnsName().MatchString(o.HashKey) {
		wrong("", "--hash-key-secret %q is no name of a Secret", o.HashKey)
	}
	claims := []struct {
		flag     string
		claim    Claim
		optional bool
	}{{"source", o.Source, false}, {"results", o.Results, false}, {"cache", o.Cache, true}}
	for _, c := range claims {
		switch {
		case c.claim == "" && !c.optional:
			wrong("Name a PersistentVolumeClaim that the pods share, as "+c.flag+" or "+c.flag+"/folder.",
				"no --%s is given", c.flag)
		case c.claim != "" && !dnsName().MatchString(c.claim.Name()):
			wrong("", "--%s %q is not CLAIM or CLAIM/FOLDER", c.flag, c.claim)
		case strings.HasPrefix(c.claim.Folder(), "/") || slices.Contains(strings.Split(c.claim.Folder(), "/"), ".."):
			wrong("", "--%s %q leads out of the claim", c.flag, c.claim)
		}
	}
	for _, path := range o.Paths {
		if !filepath.IsLocal(filepath.FromSlash(path)) {
			wrong("PATHs begin at the top of the repository, which --source names.", "PATH %q leads out of the repository", path)
		}
	}
	for _, q := range []struct{ flag, value string }{{"cpu", o.CPU}, {"memory", o.Memory}} {
		if !quantity().MatchString(q.value) {
			wrong("", "--%s %q is no quantity of Kubernetes", q.flag, q.value)
		}
	}
	if !slices.Contains(Formats(), string(o.Format)) {
		wrong("", "--format %q is not one of %s", o.Format, strings.Join(Formats(), ", "))
	}
	return errs
}

// AtOnce returns how many pods run at once, for the template.
func (o Options) AtOnce() int {
	if o.Parallelism == 0 {
		return o.Shards
	}
	return min(o.Parallelism, o.Shards)
}

// Volumes returns the claims that are mounted, each once, for the template.
func (o Options) Volumes() []string {
	var names []string
	for _, c := range []Claim{o.Source, o.Results, o.Cache} {
		if c != "" && !slices.Contains(names, c.Name()) {
			names = append(names, c.Name())
		}
	}
	return names
}

// Mounted returns the flags of the claims, which are the names of their folders in a pod, too, for the template.
func (o Options) Mounted() []string { return []string{"source", "results", "cache"} }

// At returns the claim by the name of its flag, for the template.
func (o Options) At(flag string) Claim {
	return map[string]Claim{"source": o.Source, "results": o.Results, "cache": o.Cache}[flag]
}

// Index returns the index of a claim among Volumes, which names its volume: a claim's name may be longer than a
// volume's can be.
func (o Options) Index(c Claim) int { return slices.Index(o.Volumes(), c.Name()) }

// GivesUp returns the exit codes after which a part is not tried again: the same input fails in the same way.
func (o Options) GivesUp() []diag.Exit {
	return []diag.Exit{diag.ExitFindings, diag.ExitUsage, diag.ExitInput, diag.ExitInternal}
}

// quote returns a text as a double-quoted scalar of YAML, which JSON's are.
func quote(text string) (string, error) {
	out, err := json.Marshal(text)
	return string(out), err
}

// argument returns an argument of a container as a scalar: Kubernetes would expand what reads like $(VARIABLE), and
// takes $$ for $.
func argument(text string) (string, error) { return quote(strings.ReplaceAll(text, "$", "$$")) }

func indented(by, text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			out.WriteString(by)
		}
		out.WriteString(line)
	}
	return out.String()
}

// templates are the Job, and a file for each format, named after it.
//
//go:embed templates/*.yaml.tmpl
var templates embed.FS
