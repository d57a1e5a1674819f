package redact

import (
	"path"
	"slices"
	"strings"
)

// Programs that take a password in a short flag. With -p, MySQL's have it in the same word, and sshpass in the same or
// the next one.
var (
	passwordOfMySQL = pattern(`(?:^|[\s/"'(])(mysql[a-z]*|mariadb[a-z-]*|sshpass)[ \t](?:[^\n|;&]*?[ \t])?` +
		`-p("[^"\n]*"|'[^'\n]*'|[^\s"'][^\s"']*)`)
	passwordOfRedis = pattern(`(?:^|[\s/"'(])(redis-cli|valkey-cli|sshpass)[ \t](?:[^\n|;&]*?[ \t])?` +
		`-[ap][ \t]+("[^"\n]*"|'[^'\n]*'|[^\s"'-][^\s"']*)`)
	signatureOfURL = pattern(`[?&]((?i:sig|signature|jwt|x-amz-signature|x-amz-security-token|x-goog-signature))=` +
		`([^&\s"'<>#]+)`)
	keyOfURL = pattern(`[?&]((?i:key|k|code))=([^&\s"'<>#]+)`)
)

// hideFlags hides the passwords in the short flags of programs, and the signatures of URLs.
func hideFlags(text string, hide func(any) string) string {
	if strings.Contains(text, "-p") && (strings.Contains(text, "mysql") || strings.Contains(text, "mariadb") ||
		strings.Contains(text, "sshpass")) {
		text = hideMatches(passwordOfMySQL(), text, hide, isLiteral)
	}
	if strings.Contains(text, "redis-cli") || strings.Contains(text, "valkey-cli") || strings.Contains(text, "sshpass") {
		text = hideMatches(passwordOfRedis(), text, hide, func(program, value string) bool {
			return isLiteral(program, value) && (program == "sshpass" || !isPort().MatchString(value))
		})
	}
	if strings.Contains(text, "=") && strings.ContainsAny(text, "?&") {
		text = hideMatches(signatureOfURL(), text, hide, isLiteral)
		text = hideMatches(keyOfURL(), text, hide, func(_, value string) bool {
			return isMixed(value) || isMixedCase(value)
		})
	}
	return text
}

func isLiteral(_, value string) bool { return !isPlain(value) && !strings.HasPrefix(value, "$") }

// walkItems hides what is secret in a list, where an argument may be the value of the flag before it. Program is what
// the arguments are for, and before are those that it has already; "" and none where that is not known.
func (h hider) walkItems(items []any, program string, before ...any) {
	flag, placed := "", placedSecret(program, before, items)
	for i, item := range items {
		text, is := item.(string)
		switch at := passwordIn(program, text); {
		case !is:
			h.walk(item)
		case i == placed.argument && isCommandSecret(program, text):
			items[i] = h.all(text)
		case placed.areLiterals && literalAt(flag, text) > 0:
			items[i] = text[:literalAt(flag, text)] + h.hide(text[literalAt(flag, text):])
		case at > 0 && isLiteral("", text[at:]):
			items[i] = text[:at] + h.hide(text[at:])
		case flag != "" && !strings.HasPrefix(text, "-") && !isPlain(text) && isPasswordFlag(program, flag, text):
			items[i] = h.all(text)
		case !isFileEntry().MatchString(text):
			items[i] = HideInText(text, h.hide)
		}
		flag = ""
		if strings.HasPrefix(text, "-") && !strings.ContainsAny(text, "= \t\n") {
			flag = text
		}
	}
}

// placed is where a program takes secrets by their place: in one argument, or in the literals of its flags.
type placed struct {
	argument    int // -1 where there is none
	areLiterals bool
}

