package web

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"w3host/internal/testkit"
	"w3host/internal/tier"
	"w3host/storage"
	"w3host/web/access"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// window is a server under test, on a port of its own.
type window struct {
	*Server
	t   *testing.T
	url string
	log *testkit.Log

	mu    sync.Mutex
	audit []storage.AdminAction
}

func openWindow(t *testing.T, change func(*Options)) *window {
	t.Helper()
	w := &window{t: t, log: new(testkit.Log)}
	o := Options{
		Listen: "127.0.0.1:0", Access: access.Open(filepath.Join(t.TempDir(), "web.json")), Log: zerolog.New(w.log),
		Audit: func(a storage.AdminAction) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.audit = append(w.audit, a)
		},
	}
	if change != nil {
		change(&o)
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	w.Server, w.url = s, "http://"+s.Addr().String()+o.BasePath
	if _, err := s.Beside("127.0.0.1:0", http.NotFoundHandler()); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	s.Handle("GET /{$}", access.Viewer, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, Caller(r).Name)
	}))
	for _, role := range []access.Role{access.Public, access.Viewer, access.Moderator, access.Admin, access.Root} {
		s.Handle("/test/"+role.String(), role, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			from := Caller(r)
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, from.Name+" "+from.Addr.String())
		}))
	}
	s.Handle("GET /test/fault", access.Public, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("fault") }))
	s.Handle("GET /test/stream", access.Public, http.HandlerFunc(streamTest))
	go func() { ended <- s.Serve(t.Context()) }()
	t.Cleanup(func() {
		if err := <-ended; err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return w
}

// ask sends a request and reads the answer; the header is in pairs.
func (w *window) ask(c *http.Client, method, path, body string, header ...string) (int, string, http.Header) {
	w.t.Helper()
	r, err := http.NewRequest(method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	answer, err := c.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer.StatusCode, string(text), answer.Header
}

// browser keeps cookies, and shows redirections instead of following them.
func browser(t *testing.T) *http.Client {
	jar, _ := cookiejar.New(nil)
	tr := new(http.Transport)
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Jar: jar, Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

const form = "application/x-www-form-urlencoded"

func (w *window) logIn(c *http.Client, values url.Values) (int, http.Header) {
	w.t.Helper()
	status, _, header := w.ask(c, "POST", "/login", values.Encode(), "Content-Type", form)
	return status, header
}

// Every role at every endpoint.
func TestRoles(t *testing.T) {
	w := openWindow(t, nil)
	roles := []access.Role{access.Public, access.Viewer, access.Moderator, access.Admin, access.Root}
	for _, has := range roles {
		var header []string
		if has > access.Public {
			token, err := w.opts.Access.AddToken(access.Token{Name: has.String(), Role: has})
			if err != nil {
				t.Fatal(err)
			}
			header = []string{"Authorization", "Bearer " + token}
		}
		for _, needs := range roles {
			status, _, _ := w.ask(http.DefaultClient, "GET", "/test/"+needs.String(), "", header...)
			want := http.StatusOK
			switch {
			case has == access.Public && needs > has:
				want = http.StatusUnauthorized
			case needs > has:
				want = http.StatusForbidden
			}
			if status != want {
				t.Errorf("%v at an endpoint for %v: %d, want %d", has, needs, status, want)
			}
		}
	}
	if status, text, _ := w.ask(http.DefaultClient, "GET", "/test/public", "", "Authorization", "Bearer w3h_wrong"); status != 401 || !strings.Contains(text, "bad_token") {
		t.Errorf("a wrong token: %d %s", status, text)
	}
}

func TestLinkOnce(t *testing.T) {
	w := openWindow(t, nil)
	code, err := w.opts.Access.AddLink(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	b := browser(t)
	if status, text, _ := w.ask(b, "GET", "/login", ""); status != 200 || !strings.Contains(text, `id="once"`) {
		t.Fatalf("%d %s", status, text)
	}
	if status, _, header := w.ask(b, "GET", "/", "", "Accept", "text/html"); status != 303 || header.Get("Location") != "/login" {
		t.Errorf("who is not logged in: %d, %v", status, header)
	}
	// A session that somebody else has put into the browser is not the one that gets the rights.
	at, _ := url.Parse(w.url)
	b.Jar.SetCookies(at, []*http.Cookie{{Name: "w3host", Value: "FIXED", Path: "/"}})
	status, header := w.logIn(b, url.Values{"once": {code}})
	if status != 303 || header.Get("Location") != "/" {
		t.Fatalf("%d, %v", status, header)
	}
	set := header.Get("Set-Cookie")
	if !strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Lax") || strings.Contains(set, "FIXED") {
		t.Errorf("the cookie: %s", set)
	}
	if status, text, _ := w.ask(b, "GET", "/", ""); status != 200 || !strings.Contains(text, "link") {
		t.Errorf("%d %s", status, text)
	}
	fixed := browser(t)
	fixed.Jar.SetCookies(at, []*http.Cookie{{Name: "w3host", Value: "FIXED", Path: "/"}})
	if status, _, _ := w.ask(fixed, "GET", "/", ""); status != 401 {
		t.Errorf("the session that was put there: %d", status)
	}
	if status, _ := w.logIn(browser(t), url.Values{"once": {code}}); status != 403 {
		t.Errorf("the link again: %d", status)
	}
	if status, _, _ := w.ask(b, "POST", "/logout", ""); status != 303 {
		t.Errorf("out: %d", status)
	}
	b.Jar.SetCookies(at, []*http.Cookie{{Name: "w3host", Value: strings.TrimPrefix(strings.Split(set, ";")[0], "w3host="), Path: "/"}})
	if status, _, _ := w.ask(b, "GET", "/", ""); status != 401 {
		t.Errorf("a session after its end: %d", status)
	}
	if len(w.audit) != 3 || w.audit[0].Refused != "" || w.audit[1].Refused == "" || w.audit[2].Action != "web logout" {
		t.Errorf("the audit: %+v", w.audit)
	}
	if strings.Contains(w.log.String(), code) {
		t.Error("the log has the code of the link")
	}
}

func TestPassword(t *testing.T) {
	w := openWindow(t, nil)
	if err := w.opts.Access.SetAccount("Rook", access.Admin, "long enough", time.Now()); err != nil {
		t.Fatal(err)
	}
	b := browser(t)
	if status, _ := w.logIn(b, url.Values{"name": {"rook"}, "password": {"wrong"}}); status != 403 {
		t.Fatalf("a wrong password: %d", status)
	}
	if status, _ := w.logIn(b, url.Values{"name": {"rook"}, "password": {"long enough"}}); status != 303 {
		t.Errorf("the right password: %d", status)
	}
	if status, text, _ := w.ask(b, "GET", "/test/admin", ""); status != 200 || !strings.HasPrefix(text, "Rook ") {
		t.Errorf("%d %s", status, text)
	}
	if status, _, _ := w.ask(b, "POST", "/login", "name="+strings.Repeat("x", maxForm), "Content-Type", form); status != 400 {
		t.Errorf("a large form: %d", status)
	}
	if strings.Contains(w.log.String(), "long enough") {
		t.Error("the log has a password")
	}
}

// TestTooManyTries: a client that has tried a name too often waits a second for the answer, which refuses even the right
// password.
func TestTooManyTries(t *testing.T) {
	w := openWindow(t, nil)
	if err := w.opts.Access.SetAccount("Rook", access.Admin, "long enough", time.Now()); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		from := Principal{Addr: netip.MustParseAddr("192.0.2.1")}
		w.tries = newTries()
		for range triesPerName {
			w.tries.allow("ROOK", from.Addr)
		}
		r := httptest.NewRequestWithContext(WithCaller(t.Context(), from), "POST", "/login", strings.NewReader("name=rook&password=long+enough"))
		r.Header.Set("Content-Type", form)
		answer, began := httptest.NewRecorder(), time.Now()
		w.Server.logIn(answer, r)
		if took := time.Since(began); took != triesWait || answer.Code != 429 || answer.Header().Get("Retry-After") == "" {
			t.Errorf("one try too many: %d, %v after %v", answer.Code, answer.Header(), took)
		}
	})
}

func TestForeignRequests(t *testing.T) {
	w := openWindow(t, func(o *Options) { o.Hosts = []string{"games.example.org"} })
	own := w.Addr().String()
	for _, c := range []struct {
		method string
		header []string
		want   int
	}{
		{"GET", []string{"Host", "evil.example"}, 421},
		{"GET", []string{"Host", "games.example.org"}, 200},
		{"GET", []string{"Host", "games.example.org.:80"}, 200},
		{"GET", []string{"Host", "localhost:6180"}, 200},
		{"GET", []string{"Host", "[::1]:6180"}, 200},
		{"GET", []string{"Host", "127.0.0.1.evil.example"}, 421},
		{"POST", []string{"Origin", "https://evil.example"}, 403},
		{"POST", []string{"Origin", "null"}, 403},
		{"POST", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"POST", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"POST", []string{"Sec-Fetch-Site", "same-origin", "Origin", "null"}, 200},
		{"POST", []string{"Origin", "http://" + own}, 200},
		{"GET", []string{"Sec-Fetch-Site", "cross-site"}, 200},
	} {
		status, text, header := w.ask(http.DefaultClient, c.method, "/test/public", "", c.header...)
		if status != c.want || status != 200 && header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %v: %d %s, want %d", c.method, c.header, status, text, c.want)
		}
		if status == 421 && !strings.Contains(text, "web.hosts") {
			t.Errorf("the way out is not named: %s", text)
		}
		if csp := header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("the policy: %s", csp)
		}
	}
}

