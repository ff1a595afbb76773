// Package mapstats derives game results from the reports of maps. Maps with the W3MMD library and DotA maps
// report results as "store integer" actions (0x6B) within a player's actions.
//
// Collector collects the reports of a game, and Result is a derived value. Package record/gamelog uses both.
// DotA has one client report: equal reports of several clients become one result, and differing ones are all
// kept and marked as contradicting. W3MMD numbers its messages and lets a random client send each; its values
// belong to the game, whoever sent them.
//
// The package is pure: no I/O, no clock, no goroutines. It splits action data by action lengths and never
// searches raw bytes for reports.
package mapstats
