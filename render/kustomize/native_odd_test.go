package kustomize_test

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/kustomize/api/provider"
)

// oddFile writes a kustomization over files of odd YAML, with few other fields.
func (m *treeMaker) oddFile() error {
	m.wild = m.chance(4)
	var k strings.Builder
	k.WriteString("resources:\n")
	for i := range 1 + m.IntN(2) {
		name := "f" + strconv.Itoa(i) + ".yaml"
		text := m.oddText()
		for try := 0; try < 6 && !m.wild && !isYAML(text); try++ {
			text = m.oddText()
		}
		if err := m.write("top", name, text); err != nil {
			return err
		}
		k.WriteString("- " + name + "\n")
	}
	if m.chance(2) {
		k.WriteString(m.one("namespace: shop\n", "namePrefix: p-\n", "labels: [{pairs: {team: a}}]\n", "commonAnnotations: {note: b}\n",
			"commonAnnotations:\n  note: "+m.scalar(4)+"\n", "labels:\n- pairs:\n    team: "+m.scalar(6)+"\n",
			"images: [{name: web, newTag: \"7\"}]\n", "replicas: [{name: a0, count: 3}]\n",
			"patches:\n- target: {kind: Thing}\n  patch: |-\n    - {op: add, path: /more, value: 1}\n",
			"patches:\n- target: {kind: Thing}\n  patch: |-\n    apiVersion: v1\n    kind: Thing\n    metadata: {name: x}\n    spec:\n      more: "+
				m.scalar(8)+"\n"))
	}
	if m.chance(4) {
		if err := m.write("top", "data.txt", m.chars()); err != nil {
			return err
		}
		k.WriteString(m.one("configMapGenerator", "secretGenerator") + ": [{name: made, files: [data.txt], literals: ['a=" + m.one("1", "true", "x y", "é", "📋", "") + "']}]\n")
	}
	return m.write("top", "kustomization.yaml", k.String())
}

func isYAML(text string) bool {
	_, err := provider.NewDepProvider().GetResourceFactory().SliceFromBytes([]byte(text))
	return err == nil
}

// oddText returns some documents.
func (m *treeMaker) oddText() string {
	var b strings.Builder
	if m.chance(20) {
		b.WriteString(m.one("\ufeff", "%YAML 1.1\n---\n", "---\n---\n", "# above\n\n", "...\n", "--- # first\n", "\n\n", "--- !!map\n", "---\n# inner\n"))
	}
	for i := range 1 + m.IntN(3) {
		if i > 0 {
			b.WriteString(m.odd("---\n", "--- \n", "---\t\n", "--- # here\n", "...\n---\n", "\n---\n", "---\n---\n", "---\r\n", "---\n# a\n---\n"))
		}
		b.WriteString(m.oddObject(i))
	}
	text := b.String()
	switch m.IntN(60) {
	case 0:
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case 1:
		text = strings.TrimSuffix(text, "\n")
	case 2:
		text += m.one("\n\n", "...\n", "---\n", "# end", " ", m.ifWild("\t", "\x00"))
	case 3, 4, 5:
		if !m.wild {
			break
		}
		at := m.IntN(len(text))
		text = text[:at] + m.char() + text[at:]
	}
	return text
}

func (m *treeMaker) oddObject(i int) string {
	name := "a" + strconv.Itoa(i)
	parts := []string{
		"apiVersion: " + m.odd("v1", "v1", "apps/v1", "example.com/v1", `"v1"`, "'v1'", "1", "") + "\n",
		"kind: " + m.odd(m.one("Thing", "ConfigMap", "Deployment", "Service"), "ThingList", "List", "\"Thing\"", "Namespace", "Secret") + "\n",
		"metadata:\n  name: " + m.odd(name, "'"+name+"'", m.scalar(4)) + "\n" +
			m.odd("", "  namespace: shop\n", "  namespace: ''\n", "  namespace: null\n", "  namespace: "+m.scalar(4)+"\n") +
			m.odd(m.one("", "", "  labels:\n    a: b\n", "  annotations:\n    a: b\n"), "  labels:\n"+m.entries(4, 4), "  annotations:\n"+m.entries(4, 4), "  annotations: {}\n",
				"  annotations:\n", "  annotations:\n    config.kubernetes.io/local-config: \"true\"\n", "  labels: {}\n"),
	}
	for range 1 + m.IntN(3) {
		key := m.one("data", "spec", "spec", "more", "status", "stringData", "binaryData", "spec2")
		if strings.Contains(strings.Join(parts, ""), "\n"+key+":") {
			continue
		}
		parts = append(parts, key+":"+m.node(2, 3))
	}
	m.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return strings.Join(parts, "")
}

