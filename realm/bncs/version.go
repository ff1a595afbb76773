package bncs

// Exe describes the client's program to the realm.
type Exe struct {
	Version uint32 // one byte per part of the version, the first in the highest byte
	Hash    uint32 // result of the formula in 0x50 for the game's files
	Info    string
}

// Version is a game version in the table of a PvPGN server. The formula for the hash never changes there, so the hash is
// constant.
type Version struct {
	Game uint32 // 26 is 1.26
	ID   uint32
	Exe  Exe
}

// versions lists the newest build of each version. Servers decide only by the version number which games a client sees.
var versions = []Version{
	{24, 0x18, Exe{0x011804F3, 0xDE4443C5, "war3.exe 02/26/10 20:41:08 471040"}},
	{25, 0x19, Exe{0x011901FD, 0x41A8664C, "war3.exe 02/12/11 03:32:48 471040"}},
	{26, 0x1A, Exe{0x011A0001, 0xF2E7CEC2, "war3.exe 03/18/11 20:03:55 471040"}},
	{27, 0x1B, Exe{0x011B01AD, 0x4026B5B0, "War3.exe 12/09/16 06:05:09 515048"}},
	{28, 0x1C, Exe{0x011C0500, 0x60743FC9, "Warcraft III.exe 07/07/17 20:15:59 562152"}},
}

// VersionOf returns the entry for a game version, where 26 is 1.26.
func VersionOf(game uint32) (Version, bool) {
	for _, v := range versions {
		if v.Game == game {
			return v, true
		}
	}
	return Version{}, false
}
