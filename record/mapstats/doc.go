// Package mapstats reads what maps report about their own games: W3MMD and DotA
// send results as "sync stored integer" actions (0x6B) among those of a player.
//
// Actions are walked by their lengths, never searched for bytes. A report is
// bound to the player whose client sent it: what several clients say alike is
// one result, what they say differently is kept from each and marked.
//
// The package is pure: bytes in, values out.
package mapstats
