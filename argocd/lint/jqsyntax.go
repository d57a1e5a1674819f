package lint

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// checkJq returns why gojq, by which Argo CD deletes what an expression of ignoreDifferences selects, does not compile
// it. What needs more than its grammar and its names to be refused is taken, such as a == b == c.
func checkJq(text string) error {
	p := jqParser{text: "del(" + text + ")"}
	p.next()
	p.query(nil)
	if p.token != "" {
		p.fail("%s is unexpected", strconv.Quote(p.token))
	}
	if errors.Is(p.err, errJqDepth) {
		return nil // it is not known
	}
	return p.err
}

var errJqDepth = errors.New("brackets are nested deeper than is looked into")

const maxJqDepth = 1000

// jqFunctions are those of gojq v0.12.17 and v0.12.19, which Argo CD v3.2 to v3.6 have, with their numbers of
// arguments.
var jqFunctions = sync.OnceValue(func() []string { return strings.Fields(jqFunctionNames) })

const jqFunctionNames = "" +
	"IN/1 IN/2 INDEX/1 INDEX/2 JOIN/2 JOIN/3 JOIN/4 abs/0 acos/0 acosh/0 add/0 add/1 all/0 all/1 all/2 any/0 " +
	"any/1 any/2 arrays/0 ascii_downcase/0 ascii_upcase/0 asin/0 asinh/0 atan/0 atan2/2 atanh/0 booleans/0 " +
	"bsearch/1 builtins/0 capture/1 capture/2 cbrt/0 ceil/0 combinations/0 combinations/1 contains/1 " +
	"copysign/2 cos/0 cosh/0 debug/1 del/1 delpaths/1 drem/2 empty/0 endswith/1 env/0 erf/0 erfc/0 error/0 " +
	"error/1 exp/0 exp10/0 exp2/0 explode/0 expm1/0 fabs/0 fdim/2 finites/0 first/0 first/1 flatten/0 " +
	"flatten/1 floor/0 fma/3 fmax/2 fmin/2 fmod/2 format/1 frexp/0 from_entries/0 fromdate/0 " +
	"fromdateiso8601/0 fromjson/0 fromstream/1 gamma/0 getpath/1 gmtime/0 group_by/1 gsub/2 gsub/3 halt/0 " +
	"halt_error/0 halt_error/1 has/1 hypot/2 implode/0 in/1 index/1 indices/1 infinite/0 inside/1 isempty/1 " +
	"isfinite/0 isinfinite/0 isnan/0 isnormal/0 iterables/0 j0/0 j1/0 jn/2 join/1 keys/0 last/0 last/1 " +
	"ldexp/2 length/0 lgamma/0 limit/2 localtime/0 log/0 log10/0 log1p/0 log2/0 logb/0 ltrim/0 ltrimstr/1 " +
	"map/1 map_values/1 match/1 match/2 max/0 max_by/1 min/0 min_by/1 mktime/0 modf/0 modulemeta/0 nan/0 " +
	"nearbyint/0 nextafter/2 nexttoward/2 normals/0 not/0 now/0 nth/1 nth/2 nulls/0 numbers/0 objects/0 " +
	"path/1 paths/0 paths/1 pick/1 pow/2 range/1 range/2 range/3 recurse/0 recurse/1 recurse/2 remainder/2 " +
	"repeat/1 reverse/0 rindex/1 rint/0 round/0 rtrim/0 rtrimstr/1 scalars/0 scalb/2 scalbln/2 scan/1 scan/2 " +
	"select/1 setpath/2 significand/0 sin/0 sinh/0 skip/2 sort/0 sort_by/1 split/1 split/2 splits/1 splits/2 " +
	"sqrt/0 startswith/1 strflocaltime/1 strftime/1 strings/0 strptime/1 sub/2 sub/3 tan/0 tanh/0 test/1 " +
	"test/2 tgamma/0 to_entries/0 toboolean/0 todate/0 todateiso8601/0 tojson/0 tonumber/0 tostream/0 " +
	"tostring/0 transpose/0 trim/0 trimstr/1 trunc/0 truncate_stream/1 type/0 unique/0 unique_by/1 until/2 " +
	"utf8bytelength/0 values/0 walk/1 while/2 with_entries/1 y0/0 y1/0 yn/2"

// jqScope is what is defined at a place of an expression: "$name", or a function as jqFunctions has it.
type jqScope struct {
	up   *jqScope
	name string
}

func (s *jqScope) has(name string) bool {
	for ; s != nil; s = s.up {
		if s.name == name {
			return true
		}
	}
	return false
}

