package config

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// maxUpload is the upper bound of web.upload_max in bytes; no map is larger.
const maxUpload = 1e9

// web validates the section [web]. It rejects settings that send passwords over the network in plain text, unless
// web.insecure is set.
func (v *validator) web(w *Web) {
	v.address("web.listen", w.Listen)
	if w.Public != "" {
		v.address("web.public_listen", w.Public)
	}
	if w.Metrics != "" {
		v.address("web.metrics_listen", w.Metrics)
	}
	v.networks("web.trusted_proxies", w.Proxies, "172.16.0.0/12")
	for _, name := range w.Hosts {
		if strings.ContainsAny(name, ":/ ") {
			v.fault("web.hosts", name, "must be a name without scheme and port, such as games.example.org")
		}
	}
	if b := w.BasePath; b != "" && (!strings.HasPrefix(b, "/") || strings.HasSuffix(b, "/") || strings.ContainsAny(b, "?#%\\ ;\"")) {
		v.fault("web.base_path", b, `must begin with a slash and end without one, such as "/w3host"`)
	}
	if w.Upload <= 0 || w.Upload > maxUpload {
		v.fault("web.upload_max", w.Upload.String(), "must be a size up to 1 GB, such as \"128 MiB\"")
	}
	if (w.Cert == "") != (w.Key == "") {
		v.fault("web.tls_cert", w.Cert, "a certificate needs its key: set both tls_cert and tls_key, or none")
	}
	switch {
	case !w.Autocert:
	case w.Cert != "":
		v.fault("web.autocert", "true", "is instead of web.tls_cert and web.tls_key: set one of them")
	case len(w.Hosts) == 0:
		v.fault("web.autocert", "true", "needs the names that the certificate is for: set web.hosts")
	}
	if w.Enabled && !w.isLocal() && !w.TLS() && len(w.Proxies) == 0 && !w.Insecure {
		v.fault("web.listen", w.Listen, "would send passwords over the network for all to read: set web.tls_cert and web.tls_key, or web.autocert, "+
			"or web.trusted_proxies for a proxy with TLS, or web.insecure = true")
	}
}

// TLS reports whether the web console uses HTTPS.
func (w *Web) TLS() bool { return w.Cert != "" || w.Autocert }

// isLocal reports whether only this machine can reach the web console.
func (w *Web) isLocal() bool {
	host, _, _ := net.SplitHostPort(w.Listen)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// public validates the section [public].
func (v *validator) public(p *Public) {
	if p.URL == "" {
		return
	}
	u, err := url.Parse(p.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Scheme+"://"+u.Host != p.URL {
		v.fault("public.url", p.URL, `must be a scheme and a host without a path, such as "https://games.example.org"; web.base_path goes behind it`)
	}
}
