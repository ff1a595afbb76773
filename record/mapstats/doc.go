// Package mapstats reads the reports of maps about their own games: W3MMD and DotA
// send results as "sync stored integer" actions (0x6B) among those of a player.
//
// Actions are walked by their lengths, never searched for bytes. A report is
// bound to the player whose client sent it: equal reports of several clients are
// one result, different ones are kept from each and marked.
//
// The package is pure: bytes in, values out.
package mapstats
