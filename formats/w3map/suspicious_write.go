package w3map

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
)

// longestWrite is the maximum length in bytes of a PreloadGenEnd call with its file name; Windows paths have
// at most 259 characters.
const longestWrite = 512

// preloadWrite matches a call of PreloadGenEnd with a literal file name. This native function writes a file
// on each player's computer; maps use it to keep heroes between games. Clients from 1.32 on confine such
// files to one folder; earlier ones accept any path. Source: lep/jassdoc, common.j, PreloadGenEnd.
var preloadWrite = regexp.MustCompile(`PreloadGenEnd\s*\(\s*"((?:[^"\\]|\\.)*)"`)

// executableExtensions lists extensions of files that Windows or the game executes. The game loads .asi,
// .flt, .m3d and .mix as sound drivers.
var executableExtensions = []string{
	".asi", ".bat", ".cmd", ".com", ".dll", ".exe", ".flt", ".hta", ".inf", ".js", ".lnk", ".m3d", ".mix", ".msi", ".pif", ".ps1",
	".reg", ".scr", ".url", ".vbe", ".vbs", ".wsf", ".wsh",
}

// suspiciousWrite returns the first file name written by the script part that no honest map writes: a path
// outside the game's folder or an executable file. It returns "" if there is none.
func suspiciousWrite(script []byte) string {
	if !bytes.Contains(script, []byte("PreloadGenEnd")) {
		return ""
	}
	for _, call := range preloadWrite.FindAllSubmatch(script, -1) {
		file := strings.ReplaceAll(string(call[1]), `\\`, `\`)
		slashed := strings.ReplaceAll(file, `\`, "/")
		outside := strings.HasPrefix(slashed, "/") || strings.Contains(file, ":") || slices.Contains(strings.Split(slashed, "/"), "..")
		if outside || slices.Contains(executableExtensions, strings.ToLower(path.Ext(strings.TrimRight(slashed, ". ")))) {
			return file
		}
	}
	return ""
}
