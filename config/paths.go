package config

import (
	"cmp"
	"path/filepath"
)

// inData is the path of a file that the host writes for itself.
func (c *Config) inData(name string) string { return filepath.Join(c.Host.DataDir, name) }

// DatabaseURL is where the game log is.
func (c *Config) DatabaseURL() string { return cmp.Or(c.Database.URL, "sqlite:"+c.inData("w3host.db")) }

// SpoolDir is where records wait while the database is away.
func (c *Config) SpoolDir() string { return cmp.Or(c.Database.Spool, c.inData("spool")) }

// MapCache is where the identifiers of maps are kept between starts.
func (c *Config) MapCache() string { return c.inData("maps.json") }

// ControlSocket returns the path of the socket to which w3host ctl connects.
func (c *Config) ControlSocket() string { return c.inData("control.sock") }

// WebCerts has the certificates that web.autocert gets.
func (c *Config) WebCerts() string { return c.inData("certificates") }

// WebAccess is the file with the accounts of the operator's window.
func (c *Config) WebAccess() string { return c.inData("web.json") }

// CrashDir has a file for each game or connection that a fault of the host ended.
func (c *Config) CrashDir() string { return c.inData("crashes") }

// JournalDir has the inputs of games, from which they can be run again.
func (c *Config) JournalDir() string { return c.inData("journals") }

// EvidenceKey is the file with the key that hides addresses in w3host player evidence.
func (c *Config) EvidenceKey() string { return c.inData("evidence.key") }
