package image

import (
	"fmt"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/rollstamp/rollstamp/release/dist"
	"github.com/rollstamp/rollstamp/release/programs"
	"github.com/rollstamp/rollstamp/release/source"
)

// Platforms are those that the image is made for.
var Platforms = []programs.Platform{{OS: "linux", Arch: "amd64"}, {OS: "linux", Arch: "arm64"}}

const description = "Stamps digests of exactly the configuration that workloads consume into what GitOps applies"

// home is the HOME of the image, below which fetched charts are cached.
const home = "/home/rollstamp"

// users and groups name whom hosts start the image as: kustomize and kpt run functions with --user nobody, and a container
// runtime looks that name up here.
const (
	users = "root:x:0:0:root:/:/sbin/nologin\n" +
		"rollstamp:x:999:999:rollstamp:" + home + ":/sbin/nologin\n" +
		"nobody:x:65534:65534:nobody:/:/sbin/nologin\n"
	groups = "root:x:0:\nrollstamp:x:999:\nnobody:x:65534:\n"
)

// Content is what goes into the image of one platform.
type Content struct {
	Platform programs.Platform
	Programs []programs.Program
	Texts    map[string]string // files on disk by their name below /usr/share/doc/rollstamp: the licenses
	Shell    *Shell            // for the image with a shell in it
}

// Index returns the image of a tree for all platforms.
func Index(tree source.Tree, contents []Content) (v1.ImageIndex, error) {
	base, err := baseLayer()
	if err != nil {
		return nil, err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, c := range contents {
		img, err := c.image(tree, base)
		if err != nil {
			return nil, fmt.Errorf("image for %s: %w", c.Platform, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: img,
			Descriptor: v1.Descriptor{
				MediaType: types.OCIManifestSchema1,
				Platform:  &v1.Platform{OS: c.Platform.OS, Architecture: c.Platform.Arch},
			},
		})
	}
	if len(contents) == 0 {
		return index, nil
	}
	return mutate.Annotations(index, contents[0].labels(tree)).(v1.ImageIndex), nil
}

// baseLayer has what no release changes but one with newer certificates: it is downloaded once. So its time is none.
func baseLayer() (v1.Layer, error) {
	roots, err := certificates()
	if err != nil {
		return nil, err
	}
	return layer(time.Unix(0, 0), []entry{
		{name: "etc/group", mode: 0o644, content: []byte(groups)},
		{name: "etc/passwd", mode: 0o644, content: []byte(users)},
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, content: roots},
		{name: "home/rollstamp", mode: 0o755, owner: userID, folder: true},
		// As on any system, because people run the image as other users, too.
		{name: "tmp", mode: 0o1777, folder: true},
		{name: "work", mode: 0o755, folder: true},
	})
}

func (c Content) image(tree source.Tree, base v1.Layer) (v1.Image, error) {
	var entries []entry
	for _, p := range c.Programs {
		entries = append(entries, entry{name: "usr/local/bin/" + p.Name, mode: 0o755, from: p.Path})
	}
	for name, path := range c.Texts {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
		entries = append(entries, entry{name: "usr/share/doc/rollstamp/" + name, mode: 0o644, from: path})
	}
	own, err := layer(tree.Date, entries)
	if err != nil {
		return nil, err
	}
	config := c.config(tree)
	layers := []mutate.Addendum{
		{Layer: base, History: history("certificates and folders", time.Unix(0, 0).UTC())},
		{Layer: own, History: history("the programs of "+tree.Name(), tree.Date)},
	}
	if c.Shell != nil {
		shell, err := c.Shell.layer(tree)
		if err != nil {
			return nil, err
		}
		layers = append(layers, mutate.Addendum{Layer: shell, History: history("busybox "+c.Shell.Version, tree.Date)})
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err = mutate.ConfigFile(img, config)
	if err != nil {
		return nil, err
	}
	img, err = mutate.Append(img, layers...)
	if err != nil {
		return nil, err
	}
	return mutate.Annotations(img, c.labels(tree)).(v1.Image), nil
}

func history(by string, date time.Time) v1.History {
	return v1.History{CreatedBy: by, Created: v1.Time{Time: date}}
}

// config is how the image runs. One with a shell has no entry point, for GitLab starts the shell itself.
func (c Content) config(tree source.Tree) *v1.ConfigFile {
	config := &v1.ConfigFile{
		OS: c.Platform.OS, Architecture: c.Platform.Arch,
		Created: v1.Time{Time: tree.Date},
		RootFS:  v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User:       fmt.Sprintf("%d:%d", userID, userID),
			Env:        []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home},
			WorkingDir: "/work",
			Entrypoint: []string{"/usr/local/bin/rollstamp"},
			Cmd:        []string{"--help"},
			Labels:     c.labels(tree),
		},
	}
	if c.Shell != nil {
		config.Config.Entrypoint, config.Config.Cmd = nil, []string{"/bin/sh"}
	}
	return config
}

// labels are those that the OCI defines. They are on the image and, as annotations, on its manifests.
func (c Content) labels(tree source.Tree) map[string]string {
	const prefix = "org.opencontainers.image."
	all := map[string]string{
		prefix + "title":         "rollstamp",
		prefix + "description":   description,
		prefix + "version":       tree.Version,
		prefix + "created":       tree.Date.Format(time.RFC3339),
		prefix + "source":        dist.Repository,
		prefix + "url":           dist.Repository,
		prefix + "documentation": dist.Repository + "/tree/main/docs",
		prefix + "licenses":      "Apache-2.0",
		prefix + "vendor":        "The rollstamp authors",
	}
	if c.Shell != nil {
		all[prefix+"licenses"] = shellLicenses
	}
	if tree.Revision != "" {
		all[prefix+"revision"] = tree.Revision
	}
	return all
}
