package lint_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rollstamp/rollstamp/argocd/lint"
)

// annotated is an Application up to its spec.
const annotated = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n" +
	"  annotations: {argocd.argoproj.io/manifest-generate-paths: .}\nspec:\n"

func TestAnApplicationThatComparesNoStampsIsFound(t *testing.T) {
	const head = annotated + "  source: {plugin: {name: rollstamp}}\n"
	const ignore = head + "  ignoreDifferences:\n  - group: apps\n    kind: Deployment\n"
	const pods = "/spec/template/metadata/annotations"
	const respect = "  syncPolicy: {syncOptions: [RespectIgnoreDifferences=true]}\n"
	pointers := func(paths string) string { return ignore + "    jsonPointers: [" + paths + "]\n" }
	jq := func(paths string) string { return ignore + "    jqPathExpressions: [" + paths + "]\n" }
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"the annotations": {ignore + "    jsonPointers:\n    - /spec/replicas\n    - " +
			"/spec/template/metadata/annotations\n",
			[]string{"12 argocd-stamps-ignored jsonPointers /spec/template/metadata/annotations of Deployment covers " +
				"stamps: where only they change, the application stays Synced"}},
		"the annotations, and their values are kept": {pointers(pods) + respect,
			[]string{"10 argocd-stamps-ignored jsonPointers /spec/template/metadata/annotations of Deployment covers " +
				"stamps: with RespectIgnoreDifferences they reach no workload"}},
		"and only what differs is applied": {pointers("/spec/template") + "  syncPolicy: {syncOptions: " +
			"[ApplyOutOfSyncOnly=true]}\n",
			[]string{"10 argocd-stamps-ignored jsonPointers /spec/template of Deployment covers stamps: with " +
				"ApplyOutOfSyncOnly"}},
		"one stamp": {pointers(pods + "/checksum.rollstamp.dev~1configmap.web"),
			[]string{"10 argocd-stamps-ignored"}},
		"another annotation":       {pointers(pods + "/kubectl.kubernetes.io~1restartedAt"), nil},
		"a path of another object": {head + "  ignoreDifferences:\n  - {kind: Service, jsonPointers: [/spec]}\n", nil},
		"every kind": {head + "  ignoreDifferences:\n  - {group: '*', kind: '*', jsonPointers: " +
			"[/spec/template/metadata]}\n",
			[]string{"8 argocd-stamps-ignored"}},
		"another group": {head + "  ignoreDifferences:\n  - {group: example.org, kind: Deployment, " +
			"jsonPointers: [/spec/template]}\n", nil},
		"a group that no cluster has objects in": {head + "  ignoreDifferences:\n  - {group: extensions, kind: Deployment, " +
			"jsonPointers: [/spec/template]}\n", nil},
		"jq": {ignore + "    jqPathExpressions:\n    - .spec.template.metadata.annotations\n",
			[]string{"11 argocd-stamps-ignored jqPathExpressions .spec.template.metadata.annotations of Deployment"}},
		"jq at any depth": {ignore + "    jqPathExpressions:\n    - .. | .annotations?\n",
			[]string{"11 argocd-stamps-ignored jqPathExpressions .. | .annotations? of Deployment"}},
		"jq of every entry": {ignore + "    jqPathExpressions:\n    - .spec[]\n",
			[]string{"11 argocd-stamps-ignored jqPathExpressions .spec[] of Deployment"}},
		"jq with quotes": {ignore + "    jqPathExpressions:\n    - " +
			"'.spec.template.metadata[\"annotations\"].\"checksum.rollstamp.dev/configmap.web\"'\n",
			[]string{"11 argocd-stamps-ignored"}},
		"jq of all values":             {jq("'.spec.template.metadata.annotations[]?'"), []string{"10 argocd-stamps-ignored"}},
		"jq by a list":                 {jq("'getpath([\"spec\",\"template\",\"metadata\",\"annotations\"])'"), []string{"10 argocd-stamps-ignored"}},
		"jq by a list that is another": {jq("'getpath([\"spec\",\"replicas\"])', 'getpath(.a)'"), nil},
		"in a set's patch": {"apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nspec:\n  templatePatch: |\n    spec:\n      {{- if .ignored }}\n      ignoreDifferences:\n" +
			"      - group: apps\n        kind: Deployment\n        jsonPointers:\n        - /spec/template/metadata\n      {{- end }}\n" +
			"  template:\n    metadata: {annotations: {argocd.argoproj.io/manifest-generate-paths: .}}\n    spec: {source: {plugin: {name: rollstamp}}}\n",
			[]string{"11 argocd-stamps-ignored jsonPointers /spec/template/metadata of Deployment covers stamps"}},
		"what a set fills in": {"apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nspec:\n  template:\n" +
			"    metadata: {annotations: {argocd.argoproj.io/manifest-generate-paths: .}}\n    spec:\n" +
			"      source: {plugin: {name: rollstamp}}\n      syncPolicy: {syncOptions: ['{{.option}}']}\n" +
			"      ignoreDifferences:\n      - {group: apps, kind: Deployment, jsonPointers: ['{{.at}}'],\n" +
			"         jqPathExpressions: ['.{{.at}}']}\n",
			[]string{"8 argocd-not-looked-into syncOptions {{.option}} is filled in by a template: what it becomes is not",
				"10 argocd-not-looked-into jsonPointers {{.at}} is filled in", "11 argocd-not-looked-into jqPathExpressions"}},
		"options in a set's patch": {"apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nspec:\n  templatePatch: |\n" +
			"    spec:\n      syncPolicy:\n        syncOptions:\n        - Replace=true\n        - Force=true\n" +
			"  template:\n    metadata: {annotations: {argocd.argoproj.io/manifest-generate-paths: .}}\n" +
			"    spec: {source: {plugin: {name: rollstamp}}}\n",
			[]string{"8 argocd-sync-options Replace with Force deletes a workload"}},
		"jq that is not closed": {jq("'.spec.template[', '.spec[\"a]'"), []string{"10 argocd-wrong-value jqPathExpressions .spec.template[: unexpected EOF",
			"10 argocd-wrong-value jqPathExpressions .spec[\"a]"}},
		"a pointer without a slash": {pointers("spec/template"), []string{"10 argocd-wrong-value jsonPointers spec/template begins with no slash"}},
		"jq in parts": {jq("'.spec.replicas, (.x), .y', '.spec.replicas, .spec.template | .metadata'"),
			[]string{"10 argocd-stamps-ignored"}},
		"jq of some annotations": {jq("'.spec.template.metadata.annotations | to_entries[] | select(.key | test(\"x\"))'"),
			[]string{"10 argocd-stamps-ignored"}},
		"jq of another": {jq("'.spec.template.metadata.annotations.\"kubectl.kubernetes.io/restartedAt\"', " +
			"'.spec.template.spec.containers[] | select(.name == \"a\")'"), nil},
		"Argo CD's own fields": {ignore + "    managedFieldsManagers: [kube-controller-manager, argocd-controller]\n",
			[]string{"10 argocd-stamps-ignored managedFieldsManagers argocd-controller"}},
		"the client's fields, compared by the server": {"apiVersion: argoproj.io/v1alpha1\nkind: " +
			"Application\nmetadata:\n  annotations:\n    argocd.argoproj.io/manifest-generate-paths: .\n" +
			"    argocd.argoproj.io/compare-options: IgnoreExtraneous,ServerSideDiff=true\nspec: {source: {plugin: " +
			"{name: rollstamp}}}\n",
			[]string{"6 argocd-sync-options ServerSideDiff without ServerSideApply does not see that a stamp is gone"}},
		"replaced": {head + "  syncPolicy:\n    syncOptions:\n    - Replace=true\n",
			[]string{"9 argocd-sync-options with Replace each changed stamp also sets back"}},
		"deleted and created": {head + "  syncPolicy:\n    syncOptions:\n    - Force=true\n    - Replace=true\n",
			[]string{"10 argocd-sync-options Replace with Force deletes a workload"}},
	} {
		t.Run(name, func(t *testing.T) { expect(t, check(t, c.text), c.want...) })
	}
}

