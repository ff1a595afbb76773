// Package web is the HTTP server of the web console, the API and the public site, with the
// authentication of their users. It knows nothing about games: the packages below it show
// facts of the host, and their actions are commands that the host executes.
//
// Each of these packages registers its handlers before Serve:
//
//	s.Handle("GET /maps", access.Viewer, maps)
//
// The handler runs only for callers with at least that role, after all checks: Host header,
// cross-origin requests, session or token. [Caller] returns the caller and its address,
// [WriteProblem] writes an error (RFC 9457), [Server.URL] adds web.base_path to a path, and
// [Stream] removes the time limits of a streaming response. A GET must not change anything.
// Scripts and styles must be files (registered under "GET /static/"), because the content
// security policy forbids inline ones.
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

// Time limits of connections and requests. Streams and uploads set their own.
const (
	headerWithin  = 5 * time.Second
	requestWithin = 30 * time.Second
	answerWithin  = 30 * time.Second
	// bodyWithin is the time limit for receiving a request body after its headers, except for
	// uploads.
	bodyWithin = 5 * time.Second
	idleFor    = time.Minute
	stopWithin = 200 * time.Millisecond
	maxHeader  = 16 << 10 // bytes
	// maxStreams limits the concurrent requests on one HTTP/2 connection. Each open page uses one.
	maxStreams = 64
)

// Options holds the settings of a server.
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

// Server is the HTTP server of the web console, with all its ports. It never accesses data of the
// game loop.
type Server struct {
	opts      Options
	mux       *http.ServeMux
	endpoints []*endpoint // the first is the web console
	tries     tries
	worker    worker
	// inFlight counts requests on all ports.
	inFlight inFlight
	// Took, if not nil, is called with the duration of every non-streaming request, its group (one
	// of Groups) and the status of the response. It must not block. Set it before Serve.
	Took func(group string, status int, took time.Duration)
}

// endpoint is a listening port with its handler.
type endpoint struct {
	*http.Server
	listener net.Listener
}

// open listens on an address and serves h there, with TLS unless secure is nil.
func (s *Server) open(listen string, h http.Handler, secure *tls.Config) (net.Addr, error) {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, err
	}
	s.attach(l, h, secure)
	return l.Addr(), nil
}

// attach serves h on a listener.
func (s *Server) attach(l net.Listener, h http.Handler, secure *tls.Config) {
	s.endpoints = append(s.endpoints, &endpoint{listener: newBounded(l, s.opts.Proxies), Server: &http.Server{
		Handler: h, TLSConfig: secure, ReadHeaderTimeout: headerWithin, ReadTimeout: requestWithin, WriteTimeout: answerWithin, IdleTimeout: idleFor,
		MaxHeaderBytes: maxHeader, HTTP2: &http.HTTP2Config{MaxConcurrentStreams: maxStreams}, ConnContext: connContext, ErrorLog: log.New(faults{s.opts.Log}, "", 0),
	}})
}

// Beside serves h on a port of its own, without any authentication. Call it before Serve.
func (s *Server) Beside(listen string, h http.Handler) (net.Addr, error) {
	return s.open(listen, h, nil)
}

// Outside serves h on a port of its own for the public: it ignores cookies and tokens. Call it
// before Serve.
func (s *Server) Outside(listen string, h http.Handler) (net.Addr, error) {
	return s.open(listen, s.timed(s.outside(h)), s.endpoints[0].TLSConfig.Clone())
}

// Open listens on o.Listen. It answers requests only once Serve runs.
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

// newServer returns a server without ports.
func newServer(o Options) *Server {
	s := &Server{opts: o, mux: http.NewServeMux(), tries: newTries(), worker: newWorker(), inFlight: inFlight{from: make(map[origin]int)}}
	s.login()
	return s
}

// Handle registers a handler for a pattern of http.ServeMux, for callers with at least the given
// role.
func (s *Server) Handle(pattern string, role access.Role, h http.Handler) {
	s.mux.Handle(pattern, s.only(role, h))
}

// Addr returns the address on which the web console listens.
func (s *Server) Addr() net.Addr { return s.endpoints[0].listener.Addr() }

// URL returns path with web.base_path in front, for links and redirects.
func (s *Server) URL(path string) string { return s.opts.BasePath + path }

// Serve answers requests until ctx ends. Then requests in flight get up to stopWithin to complete.
func (s *Server) Serve(ctx context.Context) error {
	s.endpoints[0].Handler = s.timed(s.checks())
	ended := make(chan error)
	for _, d := range s.endpoints {
		d.Handler = s.received(d.Handler)
		go func() { ended <- d.serve(ctx) }()
	}
	var err error
	for range s.endpoints {
		err = errors.Join(err, <-ended)
	}
	return err
}

func (d *endpoint) serve(ctx context.Context) error {
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

// Close closes the ports of a server that has not served.
func (s *Server) Close() {
	for _, d := range s.endpoints {
		_ = d.listener.Close()
	}
}

// Stream removes the time limits of a request whose response is a stream. The handler sets a
// deadline for each write instead, with http.ResponseController.
func Stream(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Time{})
	_ = c.SetWriteDeadline(time.Time{})
}

// faults is the error log of net/http: it logs panics of handlers as errors, and faults of clients
// at debug level.
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
