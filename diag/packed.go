package diag

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Packed are findings as bytes: each text once, however many findings have it. Of many of an application it is a
// fraction of what these are in memory.
type Packed []byte

// Pack packs findings.
func Pack(fs []Finding) Packed {
	if len(fs) == 0 {
		return nil
	}
	known := map[string]uint64{}
	var sizes, texts, rows []byte
	for i := range fs {
		f := &fs[i]
		for _, text := range f.texts() {
			n, is := known[*text]
			if !is {
				n = uint64(len(known))
				known[*text] = n
				sizes = binary.AppendUvarint(sizes, uint64(len(*text)))
				texts = append(texts, *text...)
			}
			rows = binary.AppendUvarint(rows, n)
		}
		notice := uint64(0)
		if f.Notice {
			notice = 1
		}
		rows = binary.AppendUvarint(rows, notice)
		rows = binary.AppendVarint(binary.AppendVarint(rows, int64(f.Line)), int64(f.RenderLine))
	}
	out := make(Packed, 0, 3*binary.MaxVarintLen64+len(sizes)+len(texts)+len(rows))
	for _, n := range [...]int{len(fs), len(known), len(texts)} {
		out = binary.AppendUvarint(out, uint64(n))
	}
	return append(append(append(out, sizes...), texts...), rows...)
}

// texts returns the fields of a finding that are texts.
func (f *Finding) texts() [8]*string {
	return [...]*string{(*string)(&f.Code), (*string)(&f.Severity), &f.Message, &f.Object, &f.Key, &f.About, &f.File,
		&f.Hint}
}

var errPacked = errors.New("read findings: not in their format")

// Len returns how many findings there are; 0 where that cannot be read.
func (p Packed) Len() int {
	n, size := binary.Uvarint(p)
	if size <= 0 || n > uint64(len(p)) { // each takes more than a byte
		return 0
	}
	return int(n)
}

// AppendTo appends the findings to others. The error is that the bytes are not those of Pack.
func (p Packed) AppendTo(fs []Finding) ([]Finding, error) {
	if len(p) == 0 {
		return fs, nil
	}
	u := unpacking{from: p}
	count, texts, size := u.number(), u.number(), u.number()
	if count > uint64(len(p)) || texts > uint64(len(p)) { // each takes more than a byte
		return nil, errPacked
	}
	sizes := make([]uint64, texts)
	for i := range sizes {
		sizes[i] = u.number()
	}
	if size > uint64(len(u.from)) {
		return nil, errPacked
	}
	all, text := make([]string, texts), string(u.from[:size])
	u.from = u.from[size:]
	for i, n := range sizes {
		if n > uint64(len(text)) {
			return nil, errPacked
		}
		all[i], text = text[:n], text[n:]
	}
	fs = slices.Grow(fs, int(min(count, uint64(len(u.from)/len(new(Finding).texts())))))
	for range count {
		var f Finding
		for _, text := range f.texts() {
			n := u.number()
			if n >= texts {
				return nil, errPacked
			}
			*text = all[n]
		}
		f.Notice, f.Line, f.RenderLine = u.number() == 1, u.signed(), u.signed()
		if u.failed {
			return nil, errPacked
		}
		fs = append(fs, f)
	}
	if len(u.from) > 0 {
		return nil, errPacked
	}
	return fs, nil
}

// unpacking reads what Pack wrote.
type unpacking struct {
	from   []byte
	failed bool
}

func (u *unpacking) number() uint64 {
	n, size := binary.Uvarint(u.from)
	u.skip(size)
	return n
}

func (u *unpacking) signed() int {
	n, size := binary.Varint(u.from)
	u.skip(size)
	return int(n)
}

func (u *unpacking) skip(size int) {
	if size <= 0 {
		u.failed, u.from = true, nil
		return
	}
	u.from = u.from[size:]
}
