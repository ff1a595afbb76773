// Package recording writes a replay of each game while it is played.
//
// A Recording observes one game's facts and copies those that belong into a replay;
// it never waits. Twice a second of game time it hands its bytes to the
// Archive, whose one goroutine writes the files of all games. While a game runs
// its file ends in ".part"; a file that a killed host leaves behind is finished at the
// next start.
package recording
