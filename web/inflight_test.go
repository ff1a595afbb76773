package web

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"w3host/internal/simnet"
	"w3host/storage"
	"w3host/web/access"
)

// simWindow is a server in a network in memory and in virtual time, behind a proxy at simProxy.
type simWindow struct {
	*Server
	t   *testing.T
	net *simnet.Net
	at  netip.AddrPort
}

const simProxy = "10.0.0.2"

// inSim runs a test in virtual time, with a server that answers health checks and nothing else besides the login; secure is nil
// for plain HTTP.
func inSim(t *testing.T, secure *tls.Config, run func(*simWindow)) {
	synctest.Test(t, func(t *testing.T) {
		n := simnet.New(1)
		defer n.Close()
		w := &simWindow{t: t, net: n, at: netip.MustParseAddrPort("10.0.0.1:6180"), Server: newServer(Options{
			Access: access.Open(filepath.Join(t.TempDir(), "web.json")), Log: zerolog.Nop(), Audit: func(storage.AdminAction) {},
			Proxies: []netip.Prefix{netip.MustParsePrefix(simProxy + "/32")},
		})}
		for _, path := range []string{"GET /healthz", "GET /readyz"} {
			w.Handle(path, access.Public, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
		}
		l, err := n.Listen(w.at)
		if err != nil {
			t.Fatal(err)
		}
		w.attach(l, nil, secure)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- w.Serve(ctx) }()
		defer func() {
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}()
		run(w)
	})
}

// send opens a connection and writes the beginning of a request.
func (w *simWindow) send(from, text string) net.Conn {
	w.t.Helper()
	conn, err := w.net.Dial(netip.MustParseAddr(from), w.at, simnet.Line{}, simnet.Line{})
	if err != nil {
		w.t.Fatal(err)
	}
	_, _ = io.WriteString(conn, text)
	return conn
}

// status reads the answer on a connection, and waits until the server has nothing to do; 0: it is closed without an answer.
func status(conn net.Conn) int {
	defer synctest.Wait()
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	return answer.StatusCode
}

// unfinished is a log-in by the proxy whose form never comes.
func unfinished(browser string) string {
	return fmt.Sprintf("POST /login HTTP/1.1\r\nHost: 10.0.0.1\r\nX-Forwarded-For: %s\r\nContent-Type: %s\r\nContent-Length: 100\r\n\r\nname=", browser, form)
}

func get(path, browser string) string {
	return fmt.Sprintf("GET %s HTTP/1.1\r\nHost: 10.0.0.1\r\nX-Forwarded-For: %s\r\nConnection: close\r\n\r\n", path, browser)
}

// One browser behind the proxy that leaves 1,040 log-ins unfinished keeps out no other browser and no health check.
func TestUnfinishedForms(t *testing.T) {
	inSim(t, nil, func(w *simWindow) {
		var conns []net.Conn
		for range 1040 {
			conns = append(conns, w.send(simProxy, unfinished("192.0.2.1")))
		}
		synctest.Wait()
		for _, path := range []string{"/healthz", "/login"} {
			if got := status(w.send(simProxy, get(path, "192.0.2.2"))); got != http.StatusOK {
				t.Errorf("another browser is answered %d at %s", got, path)
			}
		}
		began, answers := time.Now(), map[int]int{}
		for _, conn := range conns {
			answers[status(conn)]++
		}
		if answers[http.StatusBadRequest] != strangerInFlight || answers[http.StatusTooManyRequests] < maxConns-strangerInFlight {
			t.Errorf("the answers are %v", answers)
		}
		if waited := time.Since(began); waited != bodyWithin {
			t.Errorf("forms were waited for %v, want %v", waited, bodyWithin)
		}
	})
}

// When browsers from many addresses hold all connections of a proxy, health checks through it are still answered, and
// others are told that there is no room.
func TestReservedConnections(t *testing.T) {
	inSim(t, nil, func(w *simWindow) {
		for i := range maxConns {
			w.send(simProxy, unfinished(netip.AddrFrom4([4]byte{203, 0, 113, byte(i)}).String()))
		}
		synctest.Wait()
		for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/login": 503} {
			for range 100 {
				if got := status(w.send(simProxy, get(path, "192.0.2.2"))); got != want {
					t.Fatalf("%s: %d, want %d", path, got, want)
				}
			}
		}
		if got := status(w.send(simProxy, unfinished("192.0.2.2"))); got != http.StatusServiceUnavailable {
			t.Errorf("an unfinished form on a reserved connection is answered %d", got)
		}
	})
}

// The deadline of a form does not end a request whose form has come, however long its handler takes.
func TestFormDeadlineIsLifted(t *testing.T) {
	inSim(t, nil, func(w *simWindow) {
		w.Handle("POST /slow", access.Public, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			select {
			case <-time.After(2 * bodyWithin):
				w.WriteHeader(http.StatusNoContent)
			case <-r.Context().Done():
			}
		}))
		request := strings.Replace(unfinished("192.0.2.1"), "/login", "/slow", 1)
		if got := status(w.send(simProxy, request+strings.Repeat("x", 95))); got != http.StatusNoContent {
			t.Errorf("answered %d", got)
		}
	})
}

// A connection of HTTP/2 may have 64 requests at the same time: that is in the first frame of the server.
func TestStreamsOfAConnection(t *testing.T) {
	cert, key := selfSigned(t, t.TempDir(), 1)
	secure, err := (&Options{Cert: cert, Key: key}).secure()
	if err != nil {
		t.Fatal(err)
	}
	inSim(t, secure, func(w *simWindow) {
		conn := tls.Client(w.send("192.0.2.1", ""), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
		_, _ = io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00") // with empty settings
		head := make([]byte, 9)
		if _, err := io.ReadFull(conn, head); err != nil || head[3] != 4 {
			t.Fatalf("the first frame: %x, %v", head, err)
		}
		settings := make([]byte, int(head[1])<<8|int(head[2]))
		if _, err := io.ReadFull(conn, settings); err != nil {
			t.Fatal(err)
		}
		const maxConcurrentStreams = 3
		streams := uint32(0)
		for s := settings; len(s) >= 6; s = s[6:] {
			if binary.BigEndian.Uint16(s) == maxConcurrentStreams {
				streams = binary.BigEndian.Uint32(s[2:])
			}
		}
		if streams != maxStreams {
			t.Errorf("%d streams, want %d", streams, maxStreams)
		}
		_ = conn.Close()
	})
}