// node returns a value, with what is between it and the colon or dash before it.
func (m *treeMaker) node(indent, depth int) string {
	pad := strings.Repeat(" ", indent)
	switch n := m.IntN(10); {
	case depth == 0 || n < 4:
		return m.one(" ", " ", " ", " ", " ", "  ", "\n"+pad) + m.scalar(indent) + m.comment() + "\n"
	case n < 7:
		return m.comment() + "\n" + m.entriesAt(indent, depth)
	case n < 9:
		less := indent
		if m.chance(3) {
			less = max(0, indent-2)
		}
		return m.comment() + "\n" + m.items(less, depth)
	default:
		return " " + m.flow(2) + m.comment() + "\n"
	}
}

func (m *treeMaker) entriesAt(indent, depth int) string {
	var b strings.Builder
	for i := range 1 + m.IntN(3) {
		m.space(&b, indent)
		key := "k" + strconv.Itoa(i)
		if m.chance(12) {
			key = m.one("image", "containers", "name", "10", "k9", "k10", "K", "é", "\"q\"", "'s'", "a.b/c", "true", "null", "y", "~", "1.5", "📋", "a b", "=",
				"\"a\\nb\"", m.ifWild("? x\n  ", "<<", "&k z", "-", "!!str t", m.words()), "namespace", "volumes", "template")
		}
		b.WriteString(strings.Repeat(" ", indent) + key + m.odd(":", " :") + m.node(indent+2, depth-1))
	}
	return b.String()
}

// entries returns fields with texts.
func (m *treeMaker) entries(indent, most int) string {
	var b strings.Builder
	for i := range 1 + m.IntN(most) {
		b.WriteString(strings.Repeat(" ", indent) + "e" + strconv.Itoa(i) + ": " + m.one("a", `"1"`, "b c", m.scalar(indent+2)) + "\n")
	}
	return b.String()
}

func (m *treeMaker) items(indent, depth int) string {
	var b strings.Builder
	pad := strings.Repeat(" ", indent)
	for range 1 + m.IntN(3) {
		m.space(&b, indent)
		switch m.IntN(4) {
		case 0:
			b.WriteString(pad + "- " + strings.TrimLeft(m.entriesAt(indent+2, max(0, depth-1)), " \n"))
		case 1:
			b.WriteString(pad + "- " + strings.TrimLeft(m.items(indent+2, max(0, depth-1)), " \n"))
		default:
			b.WriteString(pad + "-" + m.node(indent+2, 0))
		}
		if depth <= 0 {
			break
		}
	}
	return b.String()
}

// space writes what may stand between lines.
func (m *treeMaker) space(b *strings.Builder, indent int) {
	if m.wild && m.chance(12) || b.Len() > 0 && m.chance(20) {
		b.WriteString(m.one("\n", "  \n", "# c\n", strings.Repeat(" ", indent)+"# c\n", "\n\n", m.ifWild("\t\n")[1:]+"\n", "      # far\n"))
	}
}

func (m *treeMaker) comment() string {
	if !m.chance(15) {
		return ""
	}
	return m.one(" # c", " #", "  ", "\t", " # a: b", "\t# c", " #📋", " # \u2028", "#")
}

func (m *treeMaker) flow(depth int) string {
	var items []string
	for i := range m.IntN(4) {
		s := m.one("a", "1", `"q"`, "true", "null", "~", "", "a b", m.quoted(), m.ifWild("x: y", m.words()), "80:80", "-1", "--x", ":8080", "a#b", "'s'")
		if depth > 0 && m.chance(4) {
			s = m.flow(depth - 1)
		}
		items = append(items, m.one("", "k"+strconv.Itoa(i)+": ", "k"+strconv.Itoa(i)+": ", "\"k"+strconv.Itoa(i)+"\": ")+s)
	}
	sep := m.one(", ", ",", " , ", ",\n              ")
	if len(items) > 0 && m.chance(3) {
		items[len(items)-1] += ","
	}
	if m.chance(2) {
		return "[" + strings.Join(items, sep) + "]"
	}
	return "{" + strings.Join(items, sep) + "}"
}

