package rendercache

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Encode writes a value as bytes that Decode reads: field after field, without their names, because nothing but the
// same program reads them. Nil and empty lists stay apart. What cannot be read again as it was is an error: a function,
// an interface, a field that is not exported.
func Encode(v any) ([]byte, error) { return EncodeLong(v, 0) }

// EncodeLong is Encode for a value whose bytes are about as many as a number says: with that, they are not copied while
// they grow.
func EncodeLong(v any, size int) ([]byte, error) {
	e := encoder{buf: make([]byte, 0, size)}
	if err := e.value(reflect.ValueOf(v)); err != nil {
		return nil, fmt.Errorf("encode for the cache: %w", err)
	}
	return e.buf, nil
}

type encoder struct{ buf []byte }

// structTypes is what is known of the types of structs: reflection takes longer to say it than everything else.
var structTypes sync.Map

// structType is how structs of a type are written.
type structType struct {
	asText bool   // as the text that they make of themselves
	hidden string // a field that is not exported, and so cannot be written; "" for none
}

func structTypeOf(t reflect.Type) structType {
	if known, ok := structTypes.Load(t); ok {
		return known.(structType) //nolint:forcetypeassert // nothing else is stored
	}
	one := structType{asText: t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) &&
		reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())}
	for i := range t.NumField() {
		if f := t.Field(i); !f.IsExported() {
			one.hidden = f.Name
		}
	}
	structTypes.Store(t, one)
	return one
}

func (e *encoder) value(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Bool:
		e.number(uint64(map[bool]int{true: 1}[v.Bool()]))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.buf = binary.AppendVarint(e.buf, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.number(v.Uint())
	case reflect.Float32, reflect.Float64:
		e.number(math.Float64bits(v.Float()))
	case reflect.String:
		e.text(v.String())
	case reflect.Slice:
		return e.slice(v)
	case reflect.Map:
		return e.table(v)
	case reflect.Pointer:
		if v.IsNil() {
			e.number(0)
			return nil
		}
		e.number(1)
		return e.value(v.Elem())
	case reflect.Struct:
		return e.fields(v)
	default:
		return fmt.Errorf("%s cannot be written", v.Type())
	}
	return nil
}

func (e *encoder) number(n uint64) { e.buf = binary.AppendUvarint(e.buf, n) }

func (e *encoder) text(s string) {
	e.number(uint64(len(s)))
	e.buf = append(e.buf, s...)
}

func (e *encoder) slice(v reflect.Value) error {
	if v.IsNil() {
		e.number(0)
		return nil
	}
	e.number(uint64(v.Len()) + 1)
	if v.Type().Elem().Kind() == reflect.Uint8 {
		e.buf = append(e.buf, v.Bytes()...)
		return nil
	}
	for i := range v.Len() {
		if err := e.value(v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) table(v reflect.Value) error {
	if v.Type().Key().Kind() != reflect.String {
		return fmt.Errorf("%s cannot be written", v.Type())
	}
	if v.IsNil() {
		e.number(0)
		return nil
	}
	e.number(uint64(v.Len()) + 1)
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, k := range keys {
		e.text(k.String())
		if err := e.value(v.MapIndex(k)); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) fields(v reflect.Value) error {
	t := structTypeOf(v.Type())
	if t.asText {
		text, err := v.Interface().(encoding.TextMarshaler).MarshalText()
		e.text(string(text))
		return err
	}
	if t.hidden != "" {
		return fmt.Errorf("%s.%s cannot be written", v.Type(), t.hidden)
	}
	for i := range v.NumField() {
		if err := e.value(v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}
