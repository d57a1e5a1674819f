package redact

import "strings"

// tokens are forms that show a secret by themselves: tokens with a prefix of their issuer, addresses that have one in
// their path, and statements and commands that set a password.
var tokens = []form{
	{[]string{"gh", "github_pat_"}, pattern(`\b(gh[pousr]_|github_pat_)([A-Za-z0-9_]{30,})`)},
	{[]string{"glpat-", "npm_", "hvs.", "dckr_pat_", "ATATT3", "pypi-AgE", "sk-", "shp", "_live_", "whsec_", "lin_api_",
		"ops_eyJ", "sntrys_", "glsa_", "glc_", "NRAK-", "xapp-", "pat-na1-", "pat-eu1-", "dop_v1_", "eyJhIjoi"},
		pattern(`\b(glpat-|npm_|hvs\.|dckr_pat_|ATATT3|pypi-AgE|sk-(?:ant|proj|svcacct|or)-|shp(?:at|ca|pa|ss)_|[sr]k_live_|` +
			`whsec_|lin_api_|ops_eyJ|sntrys_|glsa_|glc_|NRAK-|xapp-|pat-(?:na|eu)1-|dop_v1_|eyJhIjoi)([A-Za-z0-9_+/=-]{20,})`)},
	{[]string{"eyJ"}, pattern(`\b(eyJ)([A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})`)},
	{[]string{`"md5`, `"SCRAM-SHA-256$`}, pattern(`(?m)^[ \t]*"([^"\s]+)"[ \t]+"((?:md5|SCRAM-SHA-256\$)[^"\s]+)"`)},
	{[]string{"SG."}, pattern(`\b(SG\.)([A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})`)},
	{[]string{"hf_"}, pattern(`\b(hf_)([A-Za-z0-9]{30,})`)},
	{[]string{"dt0"}, pattern(`\b(dt0[a-z][0-9]{2}\.)([A-Za-z0-9]{24}\.[A-Za-z0-9]{64})`)},
	{[]string{"AIza"}, pattern(`\b(AIza)([A-Za-z0-9_-]{35})`)},
	{[]string{"tskey-"}, pattern(`\b(tskey-)([a-z]+-[A-Za-z0-9-]{16,})`)},
	{[]string{"$apr1$", "$2", "$5$", "$6$"}, pattern(`(\$apr1\$|\$2[abxy]\$|\$[56]\$)([A-Za-z0-9./$=]{20,})`)},
	{[]string{"{SHA}", "{SSHA}"}, pattern(`(\{S?SHA\})([A-Za-z0-9+/]{20,}=*)`)},
	{[]string{"webhook.office.com/"}, pattern(`(webhook\.office\.com/webhookb2)/[^/\s]+/` +
		`IncomingWebhook/([A-Za-z0-9/-]{20,})`)},
	{[]string{"insecure-password"}, pattern(`\b(insecure-password)[ \t]+([^\s"'\\]+)`)},
	{[]string{"PSK"}, pattern(`:[ \t]*(PSK)[ \t]+\\?["']([^"'\\\n]+)`)},
	{[]string{"=>"}, pattern(`(?i)(passw(?:or)?d)\\?["']?[ \t]*=>[ \t]*\\?["']([^'"\\\n]+)`)},
	{[]string{"']", `"]`}, pattern(`(?i)\[\\?["']([a-z_]*pass(?:w(?:or)?d)?)\\?["']\][ \t]*=[ \t]*\\?["']([^'"\\\n]+)`)},
	{[]string{"--password-stdin", "--stdin"}, pattern(`\b(echo)[ \t]+(?:-n[ \t]+)?\\?["']?([^\s"'|$\\]+)\\?["']?[ \t]*\|` +
		`[^\n|;]*(?:--password-stdin|\bpasswd[ \t]+--stdin)`)},
	{[]string{"xox"}, pattern(`\b(xox[abeprs]-)([A-Za-z0-9-]{20,})`)},
	{[]string{"AGE-SECRET-KEY-"}, pattern(`(AGE-SECRET-KEY-(?:PQ-)?1)([A-Za-z0-9]{30,})`)},
	{[]string{"/webhooks/"}, pattern(`(discord(?:app)?)\.com/api/(?:v[0-9]+/)?webhooks/[0-9]+/([A-Za-z0-9_-]{10,})`)},
	{[]string{"api.telegram.org/bot"}, pattern(`api\.telegram\.org/bot([0-9]+):([A-Za-z0-9_-]{10,})`)},
	{[]string{"PASSWORD", "password"}, pattern(`(?i)\b(?:create|alter)\s+(user|role|login)\b[^;]*?\bpassword\s+` +
		`\\?['"]([^'"\\\n]+)`)},
	{[]string{"IDENTIFIED", "identified"}, pattern(`(?i)\b(identified)(?:\s+with\s+\S+)?\s+(?:by|as)(?:\s+password)?\s+` +
		`\\?['"]([^'"\\\n]+)`)},
	{[]string{"bindpw", "rootpw", "auth_pass"}, pattern(`(?m)^[ \t]*(bindpw|rootpw|auth_pass)[ \t]+` +
		`["']?([^\s"'=:][^\s"']*)`)},
	{[]string{"user", "USER"}, pattern(`(?:^|[\s"'])(?i:user|setuser)[ \t]+(\S+)[ \t]+` +
		`(?:on|off|reset|resetpass|nopass|[~&+%]\S+)[ \t]+(?:[^\s>]+[ \t]+)*["']?>([^\s"'<>&/\\][^\s"'\\]*)`)},
	{[]string{"chpasswd"}, pattern(`["' \t]([^\s"':|]+):([^\s"'|]+)(?:\\n)?["']?[ \t]*\|[^\n|;]*\bchpasswd`)},
	{[]string{"chpasswd"}, pattern(`\b(chpasswd)[^\n|;]*<<<[ \t]*["']?[^\s:"']+:([^\s"']+)`)},
	{[]string{"stats auth"}, pattern(`\b(stats auth)[ \t]+[^\s:]+:(\S+)`)},
	{[]string{"rpcauth="}, pattern(`(?m)^[ \t]*(rpcauth)=([^\s:]+:\S+)`)},
	{[]string{"rabbitmqctl"}, pattern(before + `(rabbitmqctl)` + options +
		`(?:add_user|change_password|authenticate_user)[ \t]+\S+[ \t]+` + word)},
}

// hideTokens hides what is secret by these forms.
func hideTokens(text string, hide func(any) string) string {
	for i := range tokens {
		if tokens[i].mayBeIn(text) {
			text = hideMatches(tokens[i].secret(), text, hide, func(name, value string) bool {
				return isLiteral(name, value) && !isPlaceholder().MatchString(value)
			})
		}
	}
	if strings.Contains(text, "configure") {
		text = hideMatches(settingOfAWS(), text, hide, isNamed)
	}
	if strings.Contains(text, "define") {
		text = hideMatches(constantOfPHP(), text, hide, func(name, value string) bool {
			isSalt := strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_SALT")
			return isNamed(name, value) || isSalt && looksLikeKey(value)
		})
	}
	return text
}

var (
	isPlaceholder = pattern(`^(?:\{[A-Za-z0-9_]*\}|%[sv])$`) // of a program that formats the statement
	settingOfAWS  = pattern(before + `aws[ \t]+configure` + options + `set[ \t]+` + named + `[ \t]+` + word)
	constantOfPHP = pattern(`\bdefine\(\s*\\?["']` + named + `\\?["']\s*,\s*\\?["']([^"'\\\n]+)`)
)
