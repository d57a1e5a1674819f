package objects

import "github.com/rollstamp/rollstamp/manifest"

// SOPS is what decrypts values in the text of an object itself, as the kind of a producer.
const SOPS = "SOPS"

// sopsPrefix begins a value that SOPS has encrypted.
var sopsPrefix = []byte("ENC[")

// isSOPS reports whether SOPS has encrypted an object.
func isSOPS(n manifest.Node) bool { return n.Get("sops").IsMap() }
