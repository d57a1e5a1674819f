package rendercache_test

import (
	"reflect"
	"regexp"
	"testing"

	"github.com/rollstamp/rollstamp/rendercache"
)

type item struct {
	Name    string
	Numbers []int
	Keys    []string
	Fields  map[string]string
	Below   *item
	Bytes   []byte
	On      bool
	Size    uint16
	More    []item
}

func examples() []item {
	return []item{
		{},
		{Name: "a", Numbers: []int{-1, 0, 1 << 40}, Keys: []string{}, Fields: map[string]string{"b": "c", "": ""}, On: true},
		{Below: &item{Below: &item{Name: "ä", Bytes: []byte{0, 255}}}, Size: 1 << 15, More: []item{{}, {Name: "x"}}},
	}
}

func TestAValueIsDecodedAsItWasEncoded(t *testing.T) {
	want := examples()
	text, err := rendercache.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := rendercache.Decode[[]item](text)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("it is %+v, %v", got, err)
	}
	for n := range text {
		if _, err := rendercache.Decode[[]item](text[:n]); err == nil {
			t.Errorf("the first %d bytes are taken", n)
		}
	}
}

func TestWhatCannotBeReadAgainIsNotEncoded(t *testing.T) {
	for _, v := range []any{
		struct{ hidden int }{1}, struct{ F func() }{}, struct{ I any }{1}, map[int]string{1: "a"},
		struct{ C chan int }{},
	} {
		if text, err := rendercache.Encode(v); err == nil {
			t.Errorf("%T is written as %q", v, text)
		}
	}
}

func FuzzDecodingTakesWhateverBytesComeWithinBounds(f *testing.F) {
	text, err := rendercache.Encode(examples())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := rendercache.Decode[[]item](text)
		if err != nil {
			return
		}
		again, err := rendercache.Encode(got)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := rendercache.Decode[[]item](again); err != nil || !reflect.DeepEqual(twice, got) {
			t.Errorf("%+v is read as %+v, %v", got, twice, err)
		}
	})
}

func TestTwoIdentitiesAreTheSameWhereAllIsTheSame(t *testing.T) {
	type secret struct{ text string }
	type all struct {
		Name   string
		list   []string
		table  map[string]int
		any    any
		do     func()
		form   *regexp.Regexp
		hidden secret
	}
	of := func(v all) string {
		id := rendercache.NewIdentity(reflect.TypeFor[secret]())
		id.Add(&v, v.Name)
		text, err := id.Bytes()
		if err != nil {
			return "error"
		}
		return string(text)
	}
	base := func() all {
		return all{Name: "a", list: []string{"b"}, table: map[string]int{"c": 1, "d": 2}, any: 1,
			form: regexp.MustCompile("x+")}
	}
	for name, change := range map[string]func(*all){
		"text": func(v *all) { v.Name = "b" }, "list": func(v *all) { v.list = nil },
		"empty list": func(v *all) { v.list = []string{} }, "table": func(v *all) { v.table["c"] = 3 },
		"type": func(v *all) { v.any = int8(1) }, "expression": func(v *all) { v.form = regexp.MustCompile("y") },
	} {
		v := base()
		change(&v)
		if of(v) == of(base()) {
			t.Errorf("%s: they are the same", name)
		}
	}
	other := base()
	other.hidden.text = "secret"
	if of(base()) == "error" || of(other) != of(base()) {
		t.Error("what is skipped counts")
	}
	other.do = func() {}
	if of(other) != "error" {
		t.Error("a function is compared")
	}
}
