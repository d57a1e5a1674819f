package stamp

import (
	"bytes"
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/rollstamp/rollstamp/diag"
)

// reencode writes a document anew, with aliases and merge keys resolved. Its separator and the comments before its first field stay.
func reencode(doc []byte) (head, body []byte, err error) {
	rest := doc
	for len(rest) > 0 {
		n := bytes.IndexByte(rest, '\n') + 1
		if n == 0 {
			n = len(rest)
		}
		line := bytes.TrimRight(rest[:n], " \r\n")
		if len(line) > 0 && line[0] != '#' && string(line) != "---" {
			break
		}
		head = append(head, rest[:n]...)
		rest = rest[n:]
	}
	j, err := yaml.YAMLToJSON(rest)
	if err == nil {
		body, err = yaml.JSONToYAML(j)
	}
	if err != nil {
		return nil, nil, diag.Input(diag.Position{}, fmt.Errorf("write the document anew: %w", err), "")
	}
	return head, body, nil
}
