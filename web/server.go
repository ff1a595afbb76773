// Package web is the operator's window: an HTTP server beside the games, and the rights
// of its users. It has no rule and no text of a game. It shows facts and answers of
// the host, and its actions are commands of a caller.
//
// Each part of the window registers its handlers before Serve:
//
//	s.Handle("GET /maps", access.Viewer, maps)
//
// The handler runs for callers with that role at least, behind all checks: Host,
// cross-origin requests, session or token. [Caller] says who it is and from where, [Fault]
// answers with a problem (RFC 9457), [Server.URL] makes an address below web.base_path, and
// [Stream] lifts the time limits for an answer that has no end. No GET may change anything.
// Scripts and styles are files (Handle them under "GET /static/"): the content security
// policy forbids what stands inside a page.
package web

import (
	"context"
	"crypto/tls"
	"errors"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"w3host/storage"
	"w3host/web/access"
)

// Time limits of a connection and of one request. Streams and uploads set their own.
const (
	headerWithin  = 5 * time.Second
	requestWithin = 30 * time.Second
	answerWithin  = 30 * time.Second
	// bodyWithin is the time in which the body of a request has to come behind its headers, except that of an upload.
	bodyWithin = 5 * time.Second
	idleFor    = time.Minute
	stopWithin = 200 * time.Millisecond
	maxHeader  = 16 << 10 // bytes
	// maxStreams is how many requests one connection of HTTP/2 may have at the same time. Each page in a browser holds one.
	maxStreams = 64
)

// Options are the settings of a server.
type Options struct {
	Listen   string
	Hosts    []string       // names by which browsers may ask for it, beside addresses and localhost
	Proxies  []netip.Prefix // whose X-Forwarded-For and X-Forwarded-Proto are believed
	BasePath string         // "/w3host" behind a proxy; empty: none
	Cert     string         // files of TLS; empty: plain HTTP
	Key      string
	Autocert *Autocert // instead of these; nil: none
	Access   *access.Store
	Audit    func(storage.AdminAction)
	Log      zerolog.Logger
}

// Server is the window. It never touches data of the loop of the games.
type Server struct {
	opts   Options
	mux    *http.ServeMux
	doors  []*door // the first is the window's own
	tries  tries
	worker worker
	// inFlight are the requests at all ports.
	inFlight inFlight
	// Took is told how long each request took that is no stream, by one of Groups and its status. It must not
	// wait. Set it before Serve; nil: nobody is told.
	Took func(group string, status int, took time.Duration)
}

// door is a port with what answers there.
type door struct {
	*http.Server
	listener net.Listener
}

// open adds a port; secure is nil where it is plain HTTP.
func (s *Server) open(listen string, h http.Handler, secure *tls.Config) (net.Addr, error) {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, err
	}
	s.attach(l, h, secure)
	return l.Addr(), nil
}

// attach has a handler answer at a listener.
func (s *Server) attach(l net.Listener, h http.Handler, secure *tls.Config) {
	s.doors = append(s.doors, &door{listener: newBounded(l, s.opts.Proxies), Server: &http.Server{
		Handler: h, TLSConfig: secure, ReadHeaderTimeout: headerWithin, ReadTimeout: requestWithin, WriteTimeout: answerWithin, IdleTimeout: idleFor,
		MaxHeaderBytes: maxHeader, HTTP2: &http.HTTP2Config{MaxConcurrentStreams: maxStreams}, ConnContext: connContext, ErrorLog: log.New(faults{s.opts.Log}, "", 0),
	}})
}

// Beside has a handler answer on a port of its own, without any check of who asks. Call it
// before Serve.
func (s *Server) Beside(listen string, h http.Handler) (net.Addr, error) {
	return s.open(listen, h, nil)
}

// Outside has a handler answer on a port of its own, where nobody logs in: no cookie and no
// token counts there. Call it before Serve.
func (s *Server) Outside(listen string, h http.Handler) (net.Addr, error) {
	return s.open(listen, s.timed(s.outside(h)), s.doors[0].TLSConfig.Clone())
}

// Open listens; nothing is answered before Serve.
func Open(o Options) (*Server, error) {
	s := newServer(o)
	secure, err := o.secure()
	if err != nil {
		return nil, err
	}
	if _, err := s.open(o.Listen, nil, secure); err != nil {
		return nil, err
	}
	return s, nil
}

// newServer returns a server that has no port yet.
func newServer(o Options) *Server {
	s := &Server{opts: o, mux: http.NewServeMux(), tries: newTries(), worker: newWorker(), inFlight: inFlight{from: make(map[origin]int)}}
	s.login()
	return s
}

// Handle has a handler answer the requests that the pattern of http.ServeMux describes, for callers with
// that role at least.
func (s *Server) Handle(pattern string, role access.Role, h http.Handler) {
	s.mux.Handle(pattern, s.only(role, h))
}

// Addr is where the server listens.
func (s *Server) Addr() net.Addr { return s.doors[0].listener.Addr() }

// URL is the address of a path for links and redirections.
func (s *Server) URL(path string) string { return s.opts.BasePath + path }

// Serve answers until ctx ends. Then requests under way get a moment, streams none.
func (s *Server) Serve(ctx context.Context) error {
	s.doors[0].Handler = s.timed(s.checks())
	ended := make(chan error)
	for _, d := range s.doors {
		d.Handler = s.received(d.Handler)
		go func() { ended <- d.serve(ctx) }()
	}
	var err error
	for range s.doors {
		err = errors.Join(err, <-ended)
	}
	return err
}

func (d *door) serve(ctx context.Context) error {
	d.BaseContext = func(net.Listener) context.Context { return ctx }
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		ending, cancel := context.WithTimeout(context.Background(), stopWithin)
		defer cancel()
		if d.Shutdown(ending) != nil {
			_ = d.Close()
		}
	})
	var err error
	if d.TLSConfig != nil {
		err = d.ServeTLS(d.listener, "", "")
	} else {
		err = d.Serve(d.listener)
	}
	if !stop() {
		<-stopped
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Close ends a server that has not served.
func (s *Server) Close() {
	for _, d := range s.doors {
		_ = d.listener.Close()
	}
}

// Stream lifts the time limits of a request whose answer has no end. Each write has its
// own limit then, which the handler sets with http.ResponseController.
func Stream(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Time{})
	_ = c.SetWriteDeadline(time.Time{})
}

// faults writes what net/http says of connections to the log: panics of handlers as errors,
// the faults of clients for debugging.
type faults struct{ log zerolog.Logger }

func (f faults) Write(p []byte) (int, error) {
	text := strings.TrimSpace(string(p))
	if strings.HasPrefix(text, "http: panic") {
		f.log.Error().Msg(text)
	} else {
		f.log.Debug().Msg(text)
	}
	return len(p), nil
}
