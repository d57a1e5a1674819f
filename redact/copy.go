package redact

import "reflect"

// Copy returns a deep copy of a value in which no text shows one of the values: those of type string, but for the
// fields that skip names. Without values it returns the value itself.
func Copy[T any](v *Values, of T, skip ...string) T {
	if v.IsEmpty() {
		return of
	}
	return Rewrite(v.In, of, skip...)
}

// Rewrite returns a deep copy of a value with what becomes of each of its texts: those of type string, but for the
// fields that skip names, which stay.
func Rewrite[T any](text func(string) string, of T, skip ...string) T {
	c := copier{text, map[string]bool{}}
	for _, name := range skip {
		c.skip[name] = true
	}
	out := reflect.New(reflect.TypeFor[T]()).Elem()
	out.Set(c.copy(reflect.ValueOf(&of).Elem()))
	return out.Interface().(T)
}

// copier copies values.
type copier struct {
	text func(string) string
	skip map[string]bool
}

func (c copier) copy(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			out.SetString(c.text(v.String()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(c.copy(v.Elem()))
		}
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(c.copy(v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		}
		for i := range v.Len() {
			out.Index(i).Set(c.copy(v.Index(i)))
		}
	case reflect.Map:
		if !v.IsNil() {
			out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		}
		for key, below := range v.Seq2() {
			out.SetMapIndex(c.copy(key), c.copy(below))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !c.skip[f.Name] {
				out.Field(i).Set(c.copy(v.Field(i)))
			}
		}
	}
	return out
}