// scalar returns a scalar in one of the styles; lines behind the first are indented.
func (m *treeMaker) scalar(indent int) string {
	pad := strings.Repeat(" ", indent)
	tag := ""
	if m.wild && m.chance(30) {
		tag = m.one("!!str ", "!!int ", "!!binary ", "!x ", "! ", "&a ", "*a ", "!!float ", "!!null ", "!!timestamp ")
	}
	switch m.IntN(9) {
	case 0, 1:
		return tag + m.quoted()
	case 2:
		text := strings.ReplaceAll(m.printed(), "'", "''")
		return tag + "'" + strings.ReplaceAll(text, "\n", "\n"+pad) + "'"
	case 3, 4:
		head := m.one("|", "|", "|-", "|+", ">", ">-", ">+", "|2", "| ", "| # c", "|2-", m.ifWild("|1-", ">3"))
		lines := strings.Split(m.printed()+m.one("", "\n", "\n\n", "\n"+m.printed(), "\n"+m.printed()+"\n", "\n \n", "\n\t\n"), "\n")
		for i, line := range lines {
			if i == 0 && !strings.Contains(head, "2") && !m.wild {
				lines[i] = pad + "a" + line
			} else if line != "" || m.chance(3) {
				lines[i] = pad + m.one("", "", "", " ", "  ") + line
			}
		}
		return tag + head + "\n" + strings.Join(lines, "\n")
	case 5:
		text := "a" + strings.Trim(strings.NewReplacer(": ", ":", " #", "#", "\t", " ").Replace(m.printed()), ": ")
		if m.wild && m.chance(4) {
			text = m.chars()
		}
		return tag + strings.ReplaceAll(text, "\n", m.one("\n"+pad, "\n\n"+pad))
	default:
		return tag + m.words()
	}
}

// quoted returns a text in double quotes, some of it escaped.
func (m *treeMaker) quoted() string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range m.chars() {
		switch {
		case r == '"' || r == '\\':
			b.WriteString("\\" + string(r))
		case r == '\n':
			b.WriteString(m.one("\\n", "\\n", "\\n", "\n            ", "\\\n            "))
		case r < 0x20 || r >= 0x7f && r < 0xa0 && !(m.wild && m.chance(2)):
			b.WriteString("\\x" + hex(r, 2))
		case !m.wild && r < 0x10000 && r > 0xfffc:
			b.WriteString("\\u" + hex(r, 4))
		case r > 0xffff && m.chance(2):
			b.WriteString("\\U" + hex(r, 8))
		case r > 0x7f && r < 0x10000 && m.chance(2):
			b.WriteString("\\u" + hex(r, 4))
		default:
			b.WriteRune(r)
		}
	}
	if m.chance(20) {
		b.WriteString(m.one(`\N`, `\_`, `\L`, `\P`, `\0`, `\e`, `\t`, `\ `, `\/`, `\x41`, `\ud83d\ude00`, `\b`))
	}
	b.WriteByte('"')
	return b.String()
}

func hex(r rune, width int) string {
	s := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", max(0, width-len(s))) + s
}

// printed returns a text, mostly of characters that may stand in YAML as they are.
func (m *treeMaker) printed() string {
	s := m.chars()
	if m.wild && m.chance(10) {
		return s
	}
	if !m.wild {
		s = strings.ReplaceAll(s, "\n\t", "\n")
	}
	return strings.ReplaceAll(strings.ReplaceAll(strings.Map(func(r rune) rune {
		switch {
		case r < ' ' && r != '\n' && r != '\t', r >= 0x7f && r < 0xa0 && r != 0x85, r >= 0xd800 && r < 0xe000,
			r&^1 == 0xfffe, r == utf8.RuneError:
			return '+'
		}
		return r
	}, s), "\n---", "\n--"), "\n...", "\n..")
}

// odd returns the first of some, or sometimes another one.
func (m *treeMaker) odd(of ...string) string {
	if m.chance(6) {
		return m.one(of...)
	}
	return of[0]
}

// ifWild returns one of some, or text where files are to be read mostly.
func (m *treeMaker) ifWild(of ...string) string {
	if !m.wild {
		return "w"
	}
	return m.one(of...)
}

