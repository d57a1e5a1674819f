package stamp

import "bytes"

// Part returns what became of text[start:end]. Its bounds lie between documents, so that no edit crosses them; what was
// inserted at end belongs to it, what was inserted at start to the part before.
func (p *Plan) Part(start, end int) []byte {
	var part []edit
	for _, e := range p.edits {
		if e.start >= start && e.end <= end && (e.end > start || start == 0) {
			part = append(part, edit{e.start - start, e.end - start, e.text})
		}
	}
	var out bytes.Buffer
	_, _ = apply(&out, p.text[start:end], part) // a buffer takes everything
	return out.Bytes()
}
