package w3map

import (
	"crypto/sha1"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"w3host/formats/mpq"
	"w3host/protocol/w3gs"
)

const readStep = 256 << 10

// lightsFile holds the light sources of a map. Versions that know it hash it after hashedFiles.
const lightsFile = "war3map.w3l"

// hashedFiles lists the map files that affect the simulation, in the order in which they are hashed after the
// script.
var hashedFiles = []string{
	"war3map.w3e", "war3map.wpm", "war3map.doo", "war3map.w3u",
	"war3map.w3b", "war3map.w3d", "war3map.w3a", "war3map.w3q",
}

var (
	jassScripts = []string{"war3map.j", `scripts\war3map.j`}
	luaScripts  = []string{"war3map.lua", `scripts\war3map.lua`}
	ownScripts  = []string{`scripts\common.j`, `scripts\blizzard.j`} // copies in the map, which replace the game's own scripts
)

// hashFile computes the CRC-32 and, for versions that use it, the SHA-1 of the whole file in one pass.
func (m *Map) hashFile(r io.ReaderAt, size int64, progress func(int)) error {
	crc, sha := crc32.NewIEEE(), sha1.New()
	to := []io.Writer{crc, progressWriter(progress)}
	whole := m.Version.WholeFileSHA1()
	if whole {
		to = append(to, sha)
	}
	n, err := io.CopyBuffer(io.MultiWriter(to...), io.NewSectionReader(r, 0, size), make([]byte, min(size, readStep)))
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	m.Size, m.CRC32 = uint32(size), crc.Sum32()
	if whole {
		sha.Sum(m.SHA1[:0])
		m.HasSHA1 = true
	}
	return nil
}

// progressWriter is called with the number of bytes written; it may be nil.
type progressWriter func(n int)

func (w progressWriter) Write(p []byte) (int, error) {
	if w != nil {
		w(len(p))
	}
	return len(p), nil
}

// hashPieces computes the map checksum and, for versions that use it, the SHA-1 over the same contents.
func (m *Map) hashPieces(a *mpq.Archive, scripts *Scripts, meter *Meter) error {
	p := m.hashGameScripts(a, scripts, meter)
	switch {
	case p == nil:
		m.hashMapScript(a, newPieces(false, meter)) // still scan the script for reports and suspicious writes
	case m.hashMapScript(a, p):
		p.cut = m.Version.ChecksumPiece()
		for _, name := range m.hashedFiles() {
			if _, err := m.hashPiece(a, name, p, (*pieces).endFile); errors.Is(err, ErrTooMuch) {
				return err
			}
		}
		m.HasChecksum = true
		m.Checksum = p.sum(m.SHA1[:])
		m.HasSHA1 = m.HasSHA1 || p.sha != nil
	}
	return meter.Err()
}

// hashedFiles returns the names of the files that the map's version hashes after the script.
func (m *Map) hashedFiles() []string {
	if m.Version.SumsLights() {
		return append(slices.Clone(hashedFiles), lightsFile)
	}
	return hashedFiles
}

// hashFor computes the identifiers for another version whose clients may join the same lobby. The size and
// CRC-32 of the file are shared.
func (m *Map) hashFor(v w3gs.Version, a *mpq.Archive, scripts *Scripts, meter *Meter) error {
	own := &Map{Version: v, Info: Info{Lua: m.Lua}, Identifiers: m.Identifiers}
	own.HasChecksum = false
	err := own.hashPieces(a, scripts, meter)
	if own.HasChecksum {
		m.SetOther(v, own.Identifiers)
	}
	return err
}

