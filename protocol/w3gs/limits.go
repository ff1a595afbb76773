package w3gs

import "time"

// Limits of the wire format and of clients; lengths are in bytes unless stated otherwise.
const (
	// HeaderSize is the length of a header: magic u8, opcode u8, length u16. The length field includes it.
	HeaderSize = 4
	// MaxFrame is the largest frame that the u16 length field can express.
	MaxFrame = 65535

	// MaxNameLen is the longest player name without its NUL that clients show.
	MaxNameLen = 15
	// MaxTagLen is the longest player name from 1.32 on: 15 characters of up to four bytes and, in a battle
	// tag, # and a number.
	MaxTagLen = 4*MaxNameLen + 1 + maxTagDigits
	// maxTagDigits leaves some room above the five digits seen in battle tags.
	maxTagDigits = 8
	// MaxGameNameLen is the longest game name without its NUL; clients do not list longer ones.
	MaxGameNameLen = 31
	// MaxMapPathLen is the longest map path without its NUL that clients accept.
	MaxMapPathLen = 53

	// MaxSlots is the size of the slot table from 1.29 on.
	MaxSlots = 24
	// ClassicSlots is the size of the slot table of 1.07 to 1.28.
	ClassicSlots = 12

	// MaxActionLen is the longest action data of one 0x26; a longer one is malformed.
	MaxActionLen = 1027
	// MaxBatchLen is the limit for all actions in one 0x0C or 0x48, counted with their 3-byte prefixes. It
	// keeps the frame, with 8 bytes of headers, within one 1460-byte TCP segment.
	MaxBatchLen = 1452
	// ActionPrefix is the length of the prefix of each action in a batch: pid u8 · length u16.
	ActionPrefix = 3

	// MapPartLen is the most map data that clients accept in one 0x43.
	MapPartLen = 1442

	// MaxLobbyChatLen is the longest lobby chat text that clients show.
	MaxLobbyChatLen = 220
	// MaxGameChatLen is the longest in-game chat text that clients show.
	MaxGameChatLen = 127
	// MaxChatLen is the longest text that a chat packet may carry.
	MaxChatLen = 254

	// HCLLetters is the alphabet of HCL mode strings; a letter's index is its number.
	HCLLetters = "abcdefghijklmnopqrstuvwxyz0123456789 -=,."

	// MinPeriod and MaxPeriod are the limits of the time between two turns.
	MinPeriod = 20 * time.Millisecond
	MaxPeriod = 500 * time.Millisecond
	// MaxSyncLimit is the highest number of turns a player may be behind; the host keeps one checksum per
	// player and turn.
	MaxSyncLimit = 10_000

	// maxJoinExtra limits the extra bytes of 0x1E and 0x06; clients send 1 or 2.
	maxJoinExtra = 16
	// maxStatString limits the encoded stat string of a 0x30 datagram.
	maxStatString = 1024
)
