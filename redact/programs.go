package redact

import (
	"path"
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
// the arguments are for; "" where that is not known.
func (h hider) walkItems(items []any, program string) {
	flag := ""
	for i, item := range items {
		text, is := item.(string)
		switch at := passwordIn(program, text); {
		case !is:
			h.walk(item)
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
