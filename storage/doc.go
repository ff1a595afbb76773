// Package storage is the game log: what happened in which game, who is banned,
// who is an admin, and the statistics read from it.
//
// A game hands [Record] values to a [Recorder], which never blocks and never
// does I/O on the caller's goroutine. One writer appends them to a spool on
// disk, a second stage applies the spool, in order and exactly once, to the
// database. A database that is down, slow or full only makes the spool grow.
//
// [Open] chooses the database by its URL: SQLite (the default) or Postgres.
// No type and no error of either database leaves this package.
package storage
