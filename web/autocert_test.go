package web

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// authority is a small ACME server (RFC 8555): it signs for a name once that name has shown,
// on the port of the window, that it knows of the order (RFC 8737).
type authority struct {
	t    *testing.T
	url  string
	key  *ecdsa.PrivateKey
	root *x509.Certificate

	mu     sync.Mutex
	window string // where the names lead to
	proved bool
	cert   []byte
	issued int
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	a.key, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, root, root, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	a.root, _ = x509.ParseCertificate(der)
	s := httptest.NewServer(http.HandlerFunc(a.answer))
	t.Cleanup(s.Close)
	a.url = s.URL
	return a
}

func (a *authority) answer(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var sealed struct{ Payload string }
	_ = json.NewDecoder(r.Body).Decode(&sealed)
	payload, _ := base64.RawURLEncoding.DecodeString(sealed.Payload)
	w.Header().Set("Replay-Nonce", "nonce")
	w.Header().Set("Location", a.url+r.URL.Path+"/1")
	tell := func(status int, format string, args ...any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, strings.ReplaceAll(format, "BASE", a.url), args...)
	}
	state := map[bool]string{false: "pending", true: "valid"}[a.proved]
	switch path := r.URL.Path; {
	case path == "/directory":
		tell(200, `{"newNonce":"BASE/nonce","newAccount":"BASE/account","newOrder":"BASE/order","revokeCert":"BASE/revoke","keyChange":"BASE/key"}`)
	case path == "/nonce":
	case path == "/account":
		tell(201, `{"status":"valid"}`)
	case path == "/finalize":
		a.sign(payload)
		fallthrough
	case strings.HasPrefix(path, "/order"):
		order := "pending"
		if a.proved {
			order = "ready"
		}
		if a.cert != nil {
			order = "valid"
		}
		w.Header().Set("Location", a.url+"/order/1")
		tell(map[bool]int{true: 201, false: 200}[path == "/order"], `{"status":%q,"identifiers":[{"type":"dns","value":"games.example.org"}],
			"authorizations":["BASE/authorization"],"finalize":"BASE/finalize","certificate":"BASE/certificate"}`, order)
	case path == "/authorization":
		tell(200, `{"status":%q,"identifier":{"type":"dns","value":"games.example.org"},"challenges":[{"type":"tls-alpn-01","url":"BASE/challenge","token":"token","status":%[1]q}]}`, state)
	case path == "/challenge":
		a.proved = a.asks()
		tell(200, `{"type":"tls-alpn-01","url":"BASE/challenge","token":"token","status":"processing"}`)
	case path == "/certificate":
		w.Header().Set("Content-Type", "application/pem-certificate-chain")
		_ = pem.Encode(w, &pem.Block{Type: "CERTIFICATE", Bytes: a.cert})
	default:
		tell(404, `{}`)
	}
}

// asks looks whether the window proves the name.
func (a *authority) asks() bool {
	conn, err := tls.Dial("tcp", a.window, &tls.Config{ServerName: "games.example.org", NextProtos: []string{"acme-tls/1"}, InsecureSkipVerify: true})
	if err != nil {
		a.t.Error(err)
		return false
	}
	defer conn.Close()
	cert := conn.ConnectionState().PeerCertificates[0]
	for _, e := range cert.Extensions {
		if e.Id.String() == "1.3.6.1.5.5.7.1.31" && e.Critical && len(cert.DNSNames) == 1 && cert.DNSNames[0] == "games.example.org" {
			return true
		}
	}
	a.t.Error("the certificate proves nothing")
	return false
}

func (a *authority) sign(payload []byte) {
	var in struct{ CSR string }
	_ = json.Unmarshal(payload, &in)
	der, _ := base64.RawURLEncoding.DecodeString(in.CSR)
	csr, err := x509.ParseCertificateRequest(der)
	if err != nil || !a.proved {
		a.t.Errorf("asked to sign: %v, proved: %t", err, a.proved)
		return
	}
	a.issued++
	a.cert, err = x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: csr.DNSNames, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(90 * 24 * time.Hour),
	}, a.root, csr.PublicKey, a.key)
	if err != nil {
		a.t.Error(err)
	}
}

// A certificate is got when a browser first asks, for the names of web.hosts only, and kept.
func TestAutocert(t *testing.T) {
	a, folder := newAuthority(t), filepath.Join(t.TempDir(), "certificates")
	trusted := x509.NewCertPool()
	trusted.AddCert(a.root)
	for range 2 { // the second window finds it on the disk
		w := openWindow(t, func(o *Options) {
			o.Hosts, o.Autocert = []string{"games.example.org"}, &Autocert{Hosts: []string{"games.example.org"}, Directory: a.url + "/directory", Folder: folder}
		})
		a.mu.Lock()
		a.window = w.Addr().String()
		a.mu.Unlock()
		for name, want := range map[string]bool{"games.example.org": true, "other.example.org": false, "": false} {
			conn, err := tls.Dial("tcp", w.Addr().String(), &tls.Config{ServerName: name, RootCAs: trusted, InsecureSkipVerify: name == ""})
			if (err == nil) != want {
				t.Errorf("as %q: %v", name, err)
			}
			if err != nil {
				continue
			}
			_, _ = io.WriteString(conn, "GET /login HTTP/1.1\r\nHost: games.example.org\r\nConnection: close\r\n\r\n")
			if answer, _ := io.ReadAll(conn); !strings.HasPrefix(string(answer), "HTTP/1.1 200") {
				t.Errorf("%s", answer)
			}
			conn.Close()
		}
	}
	if a.issued != 1 {
		t.Errorf("%d certificates were issued", a.issued)
	}
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder of keys: %v %v", info, err)
	}
}

// At the port for everybody nobody logs in: no cookie and no token counts.
func TestOutside(t *testing.T) {
	w := openWindow(t, nil)
	h := w.outside(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%+v %v", Caller(r).Identity, Caller(r).Outside)
	}))
	r := httptest.NewRequest("GET", "http://anything/public", nil)
	r.AddCookie(&http.Cookie{Name: "w3host", Value: "x"})
	r.Header.Set("Authorization", "Bearer w3h_x")
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, r)
	if answer.Code != 200 || answer.Body.String() != "{Name: Role:public Via:} true" || answer.Header().Get("Content-Security-Policy") == "" {
		t.Errorf("%d %s %v", answer.Code, answer.Body, answer.Header())
	}
	r.Method = "POST"
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	answer = httptest.NewRecorder()
	if h.ServeHTTP(answer, r); answer.Code != 403 {
		t.Errorf("a page of another site: %d", answer.Code)
	}
}
