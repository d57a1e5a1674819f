#!/usr/bin/env python3
"""Computes content.json from the contract (docs/content-v1.md) alone, without any of the program's code.

usage: content.py > content.json        (needs PyYAML)

Each case is a text of manifests and an object of it, or one that it makes; the answer is the bytes that stand for each of its keys.
Bytes that are no UTF-8 are written {"base64": ...}. Where a case has answers, they are what the lock says, by the place asked for:
"KIND/NAME KEY#PROPERTY". What is asked for on request only is listed under ask.
"""
import base64
import json
import re
import sys

import yaml

FREE = {"data", "stringData", "encryptedData", "headers", "parameters", "params", "processors", "tags", "templates"}


class Loader(yaml.SafeLoader):
    """YAML 1.1 as Kubernetes reads it: no dates, and y and n are booleans."""


Loader.yaml_implicit_resolvers = {
    k: [(t, r) for t, r in v if t not in ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:value")]
    for k, v in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def sized(raw):
    return b"%d:%s" % (len(raw), raw)


class Set(list):
    pass


def nothing(v):
    return v is None or v == "" or v == {} or v == [] or v == b""


def bare(v, free=False):
    """v without what counts as not there."""
    if isinstance(v, dict):
        out = {}
        for k, x in v.items():
            x = bare(x, k in FREE)
            if x is None or (nothing(x) and not free and x is not False):
                continue
            out[k] = x
        return out
    if isinstance(v, Set):
        return Set(bare(x) for x in v)
    if isinstance(v, list):
        return [bare(x) for x in v]
    return v


def enc(v):
    if v is None:
        return b""
    if isinstance(v, bool):
        return b"btrue" if v else b"bfalse"
    if isinstance(v, (int, float)):
        return b"n" + json.dumps(v).encode()
    if isinstance(v, bytes):
        return b"s" + v
    if isinstance(v, str):
        return b"s" + v.encode()
    if isinstance(v, Set):
        return b"l" + b"".join(sized(x) for x in sorted({enc(x) for x in v}))
    if isinstance(v, list):
        return b"l" + b"".join(sized(enc(x)) for x in v)
    return b"m" + fields(v)


def fields(m):
    pairs = sorted((str(k).encode(), enc(x)) for k, x in m.items())
    return b"".join(sized(k) + sized(x) for k, x in pairs)


def stands(cls, m):
    return cls.encode() + b"\0" + fields(bare(m))


def without(m, **defaults):
    return {k: v for k, v in (m or {}).items() if k not in defaults or defaults[k] != v}


REMOTE = dict(conversionStrategy="Default", decodingStrategy="None", metadataPolicy="None", nullBytePolicy="Ignore")
MERGE = dict(priorityPolicy="Strict", conflictPolicy="Error", strategy="Extract")
GENERATOR = dict(length=24, noUpper=False, allowRepeat=False, encoding="raw", keyType="rsa", resultType="Data", allowEmptyResponse=False,
                 environmentType="PublicCloud")


TOKEN = re.compile(r"""\s+|/\*.*?\*/|(?P<text>"(?:\\.|[^"\\\n])*"|`[^`]*`)|'(?:\\.|[^'\\])*'|:=|=|(?P<field>\.\w+)|(?P<dot>\.)|(?P<var>\$\w*)|(?P<word>[^\W\d]\w*)
                   |(?P<pipe>\|)|(?P<open>\()|(?P<close>\))|(?P<end>-?\}\})|,|(?P<number>[-+]?[\w.]+)""", re.X | re.S)
ALL = None


def actions(text):
    """The tokens of each action of a template, as pairs of kind and text, with "" between what blanks separate."""
    at = 0
    while (at := text.find("{{", at)) >= 0:
        at += 2
        if re.match(r"-\s", text[at:]):
            at += 1
        out = []
        while True:
            m = TOKEN.match(text, at)
            if not m:
                raise ValueError("not a template")
            at = m.end()
            if m.lastgroup == "end":
                break
            out.append((m.lastgroup or ("" if m[0][0].isspace() else "other"), m[0]))
        yield out


def unquoted(text):
    return text[1:-1] if text[0] == "`" else json.loads(text)


def named(text):
    """The inputs that a template names: a set, or ALL."""
    if "{{" not in text:
        return set()
    names, outer, root = set(), [], True  # root: the dot is all inputs
    try:
        for tokens in actions(text):
            while tokens and not tokens[0][0]:
                tokens.pop(0)
            word = [t for k, t in tokens if k == "word"][:2] + ["", ""]
            if not tokens or tokens[0][0] != "word" or word[0] not in ("if", "with", "range", "else", "end", "define", "block", "template"):
                word = ["", ""]
            if word[0] in ("define", "block", "template"):
                return ALL
            if word[0] == "end":
                root = outer.pop()
                continue
            if word[0] == "else":
                root = outer[-1]
                tokens.pop(0)
                inner = word[1] if word[1] in ("if", "with") and [t for _, t in tokens if t.strip()][0] == word[1] else ""
            else:
                inner = word[0]
            if not operands([t for t in tokens if t[1] != inner or t[0] != "word"] if inner else tokens, root, names):
                return ALL
            if word[0] in ("if", "with", "range"):
                outer.append(root)
            if inner in ("with", "range"):
                root = False
    except ValueError:
        return ALL
    return ALL if outer else names


def operands(tokens, root, names):
    """Adds what an action names; false where it takes all inputs."""
    first, before = True, ""  # first: the next word is a function; before: what a field may belong to
    solid = [t for t in tokens if t[0]]
    places = [i for i, t in enumerate(tokens) if t[0]]
    skip = 0
    for n, (kind, text) in enumerate(solid):
        joined = n > 0 and places[n] == places[n - 1] + 1 and solid[n - 1][0] in ("field", "var", "close", "dot")
        whole = not (n + 1 < len(solid) and solid[n + 1][0] == "field" and places[n + 1] == places[n] + 1)
        if skip:
            skip -= 1
        elif kind == "word" and first and text in ("index", "get", "hasKey") and n + 2 < len(solid) and solid[n + 2][0] == "text" and \
                (solid[n + 1][0] == "dot" and root or solid[n + 1] == ("var", "$")) and places[n + 2] > places[n + 1] + 1:
            names.add(unquoted(solid[n + 2][1]))
            skip = 2
        elif kind == "dot" and root or (kind, text) == ("var", "$") and whole:
            return False
        elif (kind, text) == ("var", "$"):
            names.add(solid[n + 1][1][1:])
        elif kind == "field" and not joined and root:
            names.add(text[1:])
        first = kind in ("pipe", "open") or text in (":=", "=")
    return True


class World:
    def __init__(self, text, answers, ask=()):
        self.ask = ask
        self.objects = [o for o in yaml.load_all(text, Loader) if o]
        self.answers = answers or {}
        self.asked = "spec"

    def find(self, kind, name):
        hits = [o for o in self.objects if o["kind"] == kind and o["metadata"]["name"] == name]
        return hits[-1] if hits else None

    # what an answer of the lock does to a part
    def answer(self, part, ref, place):
        if not self.answers:
            return
        if re.fullmatch(r"[1-9][0-9]*|uuid/.+|[0-9a-fA-F]{32}", str(ref.get("version", ""))):
            got = {"version": re.sub("^uuid/", "", str(ref.pop("version")))}
        else:
            got = self.answers[place]
        part.update(got)
        if "value" in got:
            self.asked = "value"
        elif got["version"] == "lease":
            return
        elif self.asked == "spec":
            self.asked = "version"

    def part(self, entry, spec):
        out, source = {}, entry.get("sourceRef") or {}
        for f in ("remoteRef", "extract", "find"):
            if entry.get(f):
                out[f] = without(entry[f], **REMOTE)
        if entry.get("rewrite"):
            out["rewrite"] = [{k: without(v, **MERGE) if k == "merge" else v for k, v in r.items()} for r in entry["rewrite"]]
        if source.get("generatorRef"):
            g = source["generatorRef"]
            out["generator"] = {"kind": g.get("kind"), "name": g.get("name")}
            o = self.find(g.get("kind"), g.get("name"))
            if o:
                out["generator"]["spec"] = without(without(o.get("spec"), **GENERATOR), controller=o.get("spec", {}).get("controller"))
            return out
        store = source.get("storeRef") or spec.get("secretStoreRef") or {}
        out["store"] = without({"kind": store.get("kind"), "name": store.get("name")}, kind="SecretStore")
        ref = out.get("remoteRef") or out.get("extract")
        if out.get("find"):
            self.answer(out, {}, "%s/%s find" % (store.get("kind") or "SecretStore", store.get("name")))
        if ref:
            place = "%s/%s %s" % (store.get("kind") or "SecretStore", store.get("name"), ref["key"])
            if ref.get("property"):
                place += "#" + ref["property"]
            self.answer(out, ref, place)
        return out

    def external(self, spec):
        target = spec.get("target") or {}
        template = target.get("template") or {}
        made = {}

        def put(key, make):
            self.asked = "spec"
            m = make()
            made[key] = stands(self.asked, m)

        def inputs(text=ALL):
            names = ALL if text is ALL else named(text)
            data = {d["secretKey"]: d for d in spec.get("data") or []}
            out = {"data": {k: self.part(d, spec) for k, d in data.items() if names is ALL or k in names} or None}
            if names is ALL or names - set(data):
                out["dataFrom"] = [self.part(d, spec) for d in spec.get("dataFrom") or []]
            return out

        froms = [f for f in template.get("templateFrom") or [] if (f.get("target") or "Data").lower() not in ("annotations", "labels")]
        templated = bool(template.get("data")) or bool(template.get("templateFrom"))
        merges = template.get("mergePolicy") == "Merge"
        unknown = any(f.get("literal") is not None or (f.get("target") or "Data").lower() != "data" or
                      any((i.get("templateAs") or "Values") != "Values" for w in ("configMap", "secret") for i in (f.get(w) or {}).get("items") or [])
                      for f in froms)
        if not templated or merges and not unknown:
            for d in spec.get("data") or []:
                put(d["secretKey"], lambda: self.part(d, spec))
        if (not templated or merges) and spec.get("dataFrom") and not unknown:
            put("*", lambda: {"dataFrom": [self.part(d, spec) for d in spec["dataFrom"]]})
        texts = []
        for f in froms:
            strategy = without({"valuesDecodingStrategy": f.get("valuesDecodingStrategy")}, valuesDecodingStrategy="None")
            to = {} if (f.get("target") or "Data").lower() == "data" else {"target": f["target"]}
            for kind, field in (("ConfigMap", "configMap"), ("Secret", "secret")):
                ref = f.get(field)
                for i in (ref or {}).get("items") or []:
                    content = self.content(kind, ref["name"]).get(i["key"])
                    t = {"template": content} if content is not None else {"from": {"kind": kind, "name": ref["name"], "key": i["key"]}}
                    whole = (i.get("templateAs") or "Values") != "Values"
                    texts.append((i["key"], {**t, **strategy, **to, **({"as": "KeysAndValues"} if whole else {"key": i["key"]})}))
            if f.get("literal") is not None:
                texts.append(("", {"template": f["literal"], "as": "literal", **strategy, **to}))
        if unknown:
            put("*", lambda: {"templates": [t for _, t in texts], **inputs()})
        else:
            for key, t in texts:
                t = {k: v for k, v in t.items() if k not in ("key", "as")}
                text = t.get("template", ALL)
                text = text.decode("latin-1") if isinstance(text, bytes) else text
                if text is not ALL and re.match(r"(spec|cipher|version|value)\0", text):
                    text = ALL  # what stands for a text may stand for one that has them
                put(key, lambda: {**t, **inputs(text)})
        for key, text in (template.get("data") or {}).items():
            put(key, lambda: {"template": text, **inputs(text)})
        return made

    def sealed(self, spec):
        def raw(text):
            try:
                return base64.b64decode(text, validate=True)
            except ValueError:
                return text.encode()
        data = {k: raw(v) for k, v in (spec.get("encryptedData") or {}).items()} if isinstance(spec.get("encryptedData"), dict) else {}
        made = {}
        for k, text in ((spec.get("template") or {}).get("data") or {}).items():
            names = named(text)
            made[k] = stands("spec", {"template": text, "encryptedData": {n: v for n, v in data.items() if names is ALL or n in names}})
        for k, v in data.items():
            made[k] = stands("cipher", {"encryptedData": v})
        if spec.get("data"):
            made["*"] = b"cipher\0" + fields({"data": raw(spec["data"])})
        return made

    def plain(self, o, sops=False):
        made, notes = {}, (o["metadata"].get("annotations") or {}) if "metadata" in o else {}
        sops = sops or isinstance(o.get("sops"), dict)
        secret = o.get("kind") != "ConfigMap"
        for field in ("data", "binaryData", "stringData"):
            for k, v in (o.get(field) or {}).items():
                v = v or ""
                if sops and v.startswith("ENC["):
                    made[k] = stands("cipher", {"enc": v})
                    continue
                out, failed = v.encode(), False
                if field == "binaryData" or field == "data" and secret:
                    try:
                        out = base64.b64decode(v.replace("\n", "").replace("\r", ""), validate=True)
                    except ValueError:
                        failed = True
                avp = re.search(rb"<(path|secret):[^>]+>", out) or "avp.kubernetes.io/path" in notes and re.search(rb"<[^>]+>", out)
                if avp and notes.get("avp.kubernetes.io/ignore") != "true":
                    path, version, kv = (notes.get("avp.kubernetes.io/" + n) for n in ("path", "secret-version", "kv-version"))
                    self.asked = "spec"
                    m = {"text": out, "path": path, "secretVersion": version, "kvVersion": kv, "versions": self.placeholders(out.decode(), path, version, kv)}
                    out = stands(self.asked, m)
                elif failed:
                    out = stands("spec", {"text": out})
                made[k] = out
        return made

    def placeholders(self, raw, path, version, kv):
        """The field versions of a value with placeholders."""
        if "argocd-vault-plugin" not in self.ask or not self.answers:
            return []
        named = [(p, k, v) for p, k, v in re.findall(r"<path:\s*([^#<>|\s]+)#([^#<>|\s]+)(?:#([^#<>|\s]+))?\s*(?:\|[^<>]*)?>", raw)]
        if path and "<path:" not in raw:
            named = [(path, k, version or "") for k in re.findall(r"<\s*([A-Za-z0-9_.-]+)\s*(?:\|[^<>]*)?>", raw)]
        out = []
        for key, prop, v in dict.fromkeys((p, k, "" if kv == "1" or v == "latest" else v) for p, k, v in named):
            part = {"key": key, "property": prop}
            self.answer(part, {"version": "uuid/" + v if v.count("-") == 4 else v} if v else {}, "argocd-vault-plugin/default %s#%s" % (key, prop))
            if part.get("version") != "lease":
                out.append(part)
        return out

    def csi(self, spec):
        parameters = dict(spec.get("parameters") or {})

        def read(text):
            try:
                v = yaml.load(text, Loader) if isinstance(text, str) else text
            except yaml.YAMLError:
                return text
            if isinstance(v, dict):
                return {k: read(x) for k, x in v.items()}
            if isinstance(v, list):
                return [read(x) for x in v]
            return text
        for f in ("objects", "secrets"):
            if f in parameters:
                parameters[f] = read(parameters[f])
        return parameters

    @staticmethod
    def listed(parameters):
        items = parameters.get("objects") or parameters.get("secrets") or []
        if isinstance(items, dict):
            items = items.get("array")
        return items if isinstance(items, list) else []

    @staticmethod
    def class_place(provider, o):
        """Key, property and version of an object of a class; None where nobody is asked."""
        if provider in ("vault", "openbao"):
            path, _, query = (o.get("secretPath") or "").partition("?")
            path = re.sub("^/?(v1/)?", "", path)
            if (o.get("method") or "GET").upper() != "GET" or not path or o.get("secretArgs"):
                return None
            version = re.fullmatch("version=([0-9]+)", query)
            return None if query and not version else (path, o.get("secretKey"), version and version[1])
        if provider == "aws":
            kind = o.get("objectType") or (o["objectName"].split(":")[2] if o["objectName"].startswith("arn:") else "")
            kind = {"ssm": "ssmparameter"}.get(kind, kind)
            version = o.get("objectVersion")
            if version and kind == "secretsmanager":
                version = "uuid/" + str(version)
            return (kind + "/" + o["objectName"], None, version or o.get("objectVersionLabel")) if kind in ("secretsmanager", "ssmparameter") else None
        if provider == "azure" and o.get("objectType") in ("secret", "key", "cert"):
            version = o.get("objectVersion")
            return o["objectType"] + "/" + o["objectName"], None, version if version != "latest" else None
        if provider == "gcp":
            m = re.fullmatch("(projects/[^/]+/(?:locations/[^/]+/)?secrets/[^/]+)/versions/([^/]+)", o.get("resourceName") or "")
            return (m[1], None, m[2] if m[2] != "latest" else None) if m else None
        return None

    def versions(self, owner, spec, items):
        """The field versions of a class of the CSI driver."""
        self.asked = "spec"
        out = []
        for o in items if "SecretProviderClass" in self.ask and self.answers else []:
            place = self.class_place(spec.get("provider"), o)
            if place:
                key, prop, version = place
                part = {"key": key, "property": prop}
                self.answer(part, {"version": version} if version else {}, "SecretProviderClass/%s %s%s" % (owner, key, "#" + prop if prop else ""))
                if part.get("version") != "lease":
                    out.append(part)
        return out

    def class_key(self, owner, spec, name):
        parameters = self.csi(spec)
        items = self.listed(parameters)
        hits = [i for i in items if isinstance(i, dict) and name in [i.get(f) for f in ("objectName", "objectAlias", "fileName", "path")]]
        rest = {k: v for k, v in parameters.items() if k not in ("objects", "secrets")}
        m = {"provider": spec.get("provider"), "objectName": name, "parameters": rest, "objects": hits or items, "versions": self.versions(owner, spec, hits or items)}
        return stands(self.asked, m)

    def generic(self, o, omit, defaults=(), sets=()):
        spec = json.loads(json.dumps(o.get("spec") or {}))

        def at(path):
            m = spec
            steps = path.split(".")
            for s in steps[:-1]:
                m = m.get(s) or {}
            return m, steps[-1]
        for path in omit:
            if "[]." in path:
                head, last = path.split("[].")
                for m in spec.get(head) or []:
                    m.pop(last, None)
                continue
            m, last = at(path)
            m.pop(last, None)
        for path, value in defaults:
            m, last = at(path)
            if m.get(last) == value and type(m.get(last)) is type(value):
                m.pop(last)
        for path in sets:
            m, last = at(path)
            if isinstance(m.get(last), list):
                m[last] = Set(m[last])
        out = {"producer": o["kind"].lower() + "." + o["apiVersion"].rpartition("/")[0], "spec": spec}
        refs = ((spec.get("destination") or {}).get("transformation") or {}).get("transformationRefs")
        if refs:
            out["transformations"] = [{"name": r["name"], "spec": (self.find("SecretTransformation", r["name"]) or {}).get("spec")} for r in refs]
        self.asked = "spec"
        if o["kind"] == "VaultStaticSecret":
            place = "VaultAuth/%s %s/%s" % (spec.get("vaultAuthRef", "default"), spec["mount"], spec["path"])
            self.answer(out, spec, place)
        return {"*": stands(self.asked, out)}

    def makers(self, kind, name):
        """The contents of all that make the object."""
        found = False
        for how, made in self.others(kind, name):
            found = True
            yield how, made
        if kind == "Secret" and not found:  # what yields to others
            for o in self.objects:
                pushed = [d["match"]["remoteRef"]["remoteKey"] for d in (o.get("spec") or {}).get("data") or []] if o["kind"] == "PushSecret" else []
                if name in pushed:
                    yield "", self.generic(o, ["refreshInterval", "deletionPolicy", "updatePolicy"])
                notes = o["metadata"].get("annotations") or {}
                if o["kind"] == "Deployment" and notes.get("operator.1password.io/item-name") == name:
                    path = notes["operator.1password.io/item-path"]
                    yield "", {"*": stands("spec", {"producer": "deployment.apps", "itemPath": path})}
                if name in made_alone(o):
                    yield "", {"*": stands("spec", {"producer": o["kind"].lower() + "." + o["apiVersion"].rpartition("/")[0]})}

    def others(self, kind, name):
        for o in self.objects:
            spec, own, k = o.get("spec") or {}, o["metadata"]["name"], o["kind"]
            if k in ("ExternalSecret", "ClusterExternalSecret") and o["apiVersion"].startswith("external-secrets.io/"):
                if k == "ClusterExternalSecret":
                    own, spec = spec.get("externalSecretName") or own, spec.get("externalSecretSpec") or {}
                target = spec.get("target") or {}
                if target.get("creationPolicy") == "None" or (target.get("manifest") or {}).get("kind", "Secret") != kind:
                    continue
                if (target.get("name") or own) == name:
                    yield "over" if target.get("creationPolicy") in ("Merge", "CreateOrMerge") else "", self.external(spec)
            elif k == "SealedSecret" and kind == "Secret" and own == name:
                secret = (self.find("Secret", name) or {"metadata": {}})["metadata"].get("annotations") or {}
                patch, managed = ("sealedsecrets.bitnami.com/" + a for a in ("patch", "managed"))
                patched = "true" in (secret.get(patch), (o["metadata"].get("annotations") or {}).get(patch))
                yield "over" if patched else "instead" if secret.get(managed) == "true" else "", self.sealed(spec)
            elif k == "SecretProviderClass" and kind == "Secret":
                for s in spec.get("secretObjects") or []:
                    if s["secretName"] == name:
                        yield "", {d["key"]: self.class_key(own, spec, d["objectName"]) for d in s.get("data") or []}
            elif k == "SopsSecret" and kind == "Secret":
                for t in (spec.get("secretTemplates") or []) + (spec.get("secrets") or []):
                    if t["name"] == name:
                        yield "", self.plain(t, sops=True)
            elif k == "InfisicalStaticSecret":
                for t in spec.get("targets") or []:
                    if (t["kind"], t["name"]) == (kind, name):
                        fields_ = ("name", "namespace", "kind", "secretType", "creationPolicy", "metadata")
                        yield "", self.generic(o, ["syncOptions"] + ["targets[]." + f for f in fields_])
            elif k == "AzureKeyVaultSecret":
                output = (spec.get("output") or {}).get({"Secret": "secret", "ConfigMap": "configMap"}[kind]) or {}
                if output.get("name") == name:
                    yield "", self.generic(o, ["output.secret.name", "output.configMap.name"])
            elif kind == "ConfigMap" and k == "InfisicalSecret":
                for m in spec.get("managedKubeConfigMapReferences") or []:
                    if m["configMapName"] == name:
                        yield "", self.generic(o, GENERIC[k]["omit"] + ["managedKubeConfigMapReferences[]." + f for f in ("configMapName", "configMapNamespace", "creationPolicy")])
            elif kind == "Secret" and (k, o["apiVersion"].rpartition("/")[0]) in OTHERS or kind == "Secret" and k in GENERIC:
                made = OTHERS.get((k, o["apiVersion"].rpartition("/")[0])) or GENERIC[k]
                where = spec if made["name"] else None
                for step in made["name"].split(".") if made["name"] else []:
                    where = where.get(step) or {}
                if (where or own) == name:
                    destination = spec.get("destination") or {}
                    how = "fills" if k == "Certificate" else ""
                    if made["omit"][:len(VSO)] == VSO and (not destination.get("create") or destination.get("overwrite")):
                        how = "instead"
                    yield how, self.generic(o, made["omit"], made.get("defaults", ()), made.get("sets", ()))

    def content(self, kind, name):
        if kind == "SecretProviderClass":
            spec = self.find(kind, name)["spec"]
            parameters = self.csi(spec)
            m = {"provider": spec.get("provider"), "parameters": parameters, "versions": self.versions(name, spec, self.listed(parameters))}
            return {"*": stands(self.asked, m)}
        o = self.find(kind, name)
        made = list(self.makers(kind, name))
        if o is not None:
            notes = o["metadata"].get("annotations") or {}
            source = notes.get("reflector.v1.k8s.emberstack.com/reflects") or notes.get("replicator.v1.mittwald.de/replicate-from")
            if source:
                return self.content(kind, source.rpartition("/")[2])
            out = self.plain(o)
            hows = [how for how, _ in made]
            if "instead" in hows:
                out = {}
            if "fills" in hows:
                out = {k: v for k, v in out.items() if v not in ("", b"")}
            for how, m in made:
                if how:
                    out.update(m)
            return out
        union = {}
        for _, m in made:
            for k, v in m.items():
                union.setdefault(k, []).append(v)
        return {k: v[0] if len(v) == 1 else stands("spec", {"parts": Set(v)}) for k, v in union.items()}


VSO = ["destination." + f for f in ("name", "create", "overwrite", "labels", "annotations", "type")] + \
      ["refreshAfter", "hmacSecretData", "rolloutRestartTargets", "syncConfig"]
RAW = ("destination.transformation.excludeRaw", False)
GENERIC = {
    "VaultStaticSecret": dict(name="destination.name", omit=VSO, defaults=[("version", 0), RAW]),
    "VaultDynamicSecret": dict(name="destination.name", omit=VSO + ["revoke", "renewalPercent"], defaults=[RAW]),
    "VaultPKISecret": dict(name="destination.name", omit=VSO + ["revoke", "clear", "expiryOffset"], defaults=[RAW, ("excludeCNFromSans", False)],
                           sets=["altNames", "ipSans", "uriSans", "otherSans", "userIDs"]),
    "Certificate": dict(name="secretName", omit=["secretName", "secretTemplate", "renewBefore", "renewBeforePercentage", "renewal",
                                                 "revisionHistoryLimit", "privateKey.rotationPolicy"],
                        defaults=[("isCA", False), ("duration", "2160h"), ("duration", "2160h0m0s"), ("encodeUsagesInRequest", True), ("issuerRef.kind", "Issuer"),
                                  ("issuerRef.group", "cert-manager.io"), ("privateKey.algorithm", "RSA"), ("privateKey.encoding", "PKCS1")],
                        sets=["dnsNames", "ipAddresses", "uris", "emailAddresses", "usages"]),
    "OnePasswordItem": dict(name="", omit=[]),
    "KafkaUser": dict(name="", omit=[]),
    "KafkaAccess": dict(name="secretName", omit=["secretName", "template"]),
    "HCPVaultSecretsApp": dict(name="destination.name", omit=VSO, defaults=[RAW]),
    "DopplerSecret": dict(name="managedSecret.name", omit=["managedSecret", "resyncSeconds", "expirationSeconds", "verifyTLS"],
                          defaults=[("host", "https://api.doppler.com")], sets=["secrets"]),
    "InfisicalSecret": dict(name="managedSecretReference.secretName", omit=["resyncInterval"] + [
        r + "." + f for r in ("managedSecretReference", "managedKubeSecretReferences[]") for f in ("secretName", "secretNamespace", "secretType", "creationPolicy")]),
    "InfisicalDynamicSecret": dict(name="managedSecretReference.secretName", omit=["leaseRevocationPolicy", "leaseTTL"] + [
        "managedSecretReference." + f for f in ("secretName", "secretNamespace", "secretType", "creationPolicy")]),
    "BitwardenSecret": dict(name="secretName", omit=["secretName"], defaults=[("onlyMappedSecrets", True), ("useSecretNames", False)], sets=["map"]),
}
# Kinds that another operator calls the same.
OTHERS = {
    ("VaultSecret", "redhatcop.redhat.io"): dict(name="output.name", omit=[]),
    ("BitwardenSecret", "lerentis.uploadfilter24.eu"): dict(name="name", omit=["name", "namespace", "secretType", "labels", "annotations"], sets=["content"]),
}

# What operators make by themselves: its names, of which a part in braces may have several values.
ALONE = {
    ("Cluster", "postgresql.cnpg.io"): ["{name}-app", "{name}-ca", "{name}-server", "{name}-replication"],
    ("PostgresCluster", "postgres-operator.crunchydata.com"): ["{name}-pguser-{user}", "{name}-cluster-cert", "{name}-replication-cert"],
    ("postgresql", "acid.zalan.do"): ["{role}.{name}.credentials.postgresql.acid.zalan.do"],
    ("RabbitmqCluster", "rabbitmq.com"): ["{name}-default-user", "{name}-erlang-cookie"],
    ("Elasticsearch", "elasticsearch.k8s.elastic.co"): ["{name}-es-elastic-user", "{name}-es-http-certs-public"],
    ("Kafka", "kafka.strimzi.io"): ["{name}-cluster-ca-cert", "{name}-clients-ca-cert"],
    ("StringSecret", "secretgenerator.mittwald.de"): ["{name}"],
    ("Service", ""): ["{serving}"],
    ("Ingress", "networking.k8s.io"): ["{tls}"],
}


def made_alone(o):
    """The names of the Secrets that an operator makes by itself for an object."""
    group, spec, meta = o["apiVersion"].rpartition("/")[0], o.get("spec") or {}, o["metadata"]
    if (spec.get("writeConnectionSecretToRef") or {}).get("name") and "." in group:
        return [spec["writeConnectionSecretToRef"]["name"]]
    return [n.format(name=meta["name"], user=u, role=r.replace("_", "-"), tls=t,
                     serving=(meta.get("annotations") or {}).get("service.beta.openshift.io/serving-cert-secret-name"))
            for n in ALONE.get((o["kind"], group), ())
            for u in ([u["name"] for u in spec["users"]] if isinstance(spec.get("users"), list) else [meta["name"]])
            for r in ["postgres", "standby", *(spec["users"] if isinstance(spec.get("users"), dict) else [])]
            for t in [t["secretName"] for t in spec.get("tls") or [{"secretName": None}]]]


ES = "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: db}\nspec:\n"
STORE = "  secretStoreRef: {kind: ClusterSecretStore, name: vault}\n"
PASSWORD = "  data: [{secretKey: password, remoteRef: {key: prod/db, property: password}}]\n"
CASES = []


# Templates over the inputs a, b and what dataFrom has: what each names.
TEMPLATES = [
    "{{ 1 }}", "{{ randAlphaNum 5 }}", "{{/* .a */}}x", "{{- /* .a */ -}}x", "{{ \".a\" }}{{ `{{ .a }}` }}", "{{ '.' }}",
    "{{ .a }}", "{{- .a -}}", "{{.a}}", "{{ .a.b }}", "{{ $.a }}", "{{ (.a) }}", "{{ print .a .b }}", "{{ .a | b64enc | quote }}", "{{ .c }}", "{{ .ab }}",
    "{{ index . \"a\" }}", "{{ index $ `a` }}", "{{ (index . \"a\").x }}", "{{ get . \"a\" }}", "{{ hasKey . \"a\" }}", "{{ index . \"a\" .b }}",
    "{{ index . \"\\u0061\" }}", "{{ index . .a }}", "{{ \"a\" | index . }}", "{{ index (.) \"a\" }}", "{{ print (index . \"a\") }}", "{{ print index . \"a\" }}",
    "{{ index .a \"b\" }}", "{{ index . \"c\" }}", "{{ len . }}", "{{ . | toJson }}", "{{ $ | toJson }}", "{{ . }}", "{{ $ }}", "{{ (.).a }}", "{{ ($).a }}",
    "{{ $x := .a }}{{ $x }}", "{{ $x := . }}{{ $x.a }}", "{{ $x := index . \"a\" }}{{ $x.b }}", "{{ $x := .a }}{{ $x = .b }}{{ $x }}", "{{ $ := .a }}{{ $.b }}",
    "{{ if .a }}x{{ end }}", "{{ if .a }}{{ .b }}{{ end }}", "{{ if eq .a \"x\" }}x{{ else if .b }}{{ . }}{{ end }}", "{{ if . }}x{{ end }}",
    "{{ with .a }}{{ . }}{{ .b }}{{ end }}", "{{ with .a }}{{ $.b }}{{ end }}", "{{ with .a }}{{ . }}{{ else }}{{ .b }}{{ end }}", "{{ with .a }}x{{ else }}{{ . }}{{ end }}",
    "{{ with .a }}x{{ else with .b }}{{ . }}{{ end }}", "{{ with .a }}{{ with . }}{{ . }}{{ end }}{{ end }}", "{{ with .a }}x{{ end }}{{ . }}", "{{ with . }}{{ .a }}{{ end }}",
    "{{ with $x := .a }}{{ $x }}{{ end }}", "{{ with .a }}{{ index . \"b\" }}{{ end }}", "{{ with .a }}{{ index $ \"b\" }}{{ end }}",
    "{{ range (fromJson .a) }}{{ .b }}{{ end }}", "{{ range $i, $x := fromJson .a }}{{ $i }}{{ $x.b }}{{ break }}{{ end }}", "{{ range $k, $v := . }}{{ $v }}{{ end }}",
    "{{ range . }}{{ . }}{{ end }}", "{{ range fromJson .a }}{{ continue }}{{ else }}{{ .b }}{{ end }}",
    "{{ define \"t\" }}{{ . }}{{ end }}{{ .a }}", "{{ template \"t\" .a }}", "{{ block \"t\" .a }}{{ . }}{{ end }}", "{{ printf \"%s}}\" .a }}", "{{ .a }} and {{ .b }}",
    "{\n  \"a\": {{ .a | toJson }},\n  \"b\": {{ .b | toJson }}\n}\n", "{{ (fromJson .a).x.y }}", "{{ (print .a).b }}", "{{ .a\n| quote }}", "{{ .a", "{{ if .a }}x",
]


def case(name, text, kind="Secret", obj="db", **more):
    CASES.append({"name": name, "text": text, "kind": kind, "object": obj, **more})


def cases():
    case("one key of a store", ES + STORE + PASSWORD)
    case("the same in the old version, with every default spelled out", ES.replace("/v1\n", "/v1beta1\n") + STORE + """  refreshInterval: 5m
  target: {name: db, creationPolicy: Owner, deletionPolicy: Retain}
  data:
  - secretKey: password
    remoteRef: {property: password, key: prod/db, version: "", conversionStrategy: Default, decodingStrategy: None, metadataPolicy: None, nullBytePolicy: Ignore}
""")
    case("no store is named", ES + PASSWORD)
    case("two keys, one twice, one of another store", ES + STORE + """  data:
  - {secretKey: user, remoteRef: {key: old}}
  - {secretKey: user, remoteRef: {key: prod/db, property: user, decodingStrategy: Base64}}
  - {secretKey: token, remoteRef: {key: token, version: "3"}, sourceRef: {storeRef: {name: local}}}
""")
    case("what a store finds", ES + STORE + "  dataFrom: [{find: {name: {regexp: db}}}]\n", answers={"ClusterSecretStore/vault find": {"version": "a1,b2"}})
    case("a version from the lock, a pinned one, and a value", ES + STORE + """  data:
  - {secretKey: password, remoteRef: {key: prod/db, property: password}}
  - {secretKey: pinned, remoteRef: {key: prod/db, property: password, version: "7"}}
  - {secretKey: old, remoteRef: {key: kv1}}
""", answers={"ClusterSecretStore/vault prod/db#password": {"version": "7"}, "ClusterSecretStore/vault kv1": {"value": "00ff"}})
    case("keys that cannot be told", ES + STORE + """  dataFrom:
  - extract: {key: prod/db, conversionStrategy: Default}
    rewrite: [{regexp: {source: "(.*)", target: "db_$1"}}, {merge: {strategy: JSON, into: all, priorityPolicy: Strict}}]
  - find: {path: prod, name: {regexp: ".*"}, tags: {team: a, empty: ""}}
  data: [{secretKey: password, remoteRef: {key: x}}]
""")
    case("a generator of the render", ES + """  dataFrom: [{sourceRef: {generatorRef: {apiVersion: generators.external-secrets.io/v1alpha1, kind: Password, name: gen}}}]
---
apiVersion: generators.external-secrets.io/v1alpha1
kind: Password
metadata: {name: gen}
spec: {length: 24, digits: 5, noUpper: false, controller: main}
""")
    case("a generator from elsewhere", ES + "  dataFrom: [{sourceRef: {generatorRef: {kind: Password, name: gen}}}]\n")
    case("a template", ES + STORE + PASSWORD + """  target:
    template:
      engineVersion: v2
      type: Opaque
      metadata: {labels: {a: b}}
      data:
        url: "postgres://app:{{ .password }}@db"
        user: app
        empty: ""
""")
    case("a template of metadata only", ES + STORE + PASSWORD + "  target: {template: {metadata: {labels: {a: b}}}}\n")
    case("a template that adds", ES + STORE + PASSWORD + "  dataFrom: [{extract: {key: all}}]\n  target: {template: {mergePolicy: Merge, data: {user: app, password: x}}}\n")
    case("templates from a ConfigMap, a Secret and nowhere", ES + STORE + PASSWORD + """  target:
    template:
      templateFrom:
      - configMap: {name: tpl, items: [{key: a.conf}, {key: b.conf, templateAs: Values}]}
      - secret: {name: made, items: [{key: token}]}
      - configMap: {name: absent, items: [{key: c.conf}]}
      - {target: Labels, literal: "x: y"}
      data: {b.conf: mine}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: tpl}
data: {a.conf: "pw={{ .password }}", b.conf: static}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: made}
spec: {secretStoreRef: {name: s}, data: [{secretKey: token, remoteRef: {key: t}}]}
""")
    case("templates whose keys cannot be told", ES + STORE + PASSWORD + """  target:
    template:
      mergePolicy: Merge
      templateFrom:
      - configMap: {name: tpl, items: [{key: all, templateAs: KeysAndValues}, {key: one}]}
      - {literal: "{{ .password }}: x", valuesDecodingStrategy: Base64}
      data: {user: app}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: tpl}
data: {all: "{{ .password }}: b", one: static}
""")
    two = "  data: [{secretKey: a, remoteRef: {key: prod/db, property: a}}, {secretKey: b, remoteRef: {key: b}}]\n"
    both = two + "  dataFrom: [{extract: {key: all}}]\n"
    case("keys that depend on one input each", ES + STORE + two + "  target: {template: {data: {a: \"{{ .a }}\", b: \"{{ .b | quote }}\", url: \"{{ .a }}:{{ .b }}\"}}}\n")
    case("a name that no entry of data has", ES + STORE + both + "  target: {template: {data: {a: \"{{ .a }}\", c: \"{{ .c }}\", both: \"{{ .a }}{{ .c }}\"}}}\n")
    case("a name with two entries", ES + STORE + two.replace("key: b}}]", "key: b}}, {secretKey: a, remoteRef: {key: later}}]") +
         "  target: {template: {data: {a: \"{{ .a }}\"}}}\n")
    case("an input alone is asked for", ES + STORE + both + "  target: {template: {data: {a: \"{{ .a }}\", all: \"{{ . | toJson }}\"}}}\n",
         answers={"ClusterSecretStore/vault prod/db#a": {"version": "4"}, "ClusterSecretStore/vault b": {"version": "5"},
                  "ClusterSecretStore/vault all": {"version": "6"}})
    case("a template from a ConfigMap names an input", ES + STORE + both + """  target: {template: {templateFrom: [{configMap: {name: tpl, items: [{key: a.conf}]}}]}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: tpl}
data: {a.conf: "pw={{ .b }}"}
""")
    for text in TEMPLATES:
        case("the inputs of " + text, ES + STORE + both + "  target: {template: {data: {key: %s}}}\n" % json.dumps(text))
    case("a template and a version", ES + STORE + PASSWORD + "  target: {template: {data: {url: \"{{ .password }}\", user: app}}}\n",
         answers={"ClusterSecretStore/vault prod/db#password": {"version": "12"}})
    case("a ConfigMap", ES + STORE + PASSWORD + "  target: {name: conf, manifest: {apiVersion: v1, kind: ConfigMap}}\n", kind="ConfigMap", obj="conf")
    case("two into one, with one key in both", ES + STORE + PASSWORD + "---\n" + ES.replace("name: db", "name: more") + STORE +
         "  target: {name: db}\n  data: [{secretKey: password, remoteRef: {key: other}}, {secretKey: user, remoteRef: {key: user}}]\n")
    case("merged into a Secret of the render", ES + STORE + PASSWORD + "  target: {creationPolicy: Merge}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: x, user: app}\n")
    case("for all namespaces", "apiVersion: external-secrets.io/v1\nkind: ClusterExternalSecret\nmetadata: {name: x}\nspec:\n  externalSecretName: db\n  externalSecretSpec: {secretStoreRef: {kind: ClusterSecretStore, name: vault}, data: [{secretKey: password, remoteRef: {key: prod/db, property: password}}]}\n")
    case("sealed", """apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata: {name: db, annotations: {sealedsecrets.bitnami.com/cluster-wide: "true"}}
spec:
  encryptedData: {password: AgBy3i4OJSWK, user: "not base64!"}
  template: {type: Opaque, data: {url: "x:{{ .password }}", user: hidden, fixed: "1"}}
""")
    case("sealed in the old form", "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: db}\nspec: {data: AgBy3i4OJSWK}\n")
    case("encrypted with SOPS", """apiVersion: v1
kind: Secret
metadata: {name: db}
stringData: {password: "ENC[AES256_GCM,data:p673w==,iv:YY=,tag:UQ==,type:str]", user: app}
data: {token: "ENC[AES256_GCM,data:CwE4,iv:aa=,tag:bb==,type:str]", plain: aGk=}
sops: {mac: "ENC[x]", lastmodified: "2026-01-01T00:00:00Z", version: 3.9.0}
""")
    case("a SopsSecret", "apiVersion: isindir.github.com/v1alpha3\nkind: SopsSecret\nmetadata: {name: x}\nspec: {secretTemplates: [{name: db, stringData: {password: \"ENC[AES256_GCM,data:p673w==,iv:YY=,tag:UQ==,type:str]\"}}]}\n")
    case("placeholders", """apiVersion: v1
kind: Secret
metadata: {name: db, annotations: {avp.kubernetes.io/path: secret/data/db, avp.kubernetes.io/kv-version: "2"}}
stringData: {password: <password>, url: "a<path:kv/data/x#y#3>b", plain: "1 < 2"}
data: {encoded: PHBhdGg6a3YvZGF0YS94I3k+, raw: <token | base64encode>}
""")
    held = """apiVersion: v1
kind: Secret
metadata: {name: db, annotations: {avp.kubernetes.io/path: secret/data/db, avp.kubernetes.io/secret-version: "4"}}
stringData: {password: <password>, url: "a<path:kv/data/x#y#3>b<path:kv/data/x#z | base64encode><path:kv/data/x#z>", plain: "1 < 2", lease: "<path:database/creds/app#user>", none: "<secret:x>"}
data: {encoded: PHBhdGg6a3YvZGF0YS94I3k+}
"""
    told = {"argocd-vault-plugin/default kv/data/x#z": {"version": "8"}, "argocd-vault-plugin/default kv/data/x#y": {"value": "00ff"}, "argocd-vault-plugin/default database/creds/app#user": {"version": "lease"}}
    case("placeholders that are asked for", held, answers=told, ask=["argocd-vault-plugin"])
    case("placeholders that are not asked for", held, answers=told)
    case("placeholders of other backends that are asked for", held.replace('"4"', "00000000-0000-4000-8000-000000000001").replace("#y#3", "#z#latest"), answers=told, ask=["argocd-vault-plugin"])
    case("a class of the CSI driver", """apiVersion: secrets-store.csi.x-k8s.io/v1
kind: SecretProviderClass
metadata: {name: app}
spec:
  provider: azure
  parameters:
    keyvaultName: kv
    empty: ""
    objects: |
      array:
        - |
          objectName: password
          objectType: secret
        - |
          objectName: other   # a comment
""", kind="SecretProviderClass", obj="app")
    case("a Secret of a class of the CSI driver", """apiVersion: secrets-store.csi.x-k8s.io/v1
kind: SecretProviderClass
metadata: {name: app}
spec:
  provider: vault
  parameters:
    roleName: app
    objects: |
      - {objectName: password, secretPath: secret/data/db, secretKey: password}
      - {objectName: user, secretPath: secret/data/db, secretKey: user}
  secretObjects:
  - secretName: db
    type: Opaque
    data: [{key: pw, objectName: password}, {key: all, objectName: unknown}]
""")
    csi = "apiVersion: secrets-store.csi.x-k8s.io/v1\nkind: SecretProviderClass\nmetadata: {name: app}\nspec:\n"
    vault = csi + """  provider: vault
  parameters:
    vaultAddress: https://vault.example.com
    objects: |
      - {objectName: password, secretPath: secret/data/db, secretKey: password}
      - {objectName: old, secretPath: "/v1/kv/old", secretKey: x}
      - {objectName: pinned, secretPath: "v1/secret/data/db?version=3"}
      - {objectName: lease, secretPath: database/creds/app}
      - {objectName: made, secretPath: pki/issue/app, method: PUT, secretArgs: {common_name: a}}
  secretObjects: [{secretName: db, type: Opaque, data: [{key: pw, objectName: password}, {key: old, objectName: old}, {key: lease, objectName: lease}]}]
"""
    told = {"SecretProviderClass/app secret/data/db#password": {"version": "7"}, "SecretProviderClass/app kv/old#x": {"value": "00ff"}, "SecretProviderClass/app database/creds/app": {"version": "lease"}}
    case("a class of Vault's provider that is asked for", vault, kind="SecretProviderClass", obj="app", answers=told, ask=["SecretProviderClass"])
    case("a Secret of a class of Vault's provider that is asked for", vault, answers=told, ask=["SecretProviderClass"])
    case("a class that is not asked for", vault, answers=told)
    case("a class of AWS's provider that is asked for", csi + """  provider: aws
  parameters:
    region: eu-central-1
    objects: |
      - {objectName: db, objectType: secretsmanager, jmesPath: [{path: a, objectAlias: b}]}
      - {objectName: "arn:aws:secretsmanager:eu-central-1:1:secret:other-a1b2c3", objectVersion: 00000000-0000-4000-8000-000000000001}
      - {objectName: /app/db, objectType: ssmparameter}
      - {objectName: none}
""", kind="SecretProviderClass", obj="app", ask=["SecretProviderClass"],
         answers={"SecretProviderClass/app secretsmanager/db": {"version": "v-1"}, "SecretProviderClass/app ssmparameter//app/db": {"version": "12"}})
    case("a class of Azure's provider that is asked for", csi + """  provider: azure
  parameters:
    keyvaultName: kv
    objects: |
      array:
        - |
          objectName: password
          objectType: secret
          objectVersion: latest
        - |
          objectName: sign
          objectType: key
          objectVersion: 0123456789abcdef0123456789abcdef
""", kind="SecretProviderClass", obj="app", answers={"SecretProviderClass/app secret/password": {"version": "aa"}}, ask=["SecretProviderClass"])
    case("a class of Google's provider that is asked for", csi + """  provider: gcp
  parameters:
    secrets: |
      - {resourceName: projects/p/secrets/db/versions/latest, path: a}
      - {resourceName: projects/p/locations/eu/secrets/db/versions/4, fileName: b}
      - {resourceName: projects/p/locations/eu/parameters/db/versions/4, fileName: c}
""", kind="SecretProviderClass", obj="app", answers={"SecretProviderClass/app projects/p/secrets/db": {"version": "9"}}, ask=["SecretProviderClass"])
    case("a VaultStaticSecret", """apiVersion: secrets.hashicorp.com/v1beta1
kind: VaultStaticSecret
metadata: {name: x}
spec:
  {vaultAuthRef: auth, mount: kv, path: db, type: kv-v2, version: 0, refreshAfter: 1h, hmacSecretData: true,
   destination: {name: db, create: true, transformation: {excludeRaw: false, templates: {url: {text: "{{ get .Secrets \\"x\\" }}"}}}}}
""")
    case("a VaultStaticSecret with a version", "apiVersion: secrets.hashicorp.com/v1beta1\nkind: VaultStaticSecret\nmetadata: {name: x}\nspec: {mount: kv, path: db, type: kv-v2, destination: {name: db}}\n",
         answers={"VaultAuth/default kv/db": {"version": "4"}})
    case("a VaultStaticSecret with transformations of others", """apiVersion: secrets.hashicorp.com/v1beta1
kind: VaultStaticSecret
metadata: {name: x}
spec: {mount: kv, path: db, type: kv-v2, destination: {name: db, transformation: {transformationRefs: [{name: texts, templateRefs: [{name: url}]}, {name: elsewhere}]}}}
---
apiVersion: secrets.hashicorp.com/v1beta1
kind: SecretTransformation
metadata: {name: texts}
spec: {templates: {url: {text: "x"}}, excludes: [a]}
""")
    case("a VaultDynamicSecret", "apiVersion: secrets.hashicorp.com/v1beta1\nkind: VaultDynamicSecret\nmetadata: {name: x}\nspec: {mount: db, path: creds/app, revoke: true, renewalPercent: 67, params: {ttl: \"\"}, destination: {name: db, create: true}}\n")
    case("a VaultPKISecret", "apiVersion: secrets.hashicorp.com/v1beta1\nkind: VaultPKISecret\nmetadata: {name: x}\nspec: {mount: pki, role: r, altNames: [b, a, b], expiryOffset: 1h, destination: {name: db}}\n")
    case("a Certificate", """apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: x}
spec:
  secretName: db
  dnsNames: [b.example.com, a.example.com]
  duration: 2160h
  renewBefore: 1h
  privateKey: {algorithm: RSA, size: 4096, rotationPolicy: Always}
  issuerRef: {name: ca, kind: ClusterIssuer, group: cert-manager.io}
  isCA: false
""")
    case("a OnePasswordItem", "apiVersion: onepassword.com/v1\nkind: OnePasswordItem\nmetadata: {name: db}\nspec: {itemPath: vaults/a/items/b}\n")
    case("an item that a Deployment names", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x, annotations: {operator.1password.io/item-path: vaults/a/items/b, operator.1password.io/item-name: db}}\nspec: {template: {}}\n")
    case("a KafkaUser", "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaUser\nmetadata: {name: db, labels: {strimzi.io/cluster: a}}\nspec: {authentication: {type: tls}, quotas: {}}\n")
    case("an HCPVaultSecretsApp", "apiVersion: secrets.hashicorp.com/v1beta1\nkind: HCPVaultSecretsApp\nmetadata: {name: x}\nspec: {appName: shop, hcpAuthRef: a, refreshAfter: 1h, destination: {name: db, create: true, type: Opaque, labels: {a: b}}}\n")
    case("a DopplerSecret", "apiVersion: secrets.doppler.com/v1alpha1\nkind: DopplerSecret\nmetadata: {name: x}\nspec: {tokenSecret: {name: t}, managedSecret: {name: db}, secrets: [B, A], host: https://api.doppler.com, processors: {A: {type: base64}, B: {}}}\n")
    case("a BitwardenSecret", "apiVersion: k8s.bitwarden.com/v1\nkind: BitwardenSecret\nmetadata: {name: x}\nspec: {organizationId: o, secretName: db, onlyMappedSecrets: true, map: [{bwSecretId: \"2\", secretKeyName: b}, {bwSecretId: \"1\", secretKeyName: a}], authToken: {secretName: t, secretKey: token}}\n")
    case("an InfisicalSecret", "apiVersion: secrets.infisical.com/v1alpha1\nkind: InfisicalSecret\nmetadata: {name: x}\nspec: {hostAPI: h, resyncInterval: 10, authentication: {universalAuth: {secretsScope: {projectSlug: p, envSlug: dev, secretsPath: /}}}, managedSecretReference: {secretName: db, secretNamespace: b, creationPolicy: Orphan, template: {includeAllSecrets: true}}}\n")
    case("the ConfigMap of an InfisicalSecret", "apiVersion: secrets.infisical.com/v1alpha1\nkind: InfisicalSecret\nmetadata: {name: x}\nspec: {hostAPI: h, managedKubeSecretReferences: [{secretName: s, secretNamespace: b, creationPolicy: Owner}], managedKubeConfigMapReferences: [{configMapName: db, configMapNamespace: b, creationPolicy: Owner, template: {data: {a: \"{{ .A.Value }}\"}}}]}\n", kind="ConfigMap")
    case("an InfisicalDynamicSecret", "apiVersion: secrets.infisical.com/v1alpha1\nkind: InfisicalDynamicSecret\nmetadata: {name: x}\nspec: {hostAPI: h, leaseTTL: 1h, leaseRevocationPolicy: Revoke, dynamicSecret: {secretName: pg, projectId: p, secretsPath: /, environmentSlug: dev}, managedSecretReference: {secretName: db, secretNamespace: b, creationPolicy: Orphan}}\n")
    case("a VaultSecret of Red Hat's operator", "apiVersion: redhatcop.redhat.io/v1alpha1\nkind: VaultSecret\nmetadata: {name: x}\nspec: {refreshPeriod: 3m0s, vaultSecretDefinitions: [{name: s, path: kv/a, authentication: {role: r}}], output: {name: db, type: Opaque, stringData: {password: \"{{ .s.password }}\"}}}\n")
    case("a BitwardenSecret of another operator", "apiVersion: lerentis.uploadfilter24.eu/v1beta8\nkind: BitwardenSecret\nmetadata: {name: x}\nspec: {id: \"1\", name: db, namespace: b, labels: {a: b}, content: [{element: {secretName: username, secretRef: user, secretScope: login}}, {element: {secretName: password, secretRef: pw, secretScope: login}}]}\n")
    case("a SopsSecret of Capsule's operator", "apiVersion: addons.projectcapsule.dev/v1alpha1\nkind: SopsSecret\nmetadata: {name: x}\nspec: {secrets: [{name: db, stringData: {password: \"ENC[AES256_GCM,data:p673w==,iv:YY=,tag:UQ==,type:str]\"}}, {name: other, stringData: {a: b}}]}\n")
    case("a KafkaAccess", "apiVersion: access.strimzi.io/v1alpha1\nkind: KafkaAccess\nmetadata: {name: x}\nspec: {kafka: {name: k, namespace: kafka}, secretName: db, template: {secret: {metadata: {labels: {a: b}}}}}\n")
    static = "apiVersion: secrets.infisical.com/v1beta1\nkind: InfisicalStaticSecret\nmetadata: {name: x}\nspec: {infisicalAuthRef: {name: a, namespace: b}, syncOptions: {refreshInterval: 1m}, sources: [{projectId: p, environmentSlug: dev, secretPath: /}], targets: [{name: db, namespace: b, kind: %s, creationPolicy: Owner, metadata: {labels: {a: b}}, template: {engineVersion: v1, data: {a: \"{{ .A.Value }}\"}}}]}\n"
    case("an InfisicalStaticSecret", static % "Secret")
    case("the ConfigMap of an InfisicalStaticSecret", static % "ConfigMap", kind="ConfigMap")
    vault = "apiVersion: spv.no/v2beta1\nkind: AzureKeyVaultSecret\nmetadata: {name: x}\nspec: {vault: {name: v, object: {name: o, type: secret, version: \"1\"}}, output: {%s: {name: db, dataKey: a}}}\n"
    case("an AzureKeyVaultSecret", vault % "secret")
    case("the ConfigMap of an AzureKeyVaultSecret", vault % "configMap", kind="ConfigMap")
    alone = "apiVersion: %s/v1\nkind: %s\nmetadata: {name: db}\nspec: {%s}\n"
    cluster = alone % ("postgresql.cnpg.io", "Cluster", "instances: 3, bootstrap: {initdb: {owner: app}}")
    case("what CloudNativePG makes", cluster, obj="db-app")
    case("what CloudNativePG makes yields", cluster + "---\n" + ES.replace("name: db", "name: db-app") + STORE + PASSWORD, obj="db-app")
    case("what Crunchy's operator makes", alone % ("postgres-operator.crunchydata.com", "PostgresCluster", "users: [{name: app}, {name: web}]"), obj="db-pguser-web")
    case("what Crunchy's operator makes without users", alone % ("postgres-operator.crunchydata.com", "PostgresCluster", "port: 1"), obj="db-pguser-db")
    case("what Zalando's operator makes", alone % ("acid.zalan.do", "postgresql", "users: {web_app: [login]}"), obj="web-app.db.credentials.postgresql.acid.zalan.do")
    case("what RabbitMQ's operator makes", alone % ("rabbitmq.com", "RabbitmqCluster", "replicas: 3"), obj="db-default-user")
    case("what Elastic's operator makes", alone % ("elasticsearch.k8s.elastic.co", "Elasticsearch", "version: 9.0.0"), obj="db-es-elastic-user")
    case("what Strimzi makes", alone % ("kafka.strimzi.io", "Kafka", "kafka: {}"), obj="db-cluster-ca-cert")
    case("what Mittwald's generator makes", alone % ("secretgenerator.mittwald.de", "StringSecret", "fields: [{fieldName: a}]"))
    case("the connection details of Crossplane", alone % ("sql.example.com", "Database", "writeConnectionSecretToRef: {name: made}"), obj="made")
    case("OpenShift's certificate for a Service", "apiVersion: v1\nkind: Service\nmetadata: {name: db, annotations: {service.beta.openshift.io/serving-cert-secret-name: db-tls}}\nspec: {}\n", obj="db-tls")
    case("cert-manager's certificate for an Ingress", "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: db, annotations: {cert-manager.io/issuer: ca}}\nspec: {tls: [{secretName: db-tls}]}\n", obj="db-tls")
    case("what is pushed to a cluster", "apiVersion: external-secrets.io/v1alpha1\nkind: PushSecret\nmetadata: {name: p}\nspec: {refreshInterval: 1h, deletionPolicy: Delete, updatePolicy: Replace, secretStoreRefs: [{name: c}], selector: {secret: {name: s}}, data: [{match: {secretKey: k, remoteRef: {remoteKey: db, property: k}}}]}\n---\napiVersion: external-secrets.io/v1\nkind: SecretStore\nmetadata: {name: c}\nspec: {provider: {kubernetes: {remoteNamespace: b}}}\n")
    in_git = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: db%s}\nstringData: {password: x, tls.key: \"\"}\n"
    vault = "apiVersion: secrets.hashicorp.com/v1beta1\nkind: VaultStaticSecret\nmetadata: {name: x}\nspec: {type: kv-v2, mount: kv, path: a, destination: {name: db%s}}\n"
    case("Vault's operator fills a Secret of the render", vault % "" + in_git % "")
    case("Vault's operator overwrites a Secret of the render", vault % ", create: true, overwrite: true" + in_git % "")
    case("Vault's operator finds a Secret of the render in its way", vault % ", create: true" + in_git % "")
    case("a Certificate fills a Secret of the render", "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: x}\nspec: {secretName: db, dnsNames: [a]}\n" + in_git % "")
    sealed = "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: db}\nspec: {encryptedData: {user: AgBy}}\n"
    for field in ("patch", "managed", "other"):
        case("sealed over a Secret of the render with the annotation " + field, sealed + in_git % (", annotations: {sealedsecrets.bitnami.com/%s: \"true\"}" % field))
    case("types", "apiVersion: onepassword.com/v1\nkind: OnePasswordItem\nmetadata: {name: db}\nspec: {a: \"1\", b: 1, c: 0x10, d: yes, e: \"yes\", f: [1, null, {}], g: {h: {i: null}}, j: 1.5, k: null, params: {l: \"\"}}\n")
    case("a copy", "apiVersion: v1\nkind: Secret\nmetadata: {name: db, annotations: {reflector.v1.k8s.emberstack.com/reflects: other/source}}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: source, namespace: other}\nstringData: {a: b}\n")


def shown(raw):
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(raw).decode()}


if __name__ == "__main__":
    cases()
    for c in CASES:
        w = World(c["text"], c.get("answers"), c.get("ask", ()))
        c["content"] = {k: shown(v if isinstance(v, bytes) else v.encode()) for k, v in sorted(w.content(c["kind"], c["object"]).items())}
    json.dump(CASES, sys.stdout, indent=1, ensure_ascii=True)
    print()
