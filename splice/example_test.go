package splice_test

import (
	"fmt"

	"github.com/rollstamp/rollstamp/manifest"
	"github.com/rollstamp/rollstamp/splice"
)

const deployment = `# what visitors see
kind: Deployment
spec:
  template:
    spec:
      containers:
        - name: web # one of two
          image: 'web:1'
`

func Example() {
	d, err := manifest.Parse([]byte(deployment))
	if err != nil {
		fmt.Println(err)
		return
	}
	// A slot knows which entries of a mapping are there, and where others go.
	ours := func(key string) splice.Claim {
		if key == "example.org/digest" {
			return splice.Owned
		}
		return splice.Foreign
	}
	slot, err := splice.Locate(d.Root(), []string{"spec", "template", "metadata", "annotations"}, ours)
	if err != nil {
		fmt.Println(err) // a document that is ErrNotInPlace can be encoded again, with Reencode
		return
	}
	edits := slot.Edits([]splice.Entry{{Key: "example.org/digest", Value: "v1-90d4"}}, nil)

	// Strings, items of lists and whole subtrees can be changed as well. All edits are into the text as it is.
	for container := range d.Root().At("spec", "template", "spec", "containers").Items() {
		image, err := splice.SetString(container.Get("image"), "web:2")
		if err != nil {
			fmt.Println(err)
			return
		}
		debug := splice.Fields{{Key: "name", Value: "DEBUG"}, {Key: "value", Value: "true"}}
		env, err := splice.EditItems(container, []string{"env"}, splice.ItemChange{Insert: []any{debug}})
		if err != nil {
			fmt.Println(err)
			return
		}
		edits = append(append(edits, image...), env...)
	}
	splice.Sort(edits)
	fmt.Printf("%s", splice.Bytes(d.Text(), edits))

	// Output:
	// # what visitors see
	// kind: Deployment
	// spec:
	//   template:
	//     metadata:
	//       annotations:
	//         example.org/digest: v1-90d4
	//     spec:
	//       containers:
	//         - env:
	//             - name: DEBUG
	//               value: "true"
	//           name: web # one of two
	//           image: 'web:2'
}