// hashGameScripts hashes common.j and blizzard.j, preferring copies inside the map. If they are missing it
// sets NeedsScripts and returns nil.
func (m *Map) hashGameScripts(a *mpq.Archive, scripts *Scripts, meter *Meter) *pieces {
	if !m.Version.SumsGameScripts() {
		return newPieces(false, meter)
	}
	withSHA1 := m.Version.HasSHA1() && !m.Version.WholeFileSHA1()
	if scripts != nil && !a.Has(ownScripts[0]) && !a.Has(ownScripts[1]) {
		p := scripts.prefix.clone()
		p.meter = meter
		if !withSHA1 {
			p.sha = nil
		}
		return p
	}
	p := newPieces(withSHA1, meter)
	for i, name := range ownScripts {
		own, _ := m.hashPiece(a, name, p, (*pieces).endScript)
		if own {
			continue
		}
		if scripts == nil {
			m.NeedsScripts = true
			return nil
		}
		p.Write([][]byte{scripts.common, scripts.blizzard}[i])
		p.endScript()
	}
	p.endScripts()
	return p
}

// hashMapScript hashes the map's script and reports whether the map has a checksum. A map without a script
// still has one, though no game can start it; a map with an unreadable script has none.
func (m *Map) hashMapScript(a *mpq.Archive, p *pieces) bool {
	names, end := jassScripts, (*pieces).endFile
	hasJass, hasLua := a.Has(jassScripts[0]) || a.Has(jassScripts[1]), a.Has(luaScripts[0]) || a.Has(luaScripts[1])
	if m.Version.RunsLua() && (m.Lua || hasLua && !hasJass) {
		names = luaScripts
	}
	if !m.Version.SumsGameScripts() {
		end = (*pieces).endScript // without the final rotation
	}
	damaged := false
	for _, name := range names {
		p.script = new(finder)
		ok, err := m.hashPiece(a, name, p, end)
		found := p.script
		if p.script = nil; ok {
			if m.Reports = found.found; found.writes != "" {
				m.warn("The map's script writes the file %q on the players' computers (PreloadGenEnd), as malicious maps do: look at it before you host the map.", found.writes)
			}
			return true
		}
		damaged = damaged || err != nil
	}
	switch {
	case damaged:
		m.warn("The map's script cannot be read, so the map has no checksum.")
	case !m.Version.RunsLua() && hasLua:
		m.warn("The map's script is written in Lua: clients of %v cannot play it, it needs 1.31 or later.", m.Version)
	default:
		m.warn("The map has no script (%s): no game can start it.", names[0])
	}
	return !damaged
}

// hashPiece hashes a non-empty file of the archive and reports whether it was hashed. Like older hosts, it
// treats a damaged file as absent; p is then restored.
func (m *Map) hashPiece(a *mpq.Archive, name string, p *pieces, end func(*pieces)) (bool, error) {
	f, err := a.Open(name)
	if errors.Is(err, mpq.ErrNotFound) || err == nil && f.Size() == 0 {
		return false, nil
	}
	before := p.clone()
	if err == nil {
		_, err = f.WriteTo(p)
	}
	if errors.Is(err, ErrTooMuch) {
		return false, err // hashPieces reports this error
	}
	if err != nil {
		*p = *before
		m.warn("%s in the map is damaged and left out of its checksum: %v.", name, err)
		return false, err
	}
	if f.SingleUnit() && !m.Version.ReadsSingleUnit() {
		m.warn("%s is stored as a single unit, which clients before %v cannot read: save the map with another tool.",
			name, w3gs.SingleUnitVersion)
	}
	end(p)
	return true, nil
}

// MissingScripts returns a message for the operator if the checksum is missing because the game's scripts
// are, and "" otherwise. It is not part of Warnings because it is the same for every map; the host logs it
// once.
func (m *Map) MissingScripts() string {
	if !m.NeedsScripts || m.Complete() {
		return ""
	}
	return fmt.Sprintf("The checksum of this map cannot be computed without the game's own scripts of %v. "+
		"Either put common.j and blizzard.j of that version into the scripts folder, "+
		"or put the game's War3Patch.mpq, War3x.mpq and War3.mpq there, "+
		"or write checksum and sha1 into %s beside the map.", m.Version, ConfigName(m.File))
}
