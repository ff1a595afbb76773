// Package recording writes a replay of each game while it is played.
//
// A Recording observes the events of one game and copies those that belong into a replay; it never blocks the
// game loop. Every 0.3 s of game time it passes a batch to the Archive, whose single goroutine writes the
// files of all games and deletes old ones. Package daemon opens the Archive, and package host creates a
// Recording per game. While a game runs, its file name ends in ".part"; a file left behind by a killed host
// is completed at the next start.
package recording
