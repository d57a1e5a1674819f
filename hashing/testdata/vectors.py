#!/usr/bin/env python3
"""Computes vectors.json from the contract (docs/digest-v1.md) alone, without any of the program's code.

usage: vectors.py > vectors.json

content maps a key to its bytes: a string stands for its UTF-8 bytes, {"base64": ...} for bytes that are no text.
"""
import base64
import hashlib
import hmac
import json
import sys

KEY_A = "the moon is a harsh mistress"
KEY_B = "0123456789abcdef"


def sized(raw):
    return b"%d:%s" % (len(raw), raw)


def as_bytes(value):
    return value.encode() if isinstance(value, str) else base64.b64decode(value["base64"], validate=True)


def message(content):
    pairs = sorted((key.encode(), as_bytes(value)) for key, value in content.items())
    return b"".join(sized(key) + sized(value) for key, value in pairs)


def value_of(case):
    body = message(case["content"])
    if "hashKey" not in case:
        return "v1-" + hashlib.sha256(b"rollstamp-digest-v1\n" + body).digest()[:8].hex()
    key = case["hashKey"].encode()
    if "hashDomain" in case:
        key = hmac.digest(key, b"rollstamp-hash-domain\n" + case["hashDomain"].encode(), "sha256")
    head = b"rollstamp-digest-v1-keyed\n" + sized(case["kind"].lower().encode()) + sized(case["object"].encode())
    return "v1k-" + hmac.digest(key, head + body, "sha256")[:8].hex()


def annotation_of(group, kind, name):
    subject = (kind.lower() + "_" + group if group else kind.lower()) + "." + name
    if len(subject) > 63:
        digest = hashlib.sha256(subject.encode()).hexdigest()
        subject = subject[:54].rstrip("-_.") + "-" + digest[:8]
    return "checksum.rollstamp.dev/" + subject


def case(name, kind, obj, content, **more):
    return {"name": name, "kind": kind, "object": obj, "content": content, **more}


BLOB = {"base64": base64.b64encode(bytes(range(256))).decode()}
DB = {"user": "orders", "password": "tr0ub4dor&3"}

DIGESTS = [
    case("no keys", "ConfigMap", "nothing", {}),
    case("no keys, in a Secret without hash key", "Secret", "nothing", {}),
    case("one key with an empty value", "ConfigMap", "flags", {"DEBUG": ""}),
    case("the empty key", "ConfigMap", "flags", {"": "x"}),
    case("a line end counts", "ConfigMap", "motd", {"motd.txt": "welcome\n"}),
    case("its absence too", "ConfigMap", "motd", {"motd.txt": "welcome"}),
    case("CRLF is not LF", "ConfigMap", "motd", {"motd.txt": "welcome\r\n"}),
    case("three keys out of order", "ConfigMap", "nginx", {"nginx.conf": "events {}\n", "mime.types": "text/html html;\n", "10-site.conf": "server {}\n"}),
    case("capitals sort before small letters", "ConfigMap", "mixed", {"b": "2", "B": "1", "a": "4", "_": "3", "-": "5", ".": "6"}),
    case("a key that begins another", "ConfigMap", "prefix", {"app.conf": "1", "app": "2", "app.conf.d": "3"}),
    case("digits at the border of key and value", "ConfigMap", "border", {"1": "2:31:4", "12": ":3"}),
    case("a value that looks like the encoding", "ConfigMap", "border", {"a": "1:b1:c"}),
    case("what that value looks like", "ConfigMap", "border", {"a": "", "b": "c"}),
    case("ten bytes take two digits of length", "ConfigMap", "ten", {"k": "0123456789"}),
    case("letters beyond ASCII count in bytes", "ConfigMap", "grüße", {"gruß": "Zoë, 北京, 🚀", "ключ": "значение"}),
    case("composed", "ConfigMap", "accents", {"name": "\u00e9"}),
    case("decomposed is something else", "ConfigMap", "accents", {"name": "e\u0301"}),
    case("every byte there is", "ConfigMap", "blob", {"blob.bin": BLOB}),
    case("bytes that are no UTF-8", "Secret", "keystore", {"store.jks": {"base64": "/u3+7QAAAAL//w=="}}),
    case("NUL bytes", "ConfigMap", "nul", {"z": {"base64": "AAAAAA=="}}),
    case("longer than one gulp", "ConfigMap", "long", {"big": "rollstamp " * 1000, "small": "1"}),
    case("many keys", "ConfigMap", "many", {"key-%d" % i: "value %d" % (i * i) for i in range(120)}),
    case("Secret without hash key", "Secret", "db", DB),
    case("ConfigMap of the same content: the same digest", "ConfigMap", "other", DB),
    case("Secret with hash key", "Secret", "db", DB, hashKey=KEY_A),
    case("the same under another name", "Secret", "db-replica", DB, hashKey=KEY_A),
    case("the same under another hash key", "Secret", "db", DB, hashKey=KEY_B),
    case("in a hash domain", "Secret", "db", DB, hashKey=KEY_A, hashDomain="team-a"),
    case("in another hash domain", "Secret", "db", DB, hashKey=KEY_A, hashDomain="team-ä"),
    case("keyed, no keys", "Secret", "nothing", {}, hashKey=KEY_A),
    case("keyed, a name that is longer than a SHA-256 block", "Secret", "s" * 253, {"k": "v"}, hashKey=KEY_A),
    case("keyed, a hash key that is longer than a SHA-256 block", "Secret", "db", DB, hashKey="k" * 65),
    case("keyed ConfigMap, for fetched content", "ConfigMap", "fetched", {"value": "42"}, hashKey=KEY_A),
    case("keyed, another kind", "SecretProviderClass", "vault", {"*": "spec\0x"}, hashKey=KEY_A),
]

ANNOTATIONS = [
    ("", "ConfigMap", "app"),
    ("", "Secret", "app"),
    ("", "Secret", "a.b.c-d"),
    ("secrets-store.csi.x-k8s.io", "SecretProviderClass", "vault"),
    ("example.com", "Secret", "not-the-core-one"),
    ("", "Secret", "s" * 56),
    ("", "Secret", "s" * 57),
    ("", "ConfigMap", "c" * 53),
    ("", "ConfigMap", "c" * 54),
    ("", "Secret", "x" * 46 + "-" + "y" * 40),
    ("", "Secret", "x" * 44 + "-.-" + "y" * 40),
    ("", "Secret", "n" * 253),
    ("secrets-store.csi.x-k8s.io", "SecretProviderClass", "a-name-that-makes-it-long"),
]

if __name__ == "__main__":
    for c in DIGESTS:
        c["value"] = value_of(c)
    annotations = [dict(zip(("group", "kind", "name", "annotation"), a + (annotation_of(*a),))) for a in ANNOTATIONS]
    json.dump({"digests": DIGESTS, "annotations": annotations}, sys.stdout, indent=1, ensure_ascii=False)
    print()