// Each of these is refused by argocd generate, too: the words are its own.
func TestWhatThePluginRefusesIsFoundBefore(t *testing.T) {
	const plugin = annotated + "  source:\n    path: apps/web\n    plugin:\n      name: rollstamp\n"
	const with, env = plugin + "      parameters:\n", plugin + "      env:\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a permission": {env + "      - name: ROLLSTAMP_ALLOW\n        value: network\n",
			[]string{"11 argocd-environment variable ROLLSTAMP_ALLOW: the Application sets it with plugin.env, where it " +
				"permits"}},
		"a misspelt variable": {env + "      - {name: ROLLSTAMP_VALUES_FILES, value: a.yaml}\n",
			[]string{"11 argocd-environment variable ROLLSTAMP_VALUES_FILES: there is no such option; did you mean " +
				"ROLLSTAMP_VALUE_FILES?"}},
		"a misspelt variable over lines": {env + "      - name: ROLLSTAMP_VALUES_FILES\n        value: a.yaml\n",
			[]string{"11 argocd-environment variable ROLLSTAMP_VALUES_FILES: there is no such option"}},
		"a variable of the wrong type over lines": {env + "      - name: ROLLSTAMP_RECURSE\n        value: 'yes'\n",
			[]string{"12 argocd-environment variable ROLLSTAMP_RECURSE: want true or false"}},
		"a variable of the wrong type": {env + "      - {name: ROLLSTAMP_RECURSE, value: 'yes'}\n",
			[]string{"11 argocd-environment variable ROLLSTAMP_RECURSE: want true or false"}},
		"a misspelt variable whose value is filled in": {env + "      - {name: ROLLSTAMP_VALUES_FILES, value: " +
			"$ARGOCD_APP_NAME.yaml}\n      - {name: ROLLSTAMP_ALLOW, value: '{{ .allow }}'}\n",
			[]string{"11 argocd-environment variable ROLLSTAMP_VALUES_FILES: there is no such option", "12 " +
				"argocd-environment variable ROLLSTAMP_ALLOW"}},
		"a variable that is filled in": {env + "      - {name: ROLLSTAMP_RECURSE, value: '{{ .recurse }}'}\n      - " +
			"{name: '{{ .name }}', value: a}\n", nil},
		"a variable of somebody else": {env + "      - {name: STAGE, value: prod}\n", nil},
		"a word for a truth": {with + "      - name: recurse\n        string: \"yes\"\n",
			[]string{"12 argocd-parameter parameter recurse: want true or false"}},
		"a text for a mapping": {with + "      - {name: valuesObject, string: 'a'}\n",
			[]string{"11 argocd-parameter parameter valuesObject: want a mapping, in YAML or JSON"}},
		"what a set fills in": {with + "      - {name: recurse, string: '{{ .recurse }}'}\n", nil},
		"options of two kinds": {with + "      - {name: skipCrds, string: 'true'}\n      - {name: namePrefix, string: " +
			"a-}\n",
			[]string{"12 argocd-parameter namePrefix is an option of a kustomization, and skipCrds is one of a Helm chart"}},
		"options of two kinds in two places": {with + "      - {name: parameters.tag, string: '1'}\n      env: " +
			"[{name: ROLLSTAMP_RECURSE, value: 'true'}]\n",
			[]string{"12 argocd-parameter ROLLSTAMP_RECURSE is an option of a folder of manifests, and parameters.tag is " +
				"one"}},
		"an option that two kinds have": {with + "      - {name: kubeVersion, string: '1.30'}\n      - {name: " +
			"namePrefix, string: a-}\n", nil},
		"a kustomization's option for a chart": {annotated +
			"  source: {chart: web, plugin: {name: rollstamp, parameters: [{name: images, array: [a:1]}]}}\n",
			[]string{"6 argocd-parameter images is an option of a kustomization, and the source is a chart"}},
		"values from outside": {with + "      - name: valueFiles\n        array:\n        - ../values.yaml\n        - " +
			"../../../values.yaml\n        - /ok.yaml\n",
			[]string{"14 argocd-parameter ../../../values.yaml leads out of the repository"}},
		"values by another way": {with + "      - {name: valueFiles, array: ['s3://bucket/values.yaml', " +
			"'https://example.org/v.yaml', $ARGOCD_APP_NAME.yaml]}\n",
			[]string{"11 argocd-parameter s3://bucket/values.yaml: the URL scheme 's3' is not allowed"}},
		"values of another source": {with + "      - {name: valueFiles, array: [$values/a.yaml]}\n",
			[]string{"11 argocd-ref-unreachable $values/a.yaml lies in another source"}},
	} {
		t.Run(name, func(t *testing.T) { expect(t, check(t, c.text), c.want...) })
	}
}