// words returns what readers may take for something other than text.
func (m *treeMaker) words() string {
	if m.wild && m.chance(6) {
		return m.one("? a", ":", "a:", "a: b", "#a", "@a", "`a", "%a", "&", "*", "!", "|a", ">a", "{a", "]", ",", "\"a", "'a", "<<", "=", "- a", " a", "\ufeff")
	}
	if m.chance(3) {
		const of = "0123456789.+-_:eExXoObBaAfFTZz "
		var b strings.Builder
		for range 1 + m.IntN(8) {
			b.WriteByte(of[m.IntN(len(of))])
		}
		return b.String()
	}
	return m.one("true", "True", "TRUE", "yes", "Yes", "no", "on", "Off", "y", "N", "null", "Null", "~", "", ".inf", "-.Inf", ".nan", ".NaN", "0", "-0", "+0", "+1", "007", "0o7",
		"0x1F", "0X1f", "0b11", "1e3", "1E3", "1.", ".5", "5.", "1_000", "1_", "0_1", "12:30", "12:30:45", "1:60", "-1:30", "190:20:30.15", "2020-01-02", "2020-1-2",
		"2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43.10 -5", "1.5", "-1.5e-3", "1e", "e1", "1e400", "123456789012345678", "12345678901234567890", "9007199254740993",
		"0.1", "1.0", "1.10", "100m", "1Gi", "-", "--", "---x", ":a", "a :b", "a #b", "a# b",
		"a}", "a]", "a,", "=", "<", "it's", "a'", "$(A)", "${A}", "{{ .x }}", "/", "\\", "\\n", "nUll", "tRue", "-.5", "+.5", "+a", "1a", "0a", "0xg",
		"08", "09", "0o8", "0b2", "1.2.3", "::1", "1:", "-:", "--:", "-1-", "1-2", "20-01", "é", "ÿ", "🙂", "日本", "a\u00a0b", "\u3000", "\u200b", "x\u0085y", "x\u2028", "\ue000", "\ufffd",
		"k8s.io/x", "0.0.0.0:80", "*/5 * * * *", "@daily", "1,000", "12e03", "-0x1", "+0x1", "0x", "0b", "0o", "00", "0.", "-.", "+.", "._", "_", "__1", "1__0", "-_1", "TRUE ", " a")
}

// chars returns a text of all kinds of characters.
func (m *treeMaker) chars() string {
	var b strings.Builder
	for range m.IntN(6) {
		switch m.IntN(8) {
		case 0:
			b.WriteString(m.words())
		case 1:
			b.WriteString(strings.Repeat(m.one("word ", "a", "é ", "a: b ", "x  ", "日本 ", "long-word ", "\n", " ", "it's "), m.IntN(40)))
		case 2, 3:
			b.WriteString(m.char())
		case 4:
			b.WriteString(m.one("\n", "\n\n", " \n", "\n ", "  ", "\t", ": ", " #", "\\", "\"", "'", "\n\t", m.ifWild("\r\n"), "%", "---", "\n---\n", "\n...\n"))
		default:
			b.WriteString(m.one("a", "b c", "web", "Z9", "-", "one two", "/a/b", "x=y"))
		}
	}
	return b.String()
}

// char returns one character of any plane.
func (m *treeMaker) char() string {
	var r rune
	switch m.IntN(8) {
	case 0:
		r = rune(m.IntN(0x20))
	case 1:
		r = rune(0x20 + m.IntN(0x5f))
	case 2:
		r = rune(0x7f + m.IntN(0x22))
	case 3:
		return m.one("\u0085", "\u00a0", "\u2028", "\u2029", "\ufeff", "\ud7ff", "\ue000", "\uf8ff", "\ufdd0", "\ufffc", "\ufffd", "\ufffe", "\uffff", "\U00010000", "\U0001ffff", "\U0010ffff", "\u200d",
			"\u00ad", "\u0300", "\x7f", "\u0080", "\u009f", "\u061c", "\u2066", "\x1b", "\x00", "\xff", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80")
	case 4:
		r = rune(m.IntN(256)<<8 | m.IntN(256))
	default:
		r = rune(m.IntN(17)<<16 | m.IntN(256)<<8 | m.IntN(256))
	}
	if !utf8.ValidRune(r) {
		r = 'x'
	}
	return string(r)
}
