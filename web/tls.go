package web

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// Autocert obtains certificates by ACME. The server answers the challenges on its own port
// (TLS-ALPN-01).
type Autocert struct {
	Hosts     []string
	Directory string // URL of a test's authority; empty: Let's Encrypt, which costs nothing and whose certificates every browser takes
	Folder    string // where keys and certificates are kept
}

func (a *Autocert) config() *tls.Config {
	m := &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(a.Folder), HostPolicy: autocert.HostWhitelist(a.Hosts...),
		Client: &acme.Client{DirectoryURL: cmp.Or(a.Directory, autocert.DefaultACMEDirectory)},
	}
	c := m.TLSConfig()
	c.MinVersion = tls.VersionTLS12
	return c
}

// secure returns the TLS configuration of the server, or nil for plain HTTP.
func (o *Options) secure() (*tls.Config, error) {
	if o.Autocert != nil {
		return o.Autocert.config(), nil
	}
	if o.Cert == "" {
		return nil, nil
	}
	certs := &certificate{cert: o.Cert, key: o.Key}
	if _, err := certs.get(nil); err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: certs.get}, nil
}

// certificate is a pair of certificate and key files. It is loaded again when the files change, so
// that a renewal needs no restart.
type certificate struct {
	cert, key string

	mu     sync.Mutex
	loaded *tls.Certificate
	at     time.Time // of the certificate's file
}

// get returns the current certificate. It keeps the last good one while the files are incomplete.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	info, err := os.Stat(c.cert)
	if c.loaded != nil && (err != nil || info.ModTime().Equal(c.at)) {
		return c.loaded, nil
	}
	if err == nil {
		var pair tls.Certificate
		if pair, err = tls.LoadX509KeyPair(c.cert, c.key); err == nil {
			c.loaded, c.at = &pair, info.ModTime()
		}
	}
	if c.loaded == nil {
		return nil, fmt.Errorf("web.tls_cert and web.tls_key: %w", err)
	}
	return c.loaded, nil
}