func TestWhatArgoCDDoesNotReadOfAnObjectIsFound(t *testing.T) {
	const head = annotated + "  source: {plugin: {name: rollstamp}}\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a text for rules": {head + "  ignoreDifferences: foo\n",
			[]string{"7 argocd-wrong-value spec.ignoreDifferences: want a list, found a text"}},
		"a text for a rule": {head + "  ignoreDifferences:\n  - foo\n",
			[]string{"8 argocd-wrong-value spec.ignoreDifferences[]: want a mapping, found a text"}},
		"a text for pointers": {head + "  ignoreDifferences:\n  - {kind: Service, jsonPointers: /spec}\n",
			[]string{"8 argocd-wrong-value spec.ignoreDifferences[].jsonPointers: want a list, found a text"}},
		"a misspelt key": {head + "  ignoreDifferences:\n  - {kind: Service, jsonPointer: [/spec]}\n",
			[]string{"8 argocd-unknown-key ignoreDifferences[].jsonPointer has no effect: there is no such key; did you mean jsonPointers?"}},
		"a list for the policy": {head + "  syncPolicy: [x]\n",
			[]string{"7 argocd-wrong-value spec.syncPolicy: want a mapping, found a list"}},
		"a text for options": {head + "  syncPolicy: {syncOptions: Replace=true}\n",
			[]string{"7 argocd-wrong-value spec.syncPolicy.syncOptions: want a list, found a text"}},
		"a text for true": {head + "  syncPolicy: {automated: {prune: \"true\"}}\n",
			[]string{"7 argocd-wrong-value spec.syncPolicy.automated.prune: want true or false"}},
		"a number for a text in a list": {head + "  ignoreDifferences:\n  - kind: Service\n    jqPathExpressions:\n    - .spec\n    - 3\n    -\n",
			[]string{"11 argocd-wrong-value spec.ignoreDifferences[].jqPathExpressions[]: want a text, found a number",
				"12 argocd-wrong-value spec.ignoreDifferences[].jqPathExpressions[]: want a text, found nothing"}},
		"a text for a number": {head + "  syncPolicy: {retry: {limit: '5'}}\n",
			[]string{"7 argocd-wrong-value spec.syncPolicy.retry.limit: want a number, found a text"}},
		"a parameter that is a number": {annotated + "  source:\n    plugin:\n      name: rollstamp\n      parameters:\n      - {name: releaseName, string: 3}\n" +
			"      - name: valueFiles\n        array:\n        - a.yaml\n        - 1.5\n      - name: parameters\n        map:\n          a: true\n",
			[]string{"10 argocd-wrong-value spec.source.plugin.parameters[].string: want a text, found a number",
				"14 argocd-wrong-value spec.source.plugin.parameters[].array[]: want a text",
				"17 argocd-wrong-value spec.source.plugin.parameters[].map.a: want a text, found a boolean"}},
		"an Application without a plugin": {strings.Replace(head, "plugin: {name: rollstamp}", "helm: {valueFiles: [a.yaml, 2]}", 1) + "  syncPolicy: {automatic: {}}\n",
			[]string{"6 argocd-wrong-value spec.source.helm.valueFiles[]: want a text, found a number"}},
		"true as YAML 1.1 has it": {head + "  syncPolicy: {automated: {prune: yes, selfHeal: no}, syncOptions: [on]}\n",
			[]string{"7 argocd-wrong-value spec.syncPolicy.syncOptions[]: want a text, found a boolean"}},
		"a set": {"apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {labels: {a: 1}}\nspec:\n  goTemplateOptions:\n  - missingkey=error\n  - 1\n" +
			"  generators:\n  - merge: {mergeKeys: [2], generators: []}\n  - clusters:\n      selector:\n        matchExpressions:\n        - {key: a, operator: In, values: [x, 10]}\n" +
			"  template:\n    spec:\n      ignoreDifferences:\n      - managedFieldsManagers: [3]\n",
			[]string{"3 argocd-wrong-value metadata.labels.a: want a text", "7 argocd-wrong-value spec.goTemplateOptions[]: want a text",
				"9 argocd-wrong-value spec.generators[].merge.mergeKeys[]: want a text",
				"13 argocd-wrong-value spec.generators[].clusters.selector.matchExpressions[].values[]: want a text",
				"17 argocd-wrong-value spec.template.spec.ignoreDifferences[].managedFieldsManagers[]: want a text"}},
		"a project": {"apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: p}\nspec:\n  sourceRepos: ['*', 1]\n  roles:\n  - name: a\n    policies:\n    - p\n    - {}\n" +
			"  syncWindows:\n  - {applications: [1.10], manualSync: 'true'}\n",
			[]string{"5 argocd-wrong-value spec.sourceRepos[]: want a text, found a number", "10 argocd-wrong-value spec.roles[].policies[]: want a text, found a mapping",
				"12 argocd-wrong-value spec.syncWindows[].applications[]: want a text", "12 argocd-wrong-value spec.syncWindows[].manualSync: want true or false, found a text"}},
		"all that is read": {head + "  ignoreDifferences:\n  - {group: '', kind: Service, name: a, namespace: b, jsonPointers: [/spec],\n" +
			"     jqPathExpressions: [.spec], managedFieldsManagers: [a]}\n" +
			"  syncPolicy:\n    automated: {prune: true, selfHeal: true, allowEmpty: false, enabled: true}\n" +
			"    syncOptions: [CreateNamespace=true]\n    managedNamespaceMetadata: {labels: {a: b}, annotations: {a: b}}\n" +
			"    retry: {limit: 5, refresh: true, backoff: {duration: 5s, factor: 2, maxDuration: 3m}}\n", nil},
	} {
		t.Run(name, func(t *testing.T) { expect(t, check(t, c.text), c.want...) })
	}
}

