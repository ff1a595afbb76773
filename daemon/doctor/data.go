package doctor

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/internal/country"
	"w3host/storage"
)

// checkDatabase opens the game log without changing it.
func checkDatabase(ctx context.Context, c config.Config) Finding {
	db, err := storage.Open(ctx, c.DatabaseURL(), storage.Options{Log: zerolog.Nop(), MustExist: true})
	if path := storage.FileOf(c.DatabaseURL()); path != "" && errors.Is(err, storage.ErrNoDatabase) {
		if fault := writable(filepath.Dir(path)); fault != nil {
			return fine("cannot create %s: %v", path, fault).but("let the host write there, or set database.url")
		}
		return fine("the host creates %s when it starts", path)
	}
	switch {
	case errors.Is(err, storage.ErrNoDatabase):
		return fine("%v", err) // serve creates it
	case errors.Is(err, storage.ErrBadURL):
		return fine("%v", err).but("correct database.url")
	case err != nil:
		return fine("%v", err).but("start the database, or correct database.url; a host can start without it and keeps its records in %s meanwhile", c.SpoolDir())
	}
	if err := db.Close(); err != nil {
		return fine("%v", err).but("check the disk of the database")
	}
	return fine("%s answers, and its schema matches this program", db.Kind())
}

// checkCountries reads the file of countries.
func checkCountries(_ context.Context, c config.Config) Finding {
	if _, err := country.Read(c.Moderation.CountryFile); err != nil {
		return fine("%v", err).but("put an .mmdb file of countries there, or leave moderation.country_file empty")
	}
	return fine("%s", c.Moderation.CountryFile)
}
