package config

import (
	"cmp"
	"path/filepath"
)

// inData returns the path of a file in host.data_dir.
func (c *Config) inData(name string) string { return filepath.Join(c.Host.DataDir, name) }

// DatabaseURL returns the URL of the game log.
func (c *Config) DatabaseURL() string { return cmp.Or(c.Database.URL, "sqlite:"+c.inData("w3host.db")) }

// SpoolDir returns the folder of records that wait while the database is unreachable.
func (c *Config) SpoolDir() string { return cmp.Or(c.Database.Spool, c.inData("spool")) }

// MapCache returns the file that caches the identifiers of maps.
func (c *Config) MapCache() string { return c.inData("maps.json") }

// ControlSocket returns the path of the socket to which w3host ctl connects.
func (c *Config) ControlSocket() string { return c.inData("control.sock") }

// WebCerts returns the folder of the certificates of web.autocert.
func (c *Config) WebCerts() string { return c.inData("certificates") }

// WebAccess returns the file with the accounts of the web console.
func (c *Config) WebAccess() string { return c.inData("web.json") }

// CrashDir returns the folder of crash reports.
func (c *Config) CrashDir() string { return c.inData("crashes") }

// JournalDir returns the folder of the journals of games, for w3host game rerun.
func (c *Config) JournalDir() string { return c.inData("journals") }

// EvidenceKey returns the file with the key that hides addresses in w3host player evidence.
func (c *Config) EvidenceKey() string { return c.inData("evidence.key") }
