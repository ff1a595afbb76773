package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"w3host/storage/internal/sqldb"
)

// Error messages contain no part of an invalid URL, because its password may be anywhere.
var (
	plainFile = regexp.MustCompile(`^[\w.\\-]+(/[\w.\\-]+)*$`)
	// login matches user:password@host in place of a file name. A single letter before the colon is a drive.
	login = regexp.MustCompile(`^//.*@|[^/\\]{2,}:.*@`)

	otherDatabases = []string{"mysql", "mariadb", "mssql", "sqlserver", "mongodb", "redis", "oracle", "file", "http", "https"}
)

const urlForms = "sqlite:FILE or postgres://USER@HOST/NAME"

// CheckURL returns an error if a database URL is invalid, as far as that can be seen without opening it. The
// error is ErrBadURL and contains no password.
func CheckURL(url string) error {
	if path, err := fileOf(url); path != "" || err != nil {
		return err
	}
	if err := sqldb.CheckPostgres(url); err != nil {
		return fmt.Errorf("%w: %w", ErrBadURL, err)
	}
	return nil
}

// FileOf returns the file of a SQLite URL, or "" for other URLs.
func FileOf(url string) string {
	path, _ := fileOf(url)
	return path
}

func fileOf(url string) (path string, err error) {
	scheme, rest, _ := strings.Cut(url, ":")
	switch {
	case url == "":
		return "", fmt.Errorf("%w: it is empty; the default is %s", ErrBadURL, defaultURL)
	case scheme == "sqlite" && login.MatchString(rest):
		return "", fmt.Errorf("%w: SQLite has a file only, no user, host or password: as in %s", ErrBadURL, defaultURL)
	case scheme == "sqlite":
		path = strings.TrimPrefix(rest, "//")
		if path == "" || path == ":memory:" {
			return "", fmt.Errorf("%w: name a file, as in %s", ErrBadURL, defaultURL)
		}
		return path, nil
	case strings.HasPrefix(url, "postgres://"), strings.HasPrefix(url, "postgresql://"), isKeywords(url):
		return "", nil
	case slices.Contains(otherDatabases, scheme):
		return "", fmt.Errorf("%w: %q is not known; use "+urlForms, ErrBadURL, scheme+":")
	case plainFile.MatchString(url):
		return "", fmt.Errorf("%w: for a SQLite file write sqlite:%s", ErrBadURL, url)
	}
	return "", fmt.Errorf("%w: write %s (it is not shown here: it may hold a password)", ErrBadURL, urlForms)
}

// isKeywords reports whether url is in libpq's form: key=value key=value.
func isKeywords(url string) bool {
	key, _, found := strings.Cut(url, "=")
	return found && !strings.ContainsAny(strings.TrimSpace(key), " :/\\?.@")
}

func openURL(url string, mustExist bool) (sqldb.DB, error) {
	if err := CheckURL(url); err != nil {
		return nil, err
	}
	path := FileOf(url)
	if path == "" {
		return sqldb.OpenPostgres(url)
	}
	if _, err := os.Stat(path); mustExist && errors.Is(err, fs.ErrNotExist) {
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		return nil, fmt.Errorf("%w: there is no file %s; a host creates it when it starts", ErrNoDatabase, path)
	}
	return sqldb.OpenSQLite(path)
}
