package substitute

import (
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/resid"

	"github.com/rollstamp/rollstamp/manifest"
)

// identities are those of the objects of a text, as they are while one after the other is substituted.
type identities struct {
	text  []byte
	known map[int]resid.ResId // by where the document begins; nil until an identity changes
}

// replace notes what an object becomes. Two objects of one identity are an error, as kustomize's is.
func (i *identities) replace(d part, o *object) error {
	was, is := o.identity(), identityOf(o.changed)
	if o.parsed != nil {
		is = identify(o.parsed)
	}
	if was == is {
		return nil
	}
	if i.known == nil {
		i.known = map[int]resid.ResId{}
		for d := range documents(i.text) {
			i.known[d.start] = identityOf(i.text[d.start:d.end])
		}
	}
	i.known[d.start] = is
	same := 0
	for _, one := range i.known {
		if is.Equals(one) {
			same++
		}
	}
	if same > 1 {
		return o.fail(fmt.Errorf("in Replace: id matched %d resources", same), "",
			"Its variables give it the name of another object of the Kustomization.")
	}
	return nil
}

// identityOf returns what kustomize knows an object by.
func identityOf(text []byte) resid.ResId {
	doc, err := manifest.Parse(text)
	if err != nil {
		return resid.ResId{}
	}
	return identify(doc)
}

// identity is the object's before it is substituted.
func (o *object) identity() resid.ResId {
	doc, err := o.document()
	if err != nil {
		return resid.ResId{}
	}
	return identify(doc)
}

func identify(doc *manifest.Document) resid.ResId {
	root := doc.Root()
	meta := root.Get("metadata")
	group, version, ok := strings.Cut(root.Get("apiVersion").Text(), "/")
	if !ok {
		group, version = "", group
	}
	return resid.NewResIdWithNamespace(resid.NewGvk(group, version, root.Get("kind").Text()), meta.Get("name").Text(),
		meta.Get("namespace").Text())
}
