package config

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Row is one setting: where it can be given, what it holds and what it means. A Row without a field is a section of the
// configuration file, whose rows have names that begin with its own.
type Row struct {
	Name  string   // as files spell it and 'rollstamp config' prints it, behind section and dot; "" for a mere flag
	In    Document // which documents may set it
	Env   []Var    // the variables that set it; a later one counts before an earlier one
	Flag  string   // the flag that sets it, without dashes
	Short string   // one letter for the flag
	On    Commands // which commands take the flag
	Group Group    // of the flag, in help
	Usage string   // of the flag, in help; the choices follow
	About string   // a sentence for the schema and the pages

	Example string // what a file may hold, as YAML, for the schema and the pages; every field of it is there

	Permission Permission // what the row grants; "" for all but allow.* and flags that stand for one
	Split      bool       // the flag takes several values with commas between them
	Hidden     bool       // it is no line of 'rollstamp config'

	own      bool                          // a file that extends the one that sets it does not inherit it
	optional bool                          // an empty variable, or an empty flag for one text, counts as none
	check    func(*Settings) error         // finds what is wrong with what one document sets
	show     func(*Settings) (any, Source) // what is printed, where that is not the value
	field    field                         // where Settings hold the value
}

// Document is a set of documents that hold settings.
type Document int

// The documents.
const (
	InFile   Document = 1 << iota // .rollstamp.yaml
	InPolicy                      // the operator's policy file
)

// Commands are a class of commands, by what they do.
type Commands int

// The classes.
const (
	Stamping  Commands = iota // every command that stamps
	Rendering                 // those that render
	Fetching                  // those that may fetch charts and bases
	Caching                   // those that may store renders for later ones
)

// Group is a heading of help.
type Group string

// The groups, as help orders them.
const (
	GroupRender      Group = "What it renders"
	GroupStamp       Group = "What it stamps"
	GroupOutput      Group = "Output"
	GroupHelm        Group = "Helm"
	GroupKustomize   Group = "Kustomize"
	GroupPermissions Group = "Permissions"
)

// Groups lists the groups, in the order of help.
func Groups() []Group {
	return []Group{GroupRender, GroupStamp, GroupOutput, GroupHelm, GroupKustomize, GroupPermissions}
}

// Kind is the shape of what a flag takes.
type Kind int

// The kinds.
const (
	Text Kind = iota
	List
	Switch
)

// Kind returns what the row's flag takes.
func (r *Row) Kind() Kind {
	switch r.valueType().Kind() {
	case reflect.Slice:
		return List
	case reflect.Bool:
		return Switch
	default:
		return Text
	}
}

// valueType returns the type of the value. A mere flag is a switch.
func (r *Row) valueType() reflect.Type {
	if r.field == nil {
		return reflect.TypeFor[bool]()
	}
	return r.field.valueType()
}

// Choices returns the few words that the row takes, or nil where it takes others.
func (r *Row) Choices() []string {
	t := r.valueType()
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if c, ok := reflect.Zero(t).Interface().(interface{ Choices() []string }); ok {
		return c.Choices()
	}
	return nil
}

// Default returns what is in force where nobody says anything, as text, or "".
func (r *Row) Default() string {
	if r.field == nil || r.show != nil {
		return ""
	}
	switch v := reflect.ValueOf(r.field.fallbackValue()); v.Kind() {
	case reflect.Slice:
		words := make([]string, v.Len())
		for i := range words {
			words[i] = fmt.Sprint(v.Index(i).Interface())
		}
		return strings.Join(words, ", ")
	case reflect.String:
		return v.String()
	case reflect.Map, reflect.Pointer, reflect.Struct:
		return ""
	default:
		return fmt.Sprint(v.Interface())
	}
}

// printValue returns what 'rollstamp config' prints: no items are an empty list, not null.
func (r *Row) printValue(s *Settings) (any, Source) {
	value, source := reflect.ValueOf(r.field.pointer(s)).Elem().Interface(), *r.field.source(s)
	if r.show != nil {
		value, source = r.show(s)
	}
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice && v.IsNil() {
		value = reflect.MakeSlice(v.Type(), 0, 0).Interface()
	}
	return value, source
}

// field is where Settings hold the value of a row, whatever its type.
type field interface {
	valueType() reflect.Type
	fallbackValue() any         // the default
	pointer(s *Settings) any    // to the value
	source(s *Settings) *Source // of the value
	copy(to, from *Settings)
	reset(s *Settings) // to the default
	parse(s *Settings, texts []string, from Source) error
}

// typed is the field of a value of one type.
type typed[T any] struct {
	at       func(*Settings) *Setting[T]
	fallback T
	read     func(texts []string, from Source) (T, error) // what flags and variables say; nil where they say nothing
}

func (f typed[T]) valueType() reflect.Type    { return reflect.TypeFor[T]() }
func (f typed[T]) fallbackValue() any         { return f.fallback }
func (f typed[T]) pointer(s *Settings) any    { return &f.at(s).Value }
func (f typed[T]) source(s *Settings) *Source { return &f.at(s).Source }
func (f typed[T]) copy(to, from *Settings)    { *f.at(to) = *f.at(from) }
func (f typed[T]) reset(s *Settings)          { *f.at(s) = Setting[T]{f.fallback, Default} }

func (f typed[T]) parse(s *Settings, texts []string, from Source) error {
	if f.read == nil {
		return nil
	}
	value, err := f.read(texts, from)
	if err != nil {
		return err
	}
	*f.at(s) = Setting[T]{value, from}
	return nil
}

// unmarshaler is a pointer to T that reads text.
type unmarshaler[T any] interface {
	*T
	encoding.TextUnmarshaler
}

// value is a field that only documents set.
func value[T any](at func(*Settings) *Setting[T]) typed[T] { return typed[T]{at: at} }

// valueOr is value with a default.
func valueOr[T any](at func(*Settings) *Setting[T], fallback T) typed[T] {
	return typed[T]{at: at, fallback: fallback}
}

// text is a field that is read from one text, by its type.
func text[T any, P unmarshaler[T]](at func(*Settings) *Setting[T], fallback T) typed[T] {
	return typed[T]{at, fallback, func(texts []string, _ Source) (v T, err error) {
		err = P(&v).UnmarshalText([]byte(texts[0]))
		return v, err
	}}
}

// texts is a list of what text reads.
func texts[T any, P unmarshaler[T]](at func(*Settings) *Setting[[]T]) typed[[]T] {
	return typed[[]T]{at: at, read: func(texts []string, _ Source) ([]T, error) {
		out := make([]T, len(texts))
		for i, text := range texts {
			if err := P(&out[i]).UnmarshalText([]byte(text)); err != nil {
				return nil, err
			}
		}
		return out, nil
	}}
}

// verbatim is a field that takes one text as it is.
func verbatim[T ~string](at func(*Settings) *Setting[T]) typed[T] {
	return typed[T]{at: at, read: func(texts []string, _ Source) (T, error) { return T(texts[0]), nil }}
}

// boolean is a field that is true or false.
func boolean(at func(*Settings) *Setting[bool]) typed[bool] {
	return typed[bool]{at: at, read: func(texts []string, _ Source) (bool, error) {
		v, err := strconv.ParseBool(texts[0])
		if err != nil {
			return false, errors.New("is neither true nor false")
		}
		return v, nil
	}}
}

// custom is a field with a way of its own to read what flags and variables say.
func custom[T any](at func(*Settings) *Setting[T], fallback T, read func([]string, Source) (T, error)) typed[T] {
	return typed[T]{at, fallback, read}
}