func TestForwardedFor(t *testing.T) {
	plain := openWindow(t, nil)
	proxied := openWindow(t, func(o *Options) {
		o.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
		o.BasePath = "/w3"
	})
	for said, want := range map[string]string{
		"203.0.113.7":                      "203.0.113.7",
		"198.51.100.9, 203.0.113.7":        "203.0.113.7", // the browser has said the first itself
		"198.51.100.9, 10.1.2.3":           "198.51.100.9",
		"198.51.100.9, nonsense, 10.1.2.3": "10.1.2.3",
		"":                                 "127.0.0.1",
	} {
		if _, text, _ := plain.ask(http.DefaultClient, "GET", "/test/public", "", "X-Forwarded-For", said); text != " 127.0.0.1" {
			t.Errorf("%q is believed of anybody: %s", said, text)
		}
		if _, text, _ := proxied.ask(http.DefaultClient, "GET", "/test/public", "", "X-Forwarded-For", said); text != " "+want {
			t.Errorf("%q of a proxy: %s, want %s", said, text, want)
		}
	}
	code, err := proxied.opts.Access.AddLink(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	_, _, header := proxied.ask(browser(t), "POST", "/login", url.Values{"once": {code}}.Encode(), "Content-Type", form, "X-Forwarded-Proto", "https")
	if set := header.Get("Set-Cookie"); !strings.HasPrefix(set, "__Secure-w3host=") || !strings.Contains(set, "Secure") || !strings.Contains(set, "Path=/w3/") {
		t.Errorf("the cookie behind a proxy: %s", set)
	}
	if header.Get("Location") != "/w3/" {
		t.Errorf("the way on: %s", header.Get("Location"))
	}
}

// Below a base path is nothing but what is below it, and the path itself leads there.
func TestBasePath(t *testing.T) {
	w := openWindow(t, func(o *Options) { o.BasePath = "/w3" })
	w.url = strings.TrimSuffix(w.url, "/w3")
	for path, want := range map[string]int{"/w3": 307, "/w3/login": 200, "/login": 404, "/w3login": 404, "/": 404} {
		status, _, header := w.ask(browser(t), "GET", path, "")
		if status != want || status == 307 && header.Get("Location") != "/w3/" {
			t.Errorf("%s: %d to %q", path, status, header.Get("Location"))
		}
	}
}

// What there is no handler for is a problem, too, which names the methods that there are.
func TestNoHandler(t *testing.T) {
	w := openWindow(t, nil)
	for _, c := range []struct {
		method, path string
		status       int
		code, allow  string
	}{
		{"POST", "/", 405, "method_not_allowed", "GET, HEAD"},
		{"PATCH", "/login", 405, "method_not_allowed", "GET, HEAD, POST"},
		{"GET", "/nonsense", 404, "not_found", ""},
	} {
		status, text, header := w.ask(http.DefaultClient, c.method, c.path, "")
		if status != c.status || header.Get("Content-Type") != "application/problem+json" || header.Get("Allow") != c.allow || !strings.Contains(text, `"code":"`+c.code+`"`) {
			t.Errorf("%s %s: %d %v %s", c.method, c.path, status, header, text)
		}
	}
}

// A fault of a handler ends its request only, and is in the log.
func TestHandlerFault(t *testing.T) {
	w := openWindow(t, nil)
	if answer, err := http.Get(w.url + "/test/fault"); err == nil {
		answer.Body.Close()
		t.Errorf("the answer of a handler that fails: %s", answer.Status)
	}
	w.log.Await(t, `(level":"error.*http: panic serving)`)
	if status, _, _ := w.ask(http.DefaultClient, "GET", "/test/public", ""); status != 200 {
		t.Errorf("afterwards: %d", status)
	}
}

// A port beside the window asks nobody who they are, and ends with it.
func TestBeside(t *testing.T) {
	w := openWindow(t, nil)
	w.url = "http://" + w.endpoints[1].listener.Addr().String()
	if status, _, _ := w.ask(http.DefaultClient, "GET", "/", "", "Host", "prometheus.example"); status != 404 {
		t.Errorf("%d", status)
	}
}

// When all places are taken, there is one on the machine itself.
func TestPlaceOnTheMachine(t *testing.T) {
	b := newBounded(nil, []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32")})
	for i := range maxConns {
		if b.take(netip.AddrFrom4([4]byte{203, 0, byte(i >> 8), byte(i)})) != admitted {
			t.Fatalf("connection %d", i)
		}
	}
	for _, one := range []string{"192.0.2.1", "127.0.0.2"} {
		if b.take(netip.MustParseAddr(one)) != refused {
			t.Errorf("there is a place for %s", one)
		}
	}
	for _, one := range []string{"127.0.0.1", "::1"} {
		for i := range maxConnsPerAddr + 1 {
			if got := b.take(netip.MustParseAddr(one)); (got == admitted) != (i < maxConnsPerAddr) {
				t.Fatalf("connection %d of %s: %v", i, one, got)
			}
		}
	}
	proxy := netip.MustParseAddr("10.0.0.1")
	for i := range reservedConns + 1 {
		if got := b.take(proxy); (got == reserved) != (i < reservedConns) {
			t.Fatalf("connection %d of a proxy: %v", i, got)
		}
	}
	if b.free(proxy, reserved); b.take(proxy) != reserved {
		t.Error("a reserved place that is free again is not given")
	}
}

// Each request is timed by what it asks for and how it is answered, but no stream.
func TestRequestsAreTimed(t *testing.T) {
	var mu sync.Mutex
	var told []string
	w := openWindow(t, func(o *Options) { o.BasePath = "/w3" })
	w.Took = func(group string, status int, took time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		if told = append(told, fmt.Sprint(group, " ", status)); took <= 0 {
			t.Errorf("%s took %v", group, took)
		}
	}
	for _, path := range []string{"/login", "/", "/static/login.js", "/static/none", "/test/public", "/api/v1/none", "/api/v1/events", "/events", "/status.json"} {
		w.ask(browser(t), "GET", path, "", "Accept", "text/html")
	}
	w.ask(browser(t), "GET", "/login", "", "Host", "evil.example")
	if answer, err := http.Get(w.url + "/test/fault"); err == nil {
		answer.Body.Close()
	}
	want := []string{"page 200", "page 303", "file 200", "file 404", "api 404", "other 404", "page 200", "page 421", "page 500"}
	slices.Sort(want)
	testkit.Eventually(t, fmt.Sprint(want), func() bool { // they are told when they have ended
		mu.Lock()
		defer mu.Unlock()
		slices.Sort(told)
		return len(told) >= len(want)
	})
	if !slices.Equal(told, want) {
		t.Errorf("%q, want %q", told, want)
	}
}

// Whoever holds connections open, or sends headers slowly, keeps nobody out.
func TestManyConnections(t *testing.T) {
	tier.All(t, "waits for real time")
	w := openWindow(t, func(o *Options) { o.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} })
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	closed := 0
	var held []net.Conn
	for range maxConnsPerAddr + 50 {
		conn, err := d.Dial("tcp", w.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		held = append(held, conn)
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHo")
	}
	for _, conn := range held[maxConnsPerAddr:] {
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := conn.Read(make([]byte, 1)); err != nil && !strings.Contains(err.Error(), "timeout") {
			closed++
		}
	}
	if closed != 50 {
		t.Errorf("%d connections over the limit were closed at once, want 50", closed)
	}
	if status, _, _ := w.ask(http.DefaultClient, "GET", "/test/public", ""); status != 200 {
		t.Errorf("another address: %d", status)
	}
	_ = held[0].SetReadDeadline(time.Now().Add(2 * headerWithin))
	if _, err := io.ReadAll(held[0]); err != nil && strings.Contains(err.Error(), "timeout") {
		t.Errorf("slow headers are waited for: %v", err)
	}
}
