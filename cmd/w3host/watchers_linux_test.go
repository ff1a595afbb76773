package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"w3host/internal/testkit"
)

// Strangers who watch the public page and go leave no goroutine in the host.
func TestWatchersLeaveNoGoroutine(t *testing.T) {
	t.Parallel()
	metrics := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	cmd := processCommand(t, t.TempDir(), "--listen", "127.0.0.1:0", "--lan=false")
	cmd.Env = append(cmd.Env, "W3HOST_WEB_METRICS_LISTEN="+metrics)
	h := start(t, cmd)
	said, _ := h.await("web console (one-time login link)")["message"].(string)
	window := regexp.MustCompile(`http://[^/]+`).FindString(said)
	h.await("lobby open") // which comes behind it
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func(url string) string {
		resp, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	goroutines := func() int {
		found := regexp.MustCompile(`(?m)^go_goroutines (\d+)$`).FindStringSubmatch(get("http://" + metrics + "/metrics"))
		if found == nil {
			t.Fatal("no number of goroutines")
		}
		n, _ := strconv.Atoi(found[1])
		return n
	}
	get(window + "/public")        // which makes what the page shows, and so the stream
	const watchers, others = 40, 8 // others begin and end for other reasons
	before := goroutines()
	for range 3 {
		var all []net.Conn
		for i := range watchers {
			d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 2, byte(1+i/4))}} // four for each address
			conn, err := d.Dial("tcp", strings.TrimPrefix(window, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = fmt.Fprintf(conn, "GET /events?topic=public:en HTTP/1.1\r\nHost: %s\r\n\r\n", strings.TrimPrefix(window, "http://"))
			if status, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(status, "200") {
				t.Fatalf("watcher %d: %q, %v", i, status, err)
			}
			all = append(all, conn)
		}
		if n := goroutines(); n < before+watchers {
			t.Errorf("%d goroutines with %d watchers, %d without", n, watchers, before)
		}
		for _, conn := range all {
			_ = conn.Close()
		}
		testkit.Eventually(t, "the goroutines of those who watched end", func() bool { return goroutines() < before+others })
	}
}
