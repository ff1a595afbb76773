package w3gs

import "time"

// Bounds of the wire format. A length is in bytes unless it says otherwise.
const (
	// HeaderSize is magic, opcode and u16 length; the length counts them.
	HeaderSize = 4
	// MaxFrame is the largest length a header can state.
	MaxFrame = 65535

	// MaxNameLen is a player's name without its NUL; clients show no more.
	MaxNameLen = 15
	// MaxTagLen is a name of 1.32 and later: 15 letters of up to four bytes and, in a battle
	// tag, # with a number behind them.
	MaxTagLen = 4*MaxNameLen + 1 + maxTagDigits
	// maxTagDigits is more than the five that are seen.
	maxTagDigits = 8
	// MaxGameNameLen is a game's name without its NUL; a longer one is not listed.
	MaxGameNameLen = 31
	// MaxMapPathLen is the map path without its NUL that clients accept.
	MaxMapPathLen = 53

	// MaxSlots is the slot table of 1.29 and later; classic clients have ClassicSlots.
	MaxSlots = 24
	// ClassicSlots is the slot table of 1.07 to 1.28.
	ClassicSlots = 12

	// MaxActionLen is one player's action; a longer one is malformed.
	MaxActionLen = 1027
	// MaxBatchLen is the actions in one 0x0C or 0x48, each counted with its
	// 3-byte prefix: 8 bytes of header stay under a 1460-byte segment.
	MaxBatchLen = 1452
	// ActionPrefix is pid u8 and length u16 before each action's data.
	ActionPrefix = 3

	// MapPartLen is the data in one 0x43; clients take no more.
	MapPartLen = 1442

	// MaxLobbyChatLen is the text a client shows of one lobby line.
	MaxLobbyChatLen = 220
	// MaxGameChatLen is the text a client shows of one line in the game.
	MaxGameChatLen = 127
	// MaxChatLen is the longest text any chat packet may carry.
	MaxChatLen = 254

	// HCLLetters are those of a mode string, in the order of their numbers.
	HCLLetters = "abcdefghijklmnopqrstuvwxyz0123456789 -=,."

	// MinPeriod and MaxPeriod bound the time between two turns.
	MinPeriod = 20 * time.Millisecond
	MaxPeriod = 500 * time.Millisecond
	// MaxSyncLimit is how many turns a player may be behind at most: that many
	// hashes are kept for each player.
	MaxSyncLimit = 10_000

	// maxJoinExtra bounds the n bytes of 0x1E and 0x06; 1 or 2 are seen.
	maxJoinExtra = 16
	// maxStatString bounds the encoded stat string of a 0x30 datagram.
	maxStatString = 1024
)
