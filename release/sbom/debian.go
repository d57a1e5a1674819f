package sbom

import (
	"io"
	"net/url"

	"github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	spdx "github.com/spdx/tools-golang/spdx/v2/v2_3"

	"github.com/rollstamp/rollstamp/release/source"
)

// Debian is a package of Debian's in an image, of which one program is taken.
type Debian struct {
	Name, Version, Arch string
	License             string // as SPDX names it
	SHA256              string // of the program
	Source              DebianSource
	Linked              []DebianSource // what is linked into the program
}

// DebianSource is a source package of Debian's.
type DebianSource struct {
	Name, Version string
	License       string // as SPDX names it; empty: that of the package made of it
}

// Address is where Debian keeps the source for good.
func (s DebianSource) Address() string {
	return "https://snapshot.debian.org/package/" + s.Name + "/" + url.QueryEscape(s.Version) + "/"
}

// WriteDebian writes the document about a package of Debian's in an image.
func WriteDebian(w io.Writer, tree source.Tree, p Debian) error {
	d := newDocument(tree, p.Name+" "+p.Version+" in the image of rollstamp "+tree.Version,
		p.Name+"-"+p.Arch+"-"+p.SHA256[:16])
	program := debianPackage("package-"+p.Name, p.Name, p.Version, p.License, p.Source)
	program.PrimaryPackagePurpose = "APPLICATION"
	program.PackageChecksums = []common.Checksum{{Algorithm: common.SHA256, Value: p.SHA256}}
	program.PackageExternalReferences = debianReference(p.Name, p.Version, p.Arch)
	d.Packages = append(d.Packages, program)
	d.Relationships = append(d.Relationships, relation("DOCUMENT", "DESCRIBES", program.PackageSPDXIdentifier))
	for _, s := range p.Linked {
		part := debianPackage("source-"+s.Name, s.Name, s.Version, s.License, s)
		part.PrimaryPackagePurpose = "LIBRARY"
		part.PackageExternalReferences = debianReference(s.Name, s.Version, "source")
		d.Packages = append(d.Packages, part)
		d.Relationships = append(d.Relationships,
			relation(program.PackageSPDXIdentifier, "STATIC_LINK", part.PackageSPDXIdentifier))
	}
	return json.Write(d, w, json.Indent("  "))
}

func debianPackage(id, name, version, license string, from DebianSource) *spdx.Package {
	return &spdx.Package{
		PackageName:             name,
		PackageSPDXIdentifier:   common.ElementID(id),
		PackageVersion:          version,
		PackageSupplier:         &common.Supplier{SupplierType: "Organization", Supplier: "Debian"},
		PackageDownloadLocation: from.Address(),
		PackageSourceInfo:       "source package " + from.Name + " " + from.Version,
		PackageLicenseConcluded: license, PackageLicenseDeclared: license, PackageCopyrightText: noAssertion,
	}
}

// debianReference is the package URL, by which scanners look packages up.
func debianReference(name, version, arch string) []*spdx.PackageExternalReference {
	return []*spdx.PackageExternalReference{{
		Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL,
		Locator: "pkg:deb/debian/" + name + "@" + url.QueryEscape(version) + "?arch=" + arch,
	}}
}
