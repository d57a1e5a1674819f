package determinism

import (
	"helm.sh/helm/v3/pkg/chart"
)

// Place is a line of a template.
type Place struct {
	Template string
	Line     int
}

// block is what the text of a template outside its definitions does, or one definition.
type block struct {
	file         *chart.File // nil in values
	template     string
	uses         []string // names of definitions
	dynamic      bool     // it uses a definition whose name is not written there
	random       bool
	tpl, files   bool
	mutates      bool // it may change the values
	capabilities *Place
	seen         bool
	varies       bool // it is random, or uses what is
}

// randomWords are the functions whose result depends on chance or on the clock. With anything but a time to format,
// date and its relatives take the present; the others are random by nature. "keys" is not among them: see sortKeys.
var randomWords = map[string]bool{
	"randAlphaNum": true, "randAlpha": true, "randAscii": true, "randNumeric": true, "randInt": true, "randBytes": true,
	"shuffle": true, "uuidv4": true, "bcrypt": true, "htpasswd": true, "encryptAES": true, "values": true,
	"genPrivateKey": true, "genCA": true, "genCAWithKey": true, "genSelfSignedCert": true,
	"genSelfSignedCertWithKey": true,
	"genSignedCert":            true, "genSignedCertWithKey": true,
	"now": true, "ago": true, "date": true, "date_in_zone": true, "dateInZone": true, "htmlDate": true,
	"htmlDateInZone": true,
	"durationRound":  true,
}