// placedSecret returns where in the arguments of a program, of which some are before, secrets are. The program may be
// started by another.
func placedSecret(program string, before, items []any) placed {
	if !hasPlaces[program] {
		program = ""
	}
	var words []string
	places, isBatch := []int{}, false
	for i, item := range slices.Concat(before, items) {
		text, _ := item.(string)
		switch name := path.Base(text); {
		case len(words) == 0 && hasPlaces[name]:
			program = name
		case program == "":
		case strings.HasPrefix(text, "-"):
			isBatch = isBatch || !strings.HasPrefix(text, "--") && strings.Contains(text, "b")
		default:
			words, places = append(words, text), append(places, i-len(before))
		}
	}
	out, last := placed{argument: none}, len(words)-1
	switch program {
	case "vault":
		if last > 0 && words[0] == "login" && !strings.Contains(words[1], "=") {
			out.argument = places[1]
		}
	case "htpasswd":
		if last > 0 && isBatch {
			out.argument = places[last]
		}
	case "kubectl", "oc":
		at := slices.Index(words, "create")
		out.areLiterals = at >= 0 && at < last && words[at+1] == "secret"
	}
	return out
}

const none = -1

// hasPlaces are the programs that placedSecret knows.
var hasPlaces = map[string]bool{"vault": true, "htpasswd": true, "kubectl": true, "oc": true}

// literalAt returns where the value of a literal of kubectl create secret begins; 0 where an argument is none.
func literalAt(flag, argument string) int {
	start := 0
	if flag != "--from-literal" {
		if start = len("--from-literal="); !strings.HasPrefix(argument, "--from-literal=") {
			return 0
		}
	}
	n := strings.IndexByte(argument[start:], '=')
	if at := start + n + 1; n > 0 && at < len(argument) && isLiteral("", argument[at:]) {
		return at
	}
	return 0
}

// isFileEntry has the files of kustomize's generators: a key, and a file that it is read from.
var isFileEntry = pattern(`^[A-Za-z0-9_.-]+=[A-Za-z0-9_./-]+\.(?:ya?ml|json|htpasswd|pem|crt|key|env|txt|properties)$`)

// programOf returns the name of the program that a command, a list, begins with; "" where it is none.
func programOf(command any) string {
	list, _ := command.([]any)
	if len(list) == 0 {
		return ""
	}
	text, _ := list[0].(string)
	if text == "" || strings.ContainsAny(text, " \t\n") {
		return ""
	}
	return path.Base(text)
}

// programOfImage returns the program that an image is called after; "" where a field is not the name of one.
func programOfImage(image any) string {
	text, _ := image.(string)
	name, _, _ := strings.Cut(path.Base(text), "@")
	name, _, _ = strings.Cut(name, ":")
	return strings.TrimPrefix(name, ".")
}

// passwordIn returns where the password in an argument of a program begins, as in -pVALUE; 0 where none does. Which
// programs have it so is not known of all: what is no word, path or port is taken for one.
func passwordIn(program, argument string) int {
	value, is := strings.CutPrefix(argument, "-p")
	if !is || value == "" {
		return 0
	}
	if strings.HasPrefix(program, "mysql") || strings.HasPrefix(program, "mariadb") || program == "sshpass" ||
		!strings.ContainsAny(value, "=:/$") && isMixed(value) {
		return len("-p")
	}
	return 0
}

// isPasswordFlag reports whether the argument behind a flag of a program is a password. That of -p is for many
// programs; for others it is a path, which is hidden, too, or a port, which is not.
func isPasswordFlag(program, flag, next string) bool {
	switch flag {
	case "-p":
		return takesPassword[program] || !isPort().MatchString(next)
	case "-u", "--user":
		return program == "curl" && strings.Contains(next, ":")
	case "--basic-auth":
		return strings.Contains(next, ":")
	case "-P":
		return program == "sqlcmd" || program == "bcp" || program == "osql"
	case "-w":
		return strings.HasPrefix(program, "ldap")
	case "-k", "-K":
		return program == "openssl"
	case "-a":
		return program == "redis-cli" || program == "valkey-cli"
	}
	return IsSecretName(flag)
}

// takesPassword are programs for which -p is never a port.
var takesPassword = map[string]bool{
	"sshpass": true, "docker": true, "podman": true, "skopeo": true, "az": true, "oc": true, "mongo": true,
	"mongosh":   true,
	"mongodump": true, "mongorestore": true, "mongoexport": true, "curl": true, "ldapsearch": true, "rclone": true,
}
