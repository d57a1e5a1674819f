package rendercache

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Identity is all that decides what a render reads, as bytes. Two of the same bytes are the same question.
type Identity struct {
	bytes []byte
	skip  []reflect.Type
	err   error
}

// NewIdentity returns an identity to which values are added. Fields of the types in skip take no part: what they hold
// is known otherwise: structs, pointers and interfaces.
func NewIdentity(skip ...reflect.Type) *Identity {
	return &Identity{skip: skip}
}

// Grow makes space for a number of bytes.
func (id *Identity) Grow(size int) { id.bytes = slices.Grow(id.bytes, size) }

// Bytes returns what identifies all that was added. The error is that something was added that nothing identifies, such
// as a function.
func (id *Identity) Bytes() ([]byte, error) { return id.bytes, id.err }

// maxDepth is how deep values are that nobody made by mistake.
const maxDepth = 40

// Add adds values, whatever they are made of. Fields that are not exported count like others.
func (id *Identity) Add(values ...any) {
	for _, v := range values {
		id.add(reflect.ValueOf(v), maxDepth)
	}
}

func (id *Identity) fail(v reflect.Value) {
	if id.err == nil {
		id.err = fmt.Errorf("identify render: a value of type %s is not compared", v.Type())
	}
}

func (id *Identity) number(n uint64) { id.bytes = binary.AppendUvarint(id.bytes, n) }

func (id *Identity) flag(is bool) {
	if is {
		id.number(1)
		return
	}
	id.number(0)
}

func (id *Identity) text(s string) {
	id.number(uint64(len(s)))
	id.bytes = append(id.bytes, s...)
}

func (id *Identity) add(v reflect.Value, depth int) {
	if !v.IsValid() {
		id.number(0)
		return
	}
	kind := v.Kind()
	if (kind == reflect.Struct || kind == reflect.Pointer || kind == reflect.Interface) &&
		slices.Contains(id.skip, v.Type()) {
		return
	}
	if depth == 0 {
		id.fail(v)
		return
	}
	switch kind {
	case reflect.Bool:
		id.flag(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		id.bytes = binary.AppendVarint(id.bytes, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		id.number(v.Uint())
	case reflect.Float32, reflect.Float64:
		id.number(math.Float64bits(v.Float()))
	case reflect.String:
		id.text(v.String())
	case reflect.Slice, reflect.Array:
		id.items(v, depth)
	case reflect.Map:
		id.table(v, depth)
	case reflect.Pointer, reflect.Interface:
		id.reference(v, depth)
	case reflect.Struct:
		for i := range v.NumField() {
			id.add(v.Field(i), depth-1)
		}
	default:
		if kind == reflect.Func && v.IsNil() {
			id.number(0)
			return
		}
		id.fail(v)
	}
}

func (id *Identity) items(v reflect.Value, depth int) {
	if v.Kind() == reflect.Slice && v.IsNil() {
		id.number(0)
		return
	}
	id.number(uint64(v.Len()) + 1)
	if v.Type().Elem().Kind() == reflect.Uint8 && v.Kind() == reflect.Slice {
		id.bytes = append(id.bytes, v.Bytes()...)
		return
	}
	for i := range v.Len() {
		id.add(v.Index(i), depth-1)
	}
}

func (id *Identity) table(v reflect.Value, depth int) {
	if v.Len() > 0 && v.Type().Key().Kind() != reflect.String {
		id.fail(v)
		return
	}
	id.number(uint64(v.Len()))
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, k := range keys {
		id.text(k.String())
		id.add(v.MapIndex(k), depth-1)
	}
}

func (id *Identity) reference(v reflect.Value, depth int) {
	if v.IsNil() {
		id.number(0)
		return
	}
	id.number(1)
	if v.Kind() == reflect.Interface {
		id.text(v.Elem().Type().String())
	}
	if v.Type() == reflect.TypeFor[*regexp.Regexp]() {
		id.text(v.Elem().FieldByName("expr").String()) // what it was compiled from; the rest follows
		return
	}
	id.add(v.Elem(), depth-1)
}