// with returns a scope with further names.
func (s *jqScope) with(names ...string) *jqScope {
	for _, name := range names {
		s = &jqScope{s, name}
	}
	return s
}

// jqParser reads an expression token by token. After an error it stands at the end.
type jqParser struct {
	text  string
	at    int    // behind the token
	token string // "" at the end; of a text in quotes only its begin
	kind  jqKind
	depth int
	err   error
}

type jqKind uint8

const (
	jqOther jqKind = iota
	jqWord         // a name or a keyword
	jqVariable
	jqField // .name
	jqNumber
	jqFormat // @name
)

var jqKeywords = []string{"or", "and", "module", "import", "include", "def", "as", "label", "break", "null", "true",
	"false", "if", "then", "elif", "else", "end", "try", "catch", "reduce", "foreach"}

// jqOperators are the tokens of more than one character that are no words, longer ones first.
var jqOperators = []string{"?//", "//=", "|=", "+=", "-=", "*=", "/=", "%=", "==", "!=", ">=", "<=", "//", ".."}

func (p *jqParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	p.at, p.token, p.kind = len(p.text), "", jqOther
}

func (p *jqParser) unexpected() {
	if p.token == "" || p.at == len(p.text) { // the last is the bracket that Argo CD adds
		p.fail("it ends too early")
		return
	}
	p.fail("%s is unexpected", strconv.Quote(p.token))
}

// next reads the next token.
func (p *jqParser) next() {
	p.blanks()
	rest := p.text[p.at:]
	p.kind = jqOther
	n := 1
	switch {
	case rest == "":
		p.token = ""
		return
	case isJqLetter(rest[0]):
		p.kind, n = jqWord, jqName(rest)
	case isDigit(rest[0]), rest[0] == '.' && len(rest) > 1 && isDigit(rest[1]):
		p.kind, n = jqNumber, jqNumberEnd(rest)
		hasExponent := strings.ContainsAny(rest[:n], "eE")
		if n < len(rest) && (isJqLetter(rest[n]) || rest[n] == '.' && !hasExponent) {
			p.fail("%s is no number", strconv.Quote(rest[:n+1]))
			return
		}
	case len(rest) > 1 && rest[0] == '.' && isJqLetter(rest[1]):
		p.kind, n = jqField, 1+wordEnd(rest[1:])
	case len(rest) > 1 && rest[0] == '$' && isJqLetter(rest[1]):
		p.kind, n = jqVariable, 1+jqName(rest[1:])
	case len(rest) > 1 && rest[0] == '@' && isWord(rest[1]):
		p.kind, n = jqFormat, 1+wordEnd(rest[1:])
	default:
		for _, o := range jqOperators {
			if strings.HasPrefix(rest, o) {
				n = len(o)
				break
			}
		}
	}
	p.token, p.at = rest[:n], p.at+n
}

// blanks skips blanks and comments.
func (p *jqParser) blanks() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		case '#':
			end := strings.IndexAny(p.text[p.at:], "\r\n")
			if end < 0 {
				p.at = len(p.text)
				return
			}
			p.at += end
		default:
			return
		}
	}
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isJqLetter(b byte) bool { return isWord(b) && !isDigit(b) }

func wordEnd(text string) int {
	n := 0
	for n < len(text) && isWord(text[n]) {
		n++
	}
	return n
}

// jqName returns the length of a name, which may be one of a module: a::b.
func jqName(text string) int {
	n := wordEnd(text)
	if strings.HasPrefix(text[n:], "::") && len(text) > n+2 && isJqLetter(text[n+2]) {
		n += 2 + wordEnd(text[n+2:])
	}
	return n
}

func jqNumberEnd(text string) int {
	n, hasPoint := 0, false
	for n < len(text) && (isDigit(text[n]) || text[n] == '.' && !hasPoint) {
		hasPoint = hasPoint || text[n] == '.'
		n++
	}
	if n < len(text) && (text[n] == 'e' || text[n] == 'E') {
		m := n + 1
		if m < len(text) && (text[m] == '+' || text[m] == '-') {
			m++
		}
		if end := m + digits(text[m:]); end > m {
			return end
		}
	}
	return n
}

func digits(text string) int { return len(text) - len(strings.TrimLeft(text, "0123456789")) }

// is reports whether the token is one of some.
func (p *jqParser) is(tokens ...string) bool {
	return p.err == nil && slices.Contains(tokens, p.token)
}

// take reads the next token if this one is one of some, and reports whether it was.
func (p *jqParser) take(tokens ...string) bool {
	if !p.is(tokens...) {
		return false
	}
	p.next()
	return true
}

