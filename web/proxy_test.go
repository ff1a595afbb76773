package web

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// selfSigned writes a certificate and its key; number tells it from others.
func selfSigned(t *testing.T, dir string, number int64) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := x509.Certificate{SerialNumber: big.NewInt(number), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"games.example.org"}}
	public, err := x509.CreateCertificate(rand.Reader, &form, &form, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{key: {Type: "PRIVATE KEY", Bytes: secret}, cert: {Type: "CERTIFICATE", Bytes: public}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// browserTo reaches every name at one address, and takes every certificate. It comes from
// 127.0.0.2, which is no proxy.
func browserTo(t *testing.T, addr string) *http.Client {
	b := browser(t)
	b.Transport.(*http.Transport).TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	b.Transport.(*http.Transport).DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
		return d.DialContext(ctx, "tcp", addr)
	}
	return b
}

// A certificate that is renewed is taken without a restart; a broken one is not.
func TestRenewedCertificate(t *testing.T) {
	dir := t.TempDir()
	cert, key := selfSigned(t, dir, 1)
	w := openWindow(t, func(o *Options) { o.Cert, o.Key = cert, key })
	serial := func() int64 {
		conn, err := tls.Dial("tcp", w.Addr().String(), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	if n := serial(); n != 1 {
		t.Errorf("the certificate is %d", n)
	}
	if err := os.WriteFile(cert, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := serial(); n != 1 {
		t.Errorf("while it is replaced, it is %d", n)
	}
	selfSigned(t, dir, 2)
	later := time.Now().Add(time.Minute) // file systems with coarse times
	if err := os.Chtimes(cert, later, later); err != nil {
		t.Fatal(err)
	}
	if n := serial(); n != 2 {
		t.Errorf("the renewed one is %d", n)
	}
	w.url = "https://games.example.org"
	w.opts.Hosts = []string{"games.example.org"}
	code, _ := w.opts.Access.AddLink(time.Now())
	_, _, header := w.ask(browserTo(t, w.Addr().String()), "POST", "/login", url.Values{"once": {code}}.Encode(), "Content-Type", form)
	if set := header.Get("Set-Cookie"); !strings.HasPrefix(set, "__Host-w3host=") || !strings.Contains(set, "Secure") {
		t.Errorf("the cookie over TLS: %s", set)
	}
}

// The examples of deploy/ with the real proxies: log-in over TLS, who is asking, streams.
func TestProxies(t *testing.T) {
	for name, run := range map[string]func(t *testing.T, dir string, port, window int) *exec.Cmd{"nginx": nginx, "caddy": caddy} {
		t.Run(name, func(t *testing.T) {
			tier.Program(t, name, name)
			w := openWindow(t, func(o *Options) {
				o.Hosts, o.Proxies = []string{"games.example.org"}, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
			})
			dir, port := t.TempDir(), int(testkit.FreePort(t))
			cmd := run(t, dir, port, w.Addr().(*net.TCPAddr).Port)
			var said testkit.Log
			cmd.Stdout, cmd.Stderr = &said, &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = cmd.Process.Signal(os.Interrupt)
				_ = cmd.Wait()
				if t.Failed() {
					t.Log(said.String())
				}
			})
			addr := fmt.Sprintf("127.0.0.1:%d", port)
			testkit.Eventually(t, name+" listens", func() bool {
				conn, err := net.Dial("tcp", addr)
				if err == nil {
					_ = conn.Close()
				}
				return err == nil
			})
			w.url = fmt.Sprintf("https://games.example.org:%d", port)
			b := browserTo(t, addr)
			code, err := w.opts.Access.AddLink(time.Now())
			if err != nil {
				t.Fatal(err)
			}
			status, _, header := w.ask(b, "POST", "/login", url.Values{"once": {code}}.Encode(), "Content-Type", form, "Origin", w.url)
			if set := header.Get("Set-Cookie"); status != 303 || !strings.HasPrefix(set, "__Host-w3host=") {
				t.Errorf("log-in: %d %s", status, set)
			}
			if status, text, _ := w.ask(b, "GET", "/test/root", "", "X-Forwarded-For", "203.0.113.7"); status != 200 || text != "(link) 127.0.0.2" {
				t.Errorf("who is asking, with a forged header: %d %s", status, text)
			}
			if status, _, _ := w.ask(b, "POST", "/test/root", "", "Origin", "https://evil.example"); status != 403 {
				t.Errorf("another site: %d", status)
			}
			if status, text, _ := w.ask(b, "POST", "/test/root", strings.Repeat("x", 8<<20), "Origin", w.url); status != 200 {
				t.Errorf("a body as long as a map's: %d %s", status, text)
			}
			answer, err := b.Get(w.url + "/test/stream")
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if line, err := bufio.NewReader(answer.Body).ReadString('\n'); err != nil || line != "at once\n" {
				t.Errorf("a stream: %q, %v", line, err)
			}
		})
	}
}

// streamTest says something at once, and ends with its reader.
func streamTest(w http.ResponseWriter, r *http.Request) {
	Stream(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	_, _ = io.WriteString(w, "at once\n")
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// example reads a file of deploy/ and puts in what a test needs, each in the place of
// something that must be there.
func example(t *testing.T, file string, with ...string) string {
	t.Helper()
	text, err := os.ReadFile("../deploy/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(with); i += 2 {
		if !strings.Contains(string(text), with[i]) {
			t.Fatalf("%s has no %s", file, with[i])
		}
		text = []byte(strings.ReplaceAll(string(text), with[i], with[i+1]))
	}
	return string(text)
}

func nginx(t *testing.T, dir string, port, window int) *exec.Cmd {
	cert, key := selfSigned(t, dir, 1)
	server := example(t, "nginx/w3host.conf", "listen 443", fmt.Sprintf("listen 127.0.0.1:%d", port), "127.0.0.1:6180", fmt.Sprintf("127.0.0.1:%d", window),
		"/etc/letsencrypt/live/games.example.org/fullchain.pem", cert, "/etc/letsencrypt/live/games.example.org/privkey.pem", key)
	text := "daemon off; master_process off; pid " + dir + "/pid; error_log stderr; events {} http { access_log off; "
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		text += kind + "_temp_path " + dir + "/" + kind + "; "
	}
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(text+server+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return exec.Command("nginx", "-c", file, "-e", "stderr")
}

func caddy(t *testing.T, dir string, port, window int) *exec.Cmd {
	cert, key := selfSigned(t, dir, 1)
	site := example(t, "caddy/Caddyfile", "games.example.org {", fmt.Sprintf("games.example.org:%d {\n\ttls %s %s", port, cert, key),
		"127.0.0.1:6180", fmt.Sprintf("127.0.0.1:%d", window))
	file := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(file, []byte("{\n\tadmin off\n\tauto_https disable_redirects\n}\n"+site), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("caddy", "run", "--config", file)
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir, "HOME="+dir)
	return cmd
}
