package web

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"
)

// certificate is read from its files again when they have changed, since whoever renews
// it does not restart the host.
type certificate struct {
	cert, key string

	mu     sync.Mutex
	loaded *tls.Certificate
	at     time.Time // of the certificate's file
}

func (c *certificate) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}
}

// get keeps the last good certificate while the files are being replaced.
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
