package redact

// hideEntry hides the value that stands beside its name; that of a plugin of Argo CD is under "string".
func (h hider) hideEntry(v map[string]any) {
	name, _ := v["name"].(string)
	for _, field := range []string{"value", "string"} {
		if value, has := v[field]; has && isSecretUnder(name, value) {
			v[field] = h.named(name, value)
		}
	}
}

// hideInline hides a value that lies one field below the name of a secret, as Envoy's sources of data do.
func (h hider) hideInline(name string, v any) {
	table, _ := v.(map[string]any)
	for _, field := range inlineFields {
		if text, is := table[field].(string); is && !isSchema(table) {
			table[field] = h.named(name, text)
		}
	}
}

var inlineFields = []string{"value", "inline_string", "inline_bytes", "inlineString", "inlineBytes"}

// hideLabels hides what is secret in the texts of labels, which select objects whatever their names are, and what looks
// random under a secret's name.
func (h hider) hideLabels(v any) {
	labels, is := v.(map[string]any)
	if !is {
		h.walk(v)
	}
	for name, below := range labels {
		switch text, is := below.(string); {
		case !is:
			h.walk(below)
		case isSecretNote(name) && looksRandom(text):
			labels[name] = h.all(text)
		default:
			labels[name] = HideInText(text, h.hide)
		}
	}
}

// hideKeys hides what stands under keys that are a secret's.
func (h hider) hideKeys(v any, isSecret func(string) bool) {
	values, _ := v.(map[string]any)
	for key, v := range values {
		switch {
		case isScript(key):
		case key == "userlist.txt": // of PgBouncer
			values[key] = h.all(v)
		case isSecret(key), !IsSecretName(key) && isSecretUnder(key, v):
			values[key] = h.named(key, v)
		}
	}
}
