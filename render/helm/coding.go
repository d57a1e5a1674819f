package helm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// errMessage is the error of a message that was not written here.
var errMessage = errors.New("the message is not understood")

// appendBlob appends bytes with their number in front.
func appendBlob[T string | []byte](to []byte, blob T) []byte {
	return append(binary.AppendUvarint(to, uint64(len(blob))), blob...)
}

// cutBlob returns the first blob of a message, and what follows it.
func cutBlob(message []byte) (blob, rest []byte, err error) {
	n, size := binary.Uvarint(message)
	if size <= 0 || n > uint64(len(message)-size) {
		return nil, nil, errMessage
	}
	end := size + int(n)
	return message[size:end:end], message[end:], nil
}

// The types of values, as --set and YAML make them. The difference between 1 and 1.0 shows in templates.
const (
	nullType   = 'n'
	falseType  = 'f'
	trueType   = 't'
	intType    = 'i'
	floatType  = 'd'
	stringType = 's'
	listType   = 'l'
	tableType  = 'm'
)

// appendValue appends a value of a chart.
func appendValue(to []byte, v any) (_ []byte, err error) {
	switch v := v.(type) {
	case nil:
		return append(to, nullType), nil
	case bool:
		if v {
			return append(to, trueType), nil
		}
		return append(to, falseType), nil
	case int:
		return binary.AppendVarint(append(to, intType), int64(v)), nil
	case int64:
		return binary.AppendVarint(append(to, intType), v), nil
	case float64:
		return binary.BigEndian.AppendUint64(append(to, floatType), math.Float64bits(v)), nil
	case string:
		return appendBlob(append(to, stringType), v), nil
	case []any:
		to = binary.AppendUvarint(append(to, listType), uint64(len(v)))
		for _, item := range v {
			if to, err = appendValue(to, item); err != nil {
				return nil, err
			}
		}
		return to, nil
	case map[string]any:
		to = binary.AppendUvarint(append(to, tableType), uint64(len(v)))
		for key, item := range v {
			if to, err = appendValue(appendBlob(to, key), item); err != nil {
				return nil, err
			}
		}
		return to, nil
	}
	return nil, fmt.Errorf("a value of type %T", v)
}

// cutValue returns the first value of a message, and what follows it.
func cutValue(message []byte) (v any, rest []byte, err error) {
	if len(message) == 0 {
		return nil, nil, errMessage
	}
	kind, rest := message[0], message[1:]
	switch kind {
	case nullType:
		return nil, rest, nil
	case falseType, trueType:
		return kind == trueType, rest, nil
	case intType:
		n, size := binary.Varint(rest)
		if size <= 0 {
			return nil, nil, errMessage
		}
		return n, rest[size:], nil
	case floatType:
		const size = 8
		if len(rest) < size {
			return nil, nil, errMessage
		}
		return math.Float64frombits(binary.BigEndian.Uint64(rest)), rest[size:], nil
	case stringType:
		text, rest, err := cutBlob(rest)
		return string(text), rest, err
	case listType:
		return cutList(rest)
	case tableType:
		return cutTable(rest)
	}
	return nil, nil, errMessage
}

func cutList(message []byte) (v any, rest []byte, err error) {
	n, rest, err := cutCount(message)
	list := make([]any, n)
	for i := range list {
		if list[i], rest, err = cutValue(rest); err != nil {
			return nil, nil, err
		}
	}
	return list, rest, err
}

func cutTable(message []byte) (v any, rest []byte, err error) {
	n, rest, err := cutCount(message)
	table := make(map[string]any, n)
	for range n {
		var key []byte
		if key, rest, err = cutBlob(rest); err != nil {
			return nil, nil, err
		}
		if table[string(key)], rest, err = cutValue(rest); err != nil {
			return nil, nil, err
		}
	}
	return table, rest, err
}

// cutCount returns how many items follow, each of which takes a byte or more.
func cutCount(message []byte) (n int, rest []byte, err error) {
	count, size := binary.Uvarint(message)
	if size <= 0 || count > uint64(len(message)-size) {
		return 0, nil, errMessage
	}
	return int(count), message[size:], nil
}
