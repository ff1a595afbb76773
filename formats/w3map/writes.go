package w3map

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
)

// longestWrite is as much of a script as a call of PreloadGenEnd with its file takes at most: Windows paths have 259
// characters.
const longestWrite = 512

// write is a call of the native that writes a file on each player's computer, for maps that keep heroes from game to game,
// with the file as a literal. Clients of 1.32 and later keep such files in one folder; before, any path was possible.
// Source: lep/jassdoc, common.j, PreloadGenEnd.
var write = regexp.MustCompile(`PreloadGenEnd\s*\(\s*"((?:[^"\\]|\\.)*)"`)

// programs are kinds of files that Windows or the game itself runs: the game loads .asi, .flt, .m3d and .mix as sound drivers.
var programs = []string{
	".asi", ".bat", ".cmd", ".com", ".dll", ".exe", ".flt", ".hta", ".inf", ".js", ".lnk", ".m3d", ".mix", ".msi", ".pif", ".ps1",
	".reg", ".scr", ".url", ".vbe", ".vbs", ".wsf", ".wsh",
}

// attack is the first file which a part of a script writes that no honest map writes: beyond the game's folder, or a program.
func attack(script []byte) string {
	if !bytes.Contains(script, []byte("PreloadGenEnd")) {
		return ""
	}
	for _, call := range write.FindAllSubmatch(script, -1) {
		file := strings.ReplaceAll(string(call[1]), `\\`, `\`)
		slashed := strings.ReplaceAll(file, `\`, "/")
		outside := strings.HasPrefix(slashed, "/") || strings.Contains(file, ":") || slices.Contains(strings.Split(slashed, "/"), "..")
		if outside || slices.Contains(programs, strings.ToLower(path.Ext(strings.TrimRight(slashed, ". ")))) {
			return file
		}
	}
	return ""
}
