package mapconf

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"w3host/formats/mpq"
	"w3host/formats/w3map"
	"w3host/protocol/w3gs"
)

// ErrNoScripts is returned if a folder contains neither the game's scripts nor its archives.
var ErrNoScripts = errors.New("the game's scripts are missing")

// archives lists the game's archives, highest priority first.
var archives = []string{"War3Patch.mpq", "War3xLocal.mpq", "War3x.mpq", "War3.mpq"}

// FindScripts looks for common.j and blizzard.j of a game version below dir and returns the folder where it
// found them. It searches the version's subfolder, such as scripts/1.26, then those of versions with the same
// scripts, newest first, then dir itself. In each folder it looks for the two files, also in a subfolder
// Scripts as in an unpacked game, then for the game's archives.
//
// It returns ErrNoScripts if nothing is found, and w3map.ErrLineEnds if the files' line ends were converted.
func FindScripts(dir string, version w3gs.Version) (scripts *w3map.Scripts, from string, err error) {
	folders := []string{filepath.Join(dir, version.String())}
	for _, v := range slices.Backward(w3gs.Versions()) {
		if v != version && v.ScriptGroup() == version.ScriptGroup() {
			folders = append(folders, filepath.Join(dir, v.String()))
		}
	}
	for _, folder := range append(folders, dir) {
		entries, err := list(folder)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		plain := entries
		if !plain.has("common.j") && plain.has("scripts") {
			if plain, err = list(plain["scripts"]); err != nil {
				plain = entries
			}
		}
		scripts, from, err := scriptFiles(folder, plain)
		if errors.Is(err, ErrNoScripts) {
			scripts, err = scriptArchives(entries)
			from = folder
		}
		if !errors.Is(err, ErrNoScripts) {
			return scripts, from, err
		}
	}
	return nil, "", fmt.Errorf("%s: %w: neither common.j and blizzard.j nor War3Patch.mpq, War3x.mpq and War3.mpq of %v",
		dir, ErrNoScripts, version)
}

// folder maps the lower-case names of a folder's entries to their paths.
type folder map[string]string

func list(dir string) (folder, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	f := folder{}
	for _, e := range entries {
		f[strings.ToLower(e.Name())] = filepath.Join(dir, e.Name())
	}
	return f, nil
}

func (f folder) has(name string) bool { return f[name] != "" }

func scriptFiles(dir string, f folder) (*w3map.Scripts, string, error) {
	switch {
	case !f.has("common.j") && !f.has("blizzard.j"):
		return nil, "", ErrNoScripts
	case !f.has("common.j"):
		return nil, "", fmt.Errorf("%s has blizzard.j but no common.j: both are needed", dir)
	case !f.has("blizzard.j"):
		return nil, "", fmt.Errorf("%s has common.j but no blizzard.j: both are needed", dir)
	}
	common, err := readText(f["common.j"], maxScript)
	if err != nil {
		return nil, "", err
	}
	blizzard, err := readText(f["blizzard.j"], maxScript)
	if err != nil {
		return nil, "", err
	}
	from := filepath.Dir(f["common.j"])
	scripts, err := w3map.NewScripts(common, blizzard)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", from, err)
	}
	return scripts, from, nil
}

// scriptArchives reads each script from the highest-priority archive that has it; patches place theirs in
// War3Patch.mpq.
func scriptArchives(f folder) (*w3map.Scripts, error) {
	var found [2][]byte
	for _, name := range archives {
		path := f[strings.ToLower(name)]
		if path == "" {
			continue
		}
		for i, script := range []string{`Scripts\common.j`, `Scripts\Blizzard.j`} {
			if found[i] != nil {
				continue
			}
			data, err := fromArchive(path, script)
			if err != nil && !errors.Is(err, mpq.ErrNotFound) {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			found[i] = data
		}
	}
	if found[0] == nil || found[1] == nil {
		return nil, ErrNoScripts
	}
	return w3map.NewScripts(found[0], found[1])
}

func fromArchive(path, name string) ([]byte, error) {
	f, stat, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a, err := mpq.Open(f, stat.Size())
	if err != nil {
		return nil, err
	}
	return a.ReadFile(name)
}
