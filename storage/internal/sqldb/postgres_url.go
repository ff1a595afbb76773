package sqldb

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// CheckPostgres returns an error for an invalid URL or keyword string. The error contains no part of it,
// because in a mistyped one the password may be anywhere.
func CheckPostgres(conn string) error {
	_, err := parsePostgres(conn)
	return err
}

func parsePostgres(conn string) (*pgxpool.Config, error) {
	if _, rest, isURL := strings.Cut(conn, "://"); isURL && strings.HasPrefix(conn, "postgres") {
		end := strings.IndexAny(rest+"/", "/?#")
		login, _, _ := strings.Cut(rest[:end], ":")
		switch {
		case strings.Contains(rest[end:], "@"):
			return nil, errors.New("the connection string of Postgres has an @ behind the host: in a password write / as %2F, ? as %3F, # as %23, @ as %40")
		case strings.Count(login, "@") > 1:
			return nil, errors.New("the connection string of Postgres has two @: write a colon between user and password, and @ in either as %40")
		}
		if _, err := url.Parse(conn); err != nil {
			return nil, errors.New("the connection string of Postgres is invalid: write postgres://USER:PASSWORD@HOST:PORT/NAME, " +
				"with other signs than letters and digits written like %2F; better leave the password to PGPASSWORD")
		}
	}
	cfg, err := pgxpool.ParseConfig(conn)
	if err == nil && !strings.HasPrefix(conn, "postgres") && strings.Contains(conn, "://") {
		err = errors.New("a URL in a keyword string")
	}
	if err != nil {
		for _, key := range []string{
			"sslmode", "sslrootcert", "sslcert", "sslkey", "sslnegotiation", "channel_binding", "target_session_attrs",
			"connect_timeout", "pool_max_conns", "pool_min_conns", "pool_max_conn", "pool_health", "statement_cache", "default_query_exec_mode",
			"service", "passfile", "port",
		} {
			if strings.Contains(err.Error(), key) && strings.Contains(conn+" service port", key) {
				return nil, errors.New("the connection string of Postgres, or libpq's environment, has a wrong value for " + key)
			}
		}
		return nil, errors.New("the connection string of Postgres is invalid: write postgres://USER@HOST/NAME, or host=HOST dbname=NAME user=USER; " +
			"quote values with spaces like 'this', and better leave the password to PGPASSWORD")
	}
	// The following values appear in other error messages.
	c := cfg.ConnConfig
	if strings.Contains(c.User, ":") || strings.Contains(c.Database, ":") || strings.ContainsAny(c.Host, "@ ") || colonInName(c.Host) {
		return nil, errors.New("the connection string of Postgres has a colon or an @ inside of the user, host or database: is a part missing?")
	}
	return cfg, nil
}

// colonInName reports whether a host looks like user:password.
func colonInName(host string) bool {
	_, err := netip.ParseAddr(host)
	return err != nil && strings.Contains(host, ":") && !strings.ContainsAny(host, `/\`)
}