// pluginApplication is the beginning of an Application, up to what its plugin gets.
const pluginApplication = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: web\n" +
	"  annotations: {argocd.argoproj.io/manifest-generate-paths: .}\nspec:\n  source:\n    path: web\n" +
	"    plugin:\n      name: rollstamp\n"

// What is wrong with one parameter hides nothing about another one, also where the first message names that.
func TestAWrongParameterHidesNoMissingFile(t *testing.T) {
	const text = pluginApplication + "      parameters:\n      - {name: valueFile, string: a}\n" +
		"      - name: valueFiles\n        array:\n        - gone.yaml\n        - away.yaml\n"
	with := rules
	with.Looked = map[string]*lint.Looked{"Application web": {Sources: []lint.Seen{{Refused: errors.New(
		"parameter valueFile: there is no such option; did you mean valueFiles?\n" +
			"web/gone.yaml: read values: no such file, though valueFiles names it\n" +
			"web/away.yaml: read values: no such file, though valueFiles names it")}}}}
	expect(t, checkBy(t, with, text), `12 argocd-parameter there is no parameter "valueFile"`,
		"15 argocd-refused web/gone.yaml: read values: no such file", "16 argocd-refused web/away.yaml: read values")
}

func TestAMissingFileLeadsToTheVariableThatNamesIt(t *testing.T) {
	const text = pluginApplication + "      env:\n      - name: ROLLSTAMP_VALUE_FILES\n" +
		"        value: '[values.yaml, gone.yaml]'\n"
	with := rules
	with.Looked = map[string]*lint.Looked{"Application web": {Sources: []lint.Seen{{
		Refused: errors.New("web/gone.yaml: read values: no such file, though valueFiles names it")}}}}
	expect(t, checkBy(t, with, text), "13 argocd-refused web/gone.yaml: read values: no such file")
}
