// Package sbom lists what programs consist of, as SPDX 2.3, from what Go recorded when it linked them.
package sbom

import (
	"crypto/sha256"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	spdx "github.com/spdx/tools-golang/spdx/v2/v2_3"

	"github.com/rollstamp/rollstamp/release/dist"
	"github.com/rollstamp/rollstamp/release/programs"
	"github.com/rollstamp/rollstamp/release/source"
)

// noAssertion is what SPDX calls a question that is left open. The licenses are in NOTICES, word for word.
const noAssertion = "NOASSERTION"

// Write writes the document about the programs of one platform.
func Write(w io.Writer, tree source.Tree, built []programs.Program) error {
	return json.Write(document(tree, built), w, json.Indent("  "))
}

func document(tree source.Tree, built []programs.Program) *spdx.Document {
	platform := built[0].Platform
	sum := sha256.New()
	for _, p := range built {
		fmt.Fprintln(sum, p.SHA256)
	}
	d := newDocument(tree, fmt.Sprintf("rollstamp %s for %s", tree.Version, platform),
		fmt.Sprintf("%s-%s-%x", platform.OS, platform.Arch, sum.Sum(nil)[:16]))
	listed := map[common.ElementID]bool{}
	for _, p := range built {
		program := programPackage(tree, p)
		d.Packages = append(d.Packages, program)
		d.Relationships = append(d.Relationships, relation("DOCUMENT", "DESCRIBES", program.PackageSPDXIdentifier))
		deps := append([]*debug.Module{{Path: "stdlib", Version: strings.TrimPrefix(p.Info.GoVersion, "go")}}, p.Linked()...)
		for _, m := range deps {
			part := modulePackage(m)
			if !listed[part.PackageSPDXIdentifier] {
				listed[part.PackageSPDXIdentifier] = true
				d.Packages = append(d.Packages, part)
			}
			d.Relationships = append(d.Relationships,
				relation(program.PackageSPDXIdentifier, "DEPENDS_ON", part.PackageSPDXIdentifier))
		}
	}
	return d
}

// newDocument returns a document without packages. Its namespace ends in id, which no other document of the release
// has.
func newDocument(tree source.Tree, name, id string) *spdx.Document {
	return &spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT",
		DocumentName:      name,
		DocumentNamespace: fmt.Sprintf("%s/spdx/%s/%s", dist.Repository, tree.Version, id),
		CreationInfo: &spdx.CreationInfo{
			Created:  tree.Date.Format(time.RFC3339),
			Creators: []common.Creator{{CreatorType: "Tool", Creator: "rollstamp-release"}},
		},
	}
}

func relation(from common.ElementID, how string, to common.ElementID) *spdx.Relationship {
	return &spdx.Relationship{
		RefA:         common.DocElementID{ElementRefID: from},
		RefB:         common.DocElementID{ElementRefID: to},
		Relationship: how,
	}
}

func programPackage(tree source.Tree, p programs.Program) *spdx.Package {
	return &spdx.Package{
		PackageName:             p.File(),
		PackageSPDXIdentifier:   common.ElementID("program-" + p.Name),
		PackageVersion:          tree.Name(),
		PackageSupplier:         &common.Supplier{SupplierType: "Organization", Supplier: "The rollstamp authors"},
		PackageDownloadLocation: downloadLocation(tree),
		PrimaryPackagePurpose:   "APPLICATION",
		PackageChecksums:        []common.Checksum{{Algorithm: common.SHA256, Value: p.SHA256}},
		PackageLicenseConcluded: "Apache-2.0", PackageLicenseDeclared: "Apache-2.0", PackageCopyrightText: noAssertion,
		PackageExternalReferences: reference("github.com/rollstamp/rollstamp", tree.Name(), "#cmd/"+p.Name),
	}
}

func downloadLocation(tree source.Tree) string {
	if tree.Revision == "" {
		return noAssertion
	}
	return "git+" + dist.Repository + "@" + tree.Revision
}

func modulePackage(m *debug.Module) *spdx.Package {
	if m.Replace != nil {
		m = m.Replace
	}
	part := &spdx.Package{
		PackageName:             m.Path,
		PackageSPDXIdentifier:   identifier(m),
		PackageVersion:          m.Version,
		PackageDownloadLocation: noAssertion,
		PrimaryPackagePurpose:   "LIBRARY",
		PackageLicenseConcluded: noAssertion, PackageLicenseDeclared: noAssertion, PackageCopyrightText: noAssertion,
		PackageExternalReferences: reference(m.Path, m.Version, ""),
	}
	if m.Sum != "" {
		part.PackageSourceInfo = "go.sum has " + m.Sum
	}
	return part
}

// identifier names a module by the letters that SPDX allows.
func identifier(m *debug.Module) common.ElementID {
	return common.ElementID("module-" + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-':
			return r
		}
		return '-'
	}, m.Path+"-"+m.Version))
}

// reference is the package URL, by which scanners look modules up.
func reference(path, version, below string) []*spdx.PackageExternalReference {
	return []*spdx.PackageExternalReference{{
		Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL,
		Locator: "pkg:golang/" + strings.ToLower(path) + "@" + strings.ReplaceAll(version, "+", "%2B") + below,
	}}
}
