package release

import (
	"errors"
	"maps"
	"slices"

	"github.com/rollstamp/rollstamp/flux/objects"
	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

// metadata are labels and annotations that objects get, sorted by key.
type metadata struct{ labels, annotations []splice.Entry }

// metadataOf returns what the objects of a release get: spec.commonMetadata, and the labels that name the release,
// which count more.
func metadataOf(r *objects.HelmRelease) metadata {
	labels, annotations := map[string]string{}, map[string]string{}
	if c := r.Spec.CommonMetadata; c != nil {
		maps.Copy(labels, c.Labels)
		maps.Copy(annotations, c.Annotations)
	}
	maps.Copy(labels, originLabels(r))
	return metadata{entries(labels), entries(annotations)}
}

// originLabels are the labels that name the release.
func originLabels(r *objects.HelmRelease) map[string]string {
	return map[string]string{
		objects.HelmGroup + "/name":      r.Name,
		objects.HelmGroup + "/namespace": r.Namespace,
	}
}

func entries(values map[string]string) []splice.Entry {
	var out []splice.Entry
	for _, key := range slices.Sorted(maps.Keys(values)) {
		out = append(out, splice.Entry{Key: key, Value: values[key]})
	}
	return out
}

// addTo returns the text of a document with the metadata in each of its objects, and the edits that make it of the
// document's text; none where it is encoded again.
func (m metadata) addTo(d *manifest.Document) ([]byte, []splice.Edit, error) {
	edits, err := m.edits(d)
	if !errors.Is(err, splice.ErrNotInPlace) {
		if err != nil {
			return nil, nil, err
		}
		if len(edits) == 0 {
			return d.Bytes(), nil, nil
		}
		return splice.Part(d.Text(), edits, d.Start, d.End), edits, nil
	}
	again, err := splice.Reencode(d)
	if err != nil {
		return nil, nil, err
	}
	if edits, err = m.edits(again); err != nil {
		return nil, nil, err
	}
	return splice.Bytes(again.Text(), edits), nil, nil
}

// edits returns the edits that add the metadata to the objects of a document, sorted.
func (m metadata) edits(d *manifest.Document) ([]splice.Edit, error) {
	var edits []splice.Edit
	for o := range d.Objects() {
		for _, field := range []struct {
			name    string
			entries []splice.Entry
		}{{"annotations", m.annotations}, {"labels", m.labels}} {
			if len(field.entries) == 0 {
				continue
			}
			slot, err := splice.Locate(o.Node, []string{"metadata", field.name}, func(key string) splice.Claim {
				if slices.ContainsFunc(field.entries, func(e splice.Entry) bool { return e.Key == key }) {
					return splice.Owned
				}
				return splice.Foreign
			})
			if err != nil {
				return nil, err
			}
			edits = append(edits, slot.Edits(field.entries, nil)...)
		}
	}
	splice.Sort(edits)
	return edits, nil
}
