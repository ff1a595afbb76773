// Package mapstats reads the reports of maps about their own games: W3MMD and DotA
// send results as "sync stored integer" actions (0x6B) among those of a player.
//
// Actions are walked by their lengths, never searched for bytes. DotA has one client
// report: equal reports of several clients are one result, different ones are kept from
// each and marked. W3MMD numbers its messages, and draws the client that sends one:
// the values belong to the game, whoever sent them.
//
// The package is pure: bytes in, values out.
package mapstats