func (p *jqParser) expect(token string) {
	if !p.take(token) && p.err == nil {
		p.unexpected()
	}
}

// query reads what may stand in brackets.
func (p *jqParser) query(s *jqScope) {
	if p.depth++; p.depth > maxJqDepth {
		p.fail("%w", errJqDepth)
	}
	defer func() { p.depth-- }()
	for isFirst := true; p.err == nil; {
		if isFirst && p.is("def") {
			s = p.definition(s)
			continue
		}
		if isFirst && p.take("label") {
			s = s.with(labelMark + p.token)
			p.label()
			continue
		}
		p.operand(s)
		switch {
		case p.take("as"):
			s, isFirst = p.patterns(s), true
			p.expect("|")
		case p.take("|", ","):
			isFirst = true
		case p.take(jqBinary...):
			isFirst = false
		default:
			return
		}
	}
}

// labelMark is before the name of a label in a scope.
const labelMark = "label "

func (p *jqParser) label() {
	if p.kind != jqVariable && p.err == nil {
		p.unexpected()
	}
	p.next()
	p.expect("|")
}

var jqBinary = []string{"//", "=", "|=", "+=", "-=", "*=", "/=", "%=", "//=", "or", "and", "==", "!=", ">=", "<=", ">",
	"<", "+", "-", "*", "/", "%"}

// expression reads operands and what is between them, but neither | nor a comma.
func (p *jqParser) expression(s *jqScope) {
	p.operand(s)
	for p.take(jqBinary...) {
		p.operand(s)
	}
}

// definition reads the definition of a function, and returns the scope behind it.
func (p *jqParser) definition(s *jqScope) *jqScope {
	p.next()
	name, inner, n := p.token, s, 0
	if p.kind != jqWord || slices.Contains(jqKeywords, name) {
		p.unexpected()
	}
	p.next()
	if p.take("(") {
		for n++; p.err == nil; n++ {
			inner = inner.with(p.token, strings.TrimPrefix(p.token, "$")+"/0")
			if p.kind != jqVariable && p.kind != jqWord {
				p.unexpected()
			}
			if p.next(); !p.take(";") {
				break
			}
		}
		p.expect(")")
	}
	p.expect(":")
	name += "/" + strconv.Itoa(n)
	p.query(inner.with(name))
	p.expect(";")
	return s.with(name)
}

// patterns reads what values are bound to, and returns the scope with it.
func (p *jqParser) patterns(s *jqScope) *jqScope {
	s = p.pattern(s)
	for p.take("?//") {
		s = p.pattern(s)
	}
	return s
}

func (p *jqParser) pattern(s *jqScope) *jqScope {
	if p.depth++; p.depth > maxJqDepth {
		p.fail("%w", errJqDepth)
	}
	defer func() { p.depth-- }()
	name := p.token
	switch {
	case p.err != nil:
	case p.kind == jqVariable:
		p.next()
		return s.with(name)
	case p.take("["):
		s = p.pattern(s)
		for p.take(",") {
			s = p.pattern(s)
		}
		p.expect("]")
	case p.take("{"):
		s = p.objectPattern(s)
		for p.take(",") {
			s = p.objectPattern(s)
		}
		p.expect("}")
	default:
		p.unexpected()
	}
	return s
}

func (p *jqParser) objectPattern(s *jqScope) *jqScope {
	name := p.token
	switch {
	case p.kind == jqVariable:
		if p.next(); !p.is(":") {
			return s.with(name)
		}
		s = s.with(name)
	case p.kind == jqWord:
		p.next()
	default:
		p.computedKey(s)
	}
	p.expect(":")
	return p.pattern(s)
}

// operand reads a term with what follows it.
func (p *jqParser) operand(s *jqScope) {
	if p.depth++; p.depth > maxJqDepth {
		p.fail("%w", errJqDepth)
	}
	defer func() { p.depth-- }()
	for p.take("+", "-") { // signs
	}
	if p.take(".") {
		if p.is(`"`) {
			p.quoted(s)
		}
	} else {
		p.term(s)
	}
	for p.err == nil {
		switch {
		case p.kind == jqField:
			p.next()
		case p.take("["):
			p.index(s)
		case p.take("?"):
		case p.take("."):
			if p.is(`"`) {
				p.quoted(s)
			} else {
				p.expect("[")
				p.index(s)
			}
		default:
			return
		}
	}
}

// index reads what follows the bracket of an index.
func (p *jqParser) index(s *jqScope) {
	switch {
	case p.take("]"):
		return
	case p.take(":"):
		p.query(s)
	default:
		p.query(s)
		if p.take(":") && !p.is("]") {
			p.query(s)
		}
	}
	p.expect("]")
}

