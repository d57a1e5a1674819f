package rendercache

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
)

// errEncoding is that bytes are none that Encode writes for the type.
var errEncoding = errors.New("read from the cache: not in the format")

// Decode reads what Encode wrote of a value of the same type. Bytes that it did not write are an error, or another
// value; they take no more memory than a small multiple of their own.
func Decode[T any](from []byte) (v T, err error) {
	d := decoder{from: from}
	if err := d.value(reflect.ValueOf(&v).Elem()); err != nil {
		return v, err
	}
	if len(d.from) > 0 {
		return v, errEncoding
	}
	return v, nil
}

type decoder struct{ from []byte }

func (d *decoder) number() (uint64, error) {
	n, size := binary.Uvarint(d.from)
	if size <= 0 {
		return 0, errEncoding
	}
	d.from = d.from[size:]
	return n, nil
}

// bytes returns as many bytes as a number says that stands before them.
func (d *decoder) bytes() ([]byte, error) {
	n, err := d.number()
	if err != nil || n > uint64(len(d.from)) {
		return nil, errEncoding
	}
	out := d.from[:n:n]
	d.from = d.from[n:]
	return out, nil
}

func (d *decoder) value(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, size := binary.Varint(d.from)
		if size <= 0 || v.OverflowInt(n) {
			return errEncoding
		}
		d.from = d.from[size:]
		v.SetInt(n)
	case reflect.String:
		b, err := d.bytes()
		v.SetString(string(b))
		return err
	case reflect.Slice:
		return d.slice(v)
	case reflect.Map:
		return d.table(v)
	case reflect.Struct:
		return d.fields(v)
	default:
		return d.ofNumber(v)
	}
	return nil
}

// ofNumber reads what is written as a number, and a pointer, which is one and what it points to.
func (d *decoder) ofNumber(v reflect.Value) error {
	n, err := d.number()
	if err != nil {
		return err
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(n == 1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if v.OverflowUint(n) {
			return errEncoding
		}
		v.SetUint(n)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(math.Float64frombits(n))
	case reflect.Pointer:
		if n == 0 {
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		return d.value(v.Elem())
	default:
		return fmt.Errorf("%s: %w", v.Type(), errEncoding)
	}
	return nil
}

func (d *decoder) slice(v reflect.Value) error {
	n, err := d.number()
	if n == 0 || err != nil {
		return err
	}
	if n--; n > uint64(len(d.from)) { // each item takes a byte or more
		return errEncoding
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes(d.from[:n:n])
		d.from = d.from[n:]
		return nil
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, int(min(n, 1<<10))))
	for i := range int(n) {
		if i == v.Cap() {
			v.Grow(1)
		}
		v.SetLen(i + 1)
		if err := d.value(v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) table(v reflect.Value) error {
	n, err := d.number()
	if n == 0 || err != nil {
		return err
	}
	if n--; n > uint64(len(d.from)) {
		return errEncoding
	}
	v.Set(reflect.MakeMap(v.Type()))
	key, item := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	for range n {
		item.SetZero()
		b, err := d.bytes()
		if err != nil {
			return err
		}
		key.SetString(string(b))
		if err := d.value(item); err != nil {
			return err
		}
		v.SetMapIndex(key, item)
	}
	return nil
}

func (d *decoder) fields(v reflect.Value) error {
	t := structTypeOf(v.Type())
	if t.asText {
		b, err := d.bytes()
		if err != nil {
			return err
		}
		if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(b); err != nil {
			return fmt.Errorf("%w: %w", errEncoding, err)
		}
		return nil
	}
	if t.hidden != "" {
		return errEncoding
	}
	for i := range v.NumField() {
		if err := d.value(v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}
