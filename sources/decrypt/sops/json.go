package sops

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/getsops/sops/v3"
)

// loadJSON reads an object, whose keys stay in their order.
func loadJSON(text []byte) (sops.TreeBranches, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	value, err := nextJSON(d)
	if err != nil {
		return nil, err
	}
	branch, is := value.(sops.TreeBranch)
	if !is {
		return nil, ErrFormat
	}
	return sops.TreeBranches{branch}, nil
}

// errClosed is the end of an object or array.
var errClosed = errors.New("closed")

// nextJSON returns the next value, or errClosed.
func nextJSON(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Number:
		return numberOf(token)
	case json.Delim:
		switch token {
		case '{':
			return objectOf(d)
		case '[':
			return arrayOf(d)
		}
		return nil, errClosed
	}
	return token, nil
}

// numberOf returns an int where there is one for a number.
func numberOf(n json.Number) (any, error) {
	if i, err := n.Int64(); err == nil {
		return int(i), nil
	}
	return n.Float64()
}

func objectOf(d *json.Decoder) (out sops.TreeBranch, err error) {
	for {
		key, err := nextJSON(d)
		switch {
		case errors.Is(err, errClosed):
			return out, nil
		case err != nil:
			return nil, err
		}
		value, err := nextJSON(d)
		if err != nil {
			return nil, err
		}
		out = append(out, sops.TreeItem{Key: key, Value: value})
	}
}

func arrayOf(d *json.Decoder) (out []any, err error) {
	for {
		value, err := nextJSON(d)
		switch {
		case errors.Is(err, errClosed):
			return out, nil
		case errors.Is(err, io.EOF):
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		}
		out = append(out, value)
	}
}

// emitJSON writes an object with tabs. It has no comments.
func emitJSON(content sops.TreeBranches) ([]byte, error) {
	var flat, out bytes.Buffer
	if err := appendJSON(&flat, content[0]); err != nil {
		return nil, err
	}
	if err := json.Indent(&out, flat.Bytes(), "", "\t"); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// appendJSON writes a value without blanks.
func appendJSON(out *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case sops.TreeBranch:
		return appendObject(out, v)
	case []any:
		return appendArray(out, v)
	}
	text, err := json.Marshal(v)
	out.Write(text)
	return err
}

func appendObject(out *bytes.Buffer, branch sops.TreeBranch) error {
	between := "{"
	for _, item := range branch {
		if _, is := item.Key.(sops.Comment); is {
			continue
		}
		key, is := item.Key.(string)
		if !is {
			return ErrEmit
		}
		out.WriteString(between)
		between = ","
		if err := appendJSON(out, key); err != nil {
			return err
		}
		out.WriteByte(':')
		if err := appendJSON(out, item.Value); err != nil {
			return err
		}
	}
	if between == "{" {
		out.WriteString(between)
	}
	out.WriteByte('}')
	return nil
}

func appendArray(out *bytes.Buffer, items []any) error {
	out.WriteByte('[')
	first := true
	for _, item := range items {
		if _, is := item.(sops.Comment); is {
			continue
		}
		if !first {
			out.WriteByte(',')
		}
		first = false
		if err := appendJSON(out, item); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	return nil
}

// emitBinary returns the content of a file that is one value.
func emitBinary(content sops.TreeBranches) ([]byte, error) {
	if len(content) != 1 {
		return nil, ErrEmit
	}
	if text, is := get(content[0], "data").(string); is {
		return []byte(text), nil
	}
	return nil, ErrEmit
}