func (p *jqParser) term(s *jqScope) {
	switch {
	case p.err != nil:
	case p.kind == jqNumber || p.kind == jqField || p.is(".."):
		p.next()
	case p.kind == jqVariable:
		p.variable(s)
	case p.kind == jqFormat:
		if p.next(); p.is(`"`) {
			p.quoted(s)
		}
	case p.is(`"`):
		p.quoted(s)
	case p.take("("):
		p.query(s)
		p.expect(")")
	case p.take("["):
		if !p.take("]") {
			p.query(s)
			p.expect("]")
		}
	case p.take("{"):
		p.object(s)
	case p.kind == jqWord && slices.Contains(jqKeywords, p.token):
		p.keyword(s)
	case p.kind == jqWord:
		p.call(s)
	default:
		p.unexpected()
	}
}

func (p *jqParser) variable(s *jqScope) {
	if p.token != "$ENV" && !s.has(p.token) {
		p.fail("there is no variable %s", p.token)
	}
	p.next()
}

// keyword reads a term that begins with one.
func (p *jqParser) keyword(s *jqScope) {
	switch {
	case p.take("null", "true", "false"):
	case p.take("if"):
		p.query(s)
		p.expect("then")
		p.query(s)
		for p.take("elif") {
			p.query(s)
			p.expect("then")
			p.query(s)
		}
		if p.take("else") {
			p.query(s)
		}
		p.expect("end")
	case p.take("try"):
		p.operand(s)
		if p.take("catch") {
			p.operand(s)
		}
	case p.take("break"):
		if p.kind != jqVariable {
			p.unexpected()
		} else if !s.has(labelMark + p.token) {
			p.fail("there is no label %s", p.token)
		}
		p.next()
	case p.is("reduce", "foreach"):
		p.loop(s)
	default:
		p.unexpected()
	}
}

// loop reads reduce and foreach.
func (p *jqParser) loop(s *jqScope) {
	isEach := p.is("foreach")
	p.next()
	p.expression(s)
	p.expect("as")
	s = p.patterns(s)
	p.expect("(")
	p.query(s)
	p.expect(";")
	p.query(s)
	if isEach && p.take(";") {
		p.query(s)
	}
	p.expect(")")
}

func (p *jqParser) call(s *jqScope) {
	name, n := p.token, 0
	p.next()
	if p.take("(") {
		p.query(s)
		for n++; p.take(";"); n++ {
			p.query(s)
		}
		p.expect(")")
	}
	function := name + "/" + strconv.Itoa(n)
	switch {
	case p.err != nil || s.has(function) || slices.Contains(jqFunctions(), function):
	case name == "del":
		p.fail(`";" is unexpected`)
	case n == 0:
		p.fail("there is no function %s without arguments", name)
	default:
		p.fail("there is no function %s with so many arguments (%d)", name, n)
	}
}

// computedKey reads a key in quotes or in brackets, and reports whether it was one in brackets.
func (p *jqParser) computedKey(s *jqScope) bool {
	if p.is(`"`) {
		p.quoted(s)
		return false
	}
	p.expect("(")
	p.query(s)
	p.expect(")")
	return true
}

func (p *jqParser) object(s *jqScope) {
	for p.err == nil && !p.take("}") {
		mustHave := false
		switch {
		case p.kind == jqVariable:
			name := p.token
			if p.next(); !p.is(":") && name != "$ENV" && !s.has(name) {
				p.fail("there is no variable %s", name)
			}
		case p.kind == jqWord:
			p.next()
		default:
			mustHave = p.computedKey(s)
		}
		if mustHave || p.is(":") {
			p.expect(":")
			p.expression(s)
			for p.take("|") {
				p.expression(s)
			}
		}
		if !p.take(",") && !p.is("}") && p.err == nil {
			p.unexpected()
		}
	}
}

// quoted reads a text in quotes, in which \( begins a query.
func (p *jqParser) quoted(s *jqScope) {
	for p.at < len(p.text) {
		b := p.text[p.at]
		p.at++
		switch {
		case b == '"':
			p.next()
			return
		case b != '\\':
		case strings.HasPrefix(p.text[p.at:], "("):
			p.at++
			p.next()
			p.query(s)
			if !p.is(")") && p.err == nil {
				p.unexpected()
			}
		case p.at < len(p.text) && strings.IndexByte(`"/\bfnrtu`, p.text[p.at]) < 0:
			p.fail("%s is unexpected in quotes", strconv.Quote(p.text[p.at-1:p.at+1]))
		default:
			p.at++
		}
	}
	p.fail("a quote is not closed")
}
