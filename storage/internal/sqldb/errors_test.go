package sqldb

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// Faults that pass are told from values that can never be stored, and from faults that somebody has to mend.
func TestPostgresKinds(t *testing.T) {
	for code, want := range map[string]error{
		"23505": ErrConflict,
		"22021": ErrRejected, // a byte that the encoding does not have
		"22003": ErrRejected, // a number out of range
		"23514": ErrRejected, // a check
		"54000": ErrRejected, // too long for an index
		"P0001": ErrRejected, // raised by a trigger
		"42501": ErrUnusable, // no right
		"42P01": ErrUnusable, // no table
		"42883": ErrUnusable, // no function
		"0A000": ErrUnusable,
		"3F000": ErrUnusable,
		"08006": ErrUnavailable, // connection lost
		"28P01": ErrUnusable,    // a wrong password
		"28000": ErrUnusable,    // pg_hba.conf lets nobody in
		"3D000": ErrUnusable,    // no such database
		"25006": ErrUnavailable, // a copy that becomes the server
		"40001": ErrUnavailable, // serialisation
		"40P01": ErrUnavailable, // deadlock
		"53100": ErrUnavailable, // disk full
		"53300": ErrUnavailable, // too many connections
		"55P03": ErrUnavailable, // locked
		"57014": ErrUnavailable, // timeout
		"57P01": ErrUnavailable, // shut down
		"58030": ErrUnavailable, // I/O error
		"XX001": ErrUnavailable, // damaged: a backup may be restored
		"":      ErrUnavailable,
	} {
		if err := translate(fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code, Message: "no"})); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", code, err, want)
		}
	}
}
