package storage

import (
	"errors"

	"w3host/storage/internal/sqldb"
)

// What callers branch on. The text of an error says the rest in a sentence;
// errors of a driver are never handed out as such.
var (
	// ErrNotFound: there is no such player, ban, admin …
	ErrNotFound = sqldb.ErrNotFound
	// ErrConflict: it is there already.
	ErrConflict = sqldb.ErrConflict
	// ErrUnavailable: the database can't be asked now; later it may.
	ErrUnavailable = sqldb.ErrUnavailable
	// ErrRejected: the database refuses the value itself.
	ErrRejected = sqldb.ErrRejected
	// ErrNewerSchema: a later w3host has migrated this database.
	ErrNewerSchema = errors.New("the database belongs to a newer w3host")
	// ErrNoDatabase: nothing is there, or not all of it, and nothing may be created.
	ErrNoDatabase = errors.New("no database of w3host")
	// ErrBadURL: database.url is not understood.
	ErrBadURL = errors.New("bad database URL")
)
