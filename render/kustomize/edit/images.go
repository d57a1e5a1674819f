package edit

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/pkg/util"
	"sigs.k8s.io/kustomize/api/types"
)

// keep means what the kustomization has already, in a part of an image.
const keep = "*"

var errImage = errors.New(`write an image as NAME=NEWNAME, NAME:TAG, NAME@DIGEST, or NAME=NEWNAME:TAG@DIGEST`)

// images replaces entries of the same names, and sorts all of them.
func (e editor) images() error {
	if len(e.edits.Images) == 0 {
		return nil
	}
	byName := map[string]types.Image{}
	for _, arg := range e.edits.Images {
		image, err := parseImage(arg)
		if err != nil {
			return fmt.Errorf("set image %s: %w", arg, err)
		}
		byName[image.Name] = image
	}
	for _, old := range e.kust.Images {
		image, wanted := byName[old.Name]
		if !wanted {
			byName[old.Name] = old
			continue
		}
		byName[old.Name] = replaceKept(image, old)
	}
	e.kust.Images = nil
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		e.kust.Images = append(e.kust.Images, replaceKept(byName[name], types.Image{}))
	}
	return nil
}

// replaceKept puts parts of the old image for asterisks. An image that has some loses its tag's suffix, as it does in
// kustomize.
func replaceKept(image, old types.Image) types.Image {
	for _, part := range []struct {
		to   *string
		from string
	}{{&image.NewName, old.NewName}, {&image.NewTag, old.NewTag}, {&image.Digest, old.Digest}} {
		if *part.to == keep {
			*part.to = part.from
			image.TagSuffix = ""
		}
	}
	return image
}

func parseImage(arg string) (types.Image, error) {
	old, value, renamed := strings.Cut(arg, "=")
	if !renamed {
		old, value = "", arg
	}
	name, tag, digest := util.SplitImageName(value)
	if name == arg {
		return types.Image{}, errImage
	}
	image := types.Image{Name: name, NewTag: tag, Digest: digest}
	if old != "" {
		image.Name, image.NewName = old, name
	}
	return image, nil
}
