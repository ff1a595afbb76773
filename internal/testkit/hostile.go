package testkit

import (
	"fmt"
	"strings"
)

// Hostile returns malicious texts that somebody may send as a name, chat line, map text or file name: markup
// with elements called evil and attributes called data-evil, invisible and bidirectional characters, terminal
// control sequences, colour codes, paths, and very long texts.
func Hostile() []string {
	list := []string{
		"<evil data-evil=1>", `"><evil>`, "'><evil>", "</script><evil>", "</title><evil>", "</textarea><evil>", "</style><evil>", "</template><evil>",
		"<!--", "--><evil>", "<![CDATA[<evil>]]>", "]]>", "<?evil?>", "<evil", "<evil/", "<<evil>>", "< evil>", "<evil\n>", "<EVIL>", "<evil\x00>",
		"{{.Base}}", "{{template \"main\"}}", "${evil}", "{%evil%}", "<%evil%>", "#{evil}", "`evil`", "$(evil)", ";evil;", "|evil|", "&evil;", "&#60;evil&#62;", "&lt;evil&gt;", "&amp;lt;evil&amp;gt;",
		`" onmouseover="evil()" data-evil="`, `' onfocus='evil()' autofocus data-evil='`, "` onclick=`evil()` data-evil=`", ` onload=evil() data-evil=`, "/onerror=evil()//data-evil=1",
		"<svg/onload=evil()>", "<svg><evil>", "<img src=x onerror=evil()>", "<body onload=evil()>", "<iframe src=//evil.example>", "<a href=javascript:evil()>evil</a>",
		"<script>evil()</script>", "<script src=//evil.example></script>", "<ScRiPt>evil()</sCrIpT>", "<scr<script>ipt>", "<style>*{display:none}</style>", "<link rel=stylesheet href=//evil.example>",
		"<base href=//evil.example/>", "<meta http-equiv=refresh content=0>", "<form action=//evil.example><evil>", "<input autofocus onfocus=evil()>", "<button formaction=//evil.example>", "<math><evil>",
		"<details open ontoggle=evil()>", "<video><source onerror=evil()>", "<object data=//evil.example>", "<embed src=//evil.example>", "<template><evil></template>", "<noscript><evil>", "<table><evil>", "<select><evil>",
		"javascript:evil()", "JaVaScRiPt:evil()", "java\tscript:evil()", "\x01javascript:evil()", "data:text/html,<evil>", "vbscript:evil()", "//evil.example/", `\\evil.example\`, "http://evil.example/", "?evil=1#evil", "#evil",
		"/games/1/commands", "../../etc/passwd", `..\..\windows`, "%2e%2e/%2f", "%00", "%0d%0aSet-Cookie: evil=1", "%3Cevil%3E", "%252e", "CON", "nul.w3x", "a/b", `a\b`, "~", ".", "..", "-", "--help", "file:///etc/passwd",
		"\r\nSet-Cookie: evil=1", "\nevent: evil", "\ndata: <evil>\n\n", "\n\n", "\r", "a\tb", "\v\f",
		"%s%d%v", "%!s(evil)", "%n%n%n", "%[1]*d", "'; DROP TABLE games; --", `" OR ""="`, "'||evil||'", "\\", "\\\"", "\\u003cevil\\u003e", `"`, "'", "- - \"", "null", "undefined", "NaN", "true", "-1", "1e999",
		"__proto__", "constructor", "toString", "[object Object]", "=evil()", "+evil()", "@evil()", "*evil*_evil_~~evil~~", "[evil](http://evil.example)", "@everyone", "<@1>",
		"|cffff0000red|r", "|c", "|cff", "|CFFFFFFFFwhite", "|n|n|n", "||", "|r|r|r", "|c00000000gone|r", "|cff000000|cffffffff|n",
		"\x1b[2J", "\x1b[31mred\x1b[0m", "\x1b]0;owned\a", "\x1b]52;c;ZXZpbA==\a", "\x1b]8;;http://evil.example\a", "\x1b[6n", "\x1bc", "\x1b[?1049h", "\x1b[200~", "\x1bP+q\x1b\\", "\u009b2J", "\u009d0;owned\u009c", "\x0e\x0f", "\a\a\a", "\b\b\b",
		"\u202egnp.exe", "a\u2066b\u2069", "\u202a\u202b\u202c\u202d", "\u2067\u2068", "\u061c", "\u200e\u200f", "\u200b\u200c\u200d", "\ufeff", "\u00ad", "\u2060\u2061\u2062", "\ufff9\ufffa\ufffb", "\u2028\u2029", "\u0085", "\u180e", "\U000e0001\U000e0041", "\u3164", "\u115f",
		"שלום", "مرحبا", "abc שלום 123", "😈", "👨‍👩‍👧‍👦", "🇩🇪", "e\u0301", strings.Repeat("\u0301", 300), "Z" + strings.Repeat("\u0335\u0489", 100), "ﷺ", "𒐫", "㍿", "中文", strings.Repeat("中", 300),
		"\xff\xfe\xfd", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x80", "\ufffd", "\uffff", "\xb2\xe2\xca\xd4", // the last one is GBK
		"", " ", "   ", "\u00a0", strings.Repeat("W", 1000), strings.Repeat("i", 5000), strings.Repeat("a ", 500), strings.Repeat("<evil>", 200), strings.Repeat("\"", 500), strings.Repeat("&", 500), strings.Repeat("\u202e", 100),
	}
	for c := range rune(0x20) {
		list = append(list, fmt.Sprintf("a%cb", c))
	}
	return list
}
