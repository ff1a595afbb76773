package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/storage"
)

// checkDatabase opens the game log without changing it.
func checkDatabase(ctx context.Context, c config.Config) Finding {
	db, err := storage.Open(ctx, c.DatabaseURL(), storage.Options{Log: zerolog.Nop(), MustExist: true})
	if path, lite := strings.CutPrefix(c.DatabaseURL(), "sqlite:"); lite && errors.Is(err, storage.ErrNoDatabase) {
		path = strings.TrimPrefix(path, "//")
		if fault := writable(filepath.Dir(path)); fault != nil {
			return fine("%s cannot be created: %v", path, fault).but("let the host write there, or set database.url")
		}
		return fine("the host creates %s when it starts", path)
	}
	switch {
	case errors.Is(err, storage.ErrNoDatabase):
		return fine("%v", err) // serve creates it
	case errors.Is(err, storage.ErrBadURL):
		return fine("%v", err).but("correct database.url")
	case err != nil:
		return fine("%v", err).but("start it, or correct database.url; a host starts without it, and keeps its records in %s meanwhile", c.SpoolDir())
	}
	if err := db.Close(); err != nil {
		return fine("%v", err).but("look after the disk it is on")
	}
	return fine("%s answers, and its schema is this program's", db.Kind())
}

// checkSpool tries to write to the spool.
func checkSpool(_ context.Context, c config.Config) Finding {
	if err := writable(c.SpoolDir()); err != nil {
		return fine("records cannot wait in %s: %v", c.SpoolDir(), err).but("let the host write there, or set database.spool")
	}
	return fine("%s can be written", c.SpoolDir())
}

// writable creates and removes a file in a folder, or in the nearest existing one above
// it.
func writable(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".w3host-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
