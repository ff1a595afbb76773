package web

import (
	"net/http"
	"strings"
	"time"
)

// Groups holds the kinds of requests that are timed separately.
var Groups = []string{"page", "api", "file", "other"}

// group returns the kind of request for a path below web.base_path, or "" for streams, whose
// duration means nothing.
func group(path string) string {
	switch {
	case path == "/events", strings.HasPrefix(path, "/api/") && strings.HasSuffix(path, "/events"):
		return ""
	case strings.HasPrefix(path, "/api/"):
		return "api"
	case strings.HasPrefix(path, "/static/"), strings.HasPrefix(path, "/minimap/"), strings.HasPrefix(path, "/picture/"), strings.HasPrefix(path, "/style/"):
		return "file"
	case path == "/metrics", path == "/healthz", path == "/readyz", path == "/status.json", path == "/allgames", path == "/gamelist", path == "/matches.atom":
		return "other"
	}
	return "page"
}

// timed wraps a handler and reports the duration of each request to Took.
func (s *Server) timed(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		of := group(strings.TrimPrefix(r.URL.Path, s.opts.BasePath))
		if s.Took == nil || of == "" {
			h.ServeHTTP(w, r)
			return
		}
		began, a := time.Now(), &answer{ResponseWriter: w, status: http.StatusInternalServerError}
		defer func() { s.Took(of, a.status, time.Since(began)) }()
		h.ServeHTTP(a, r)
		a.begin(http.StatusOK)
	})
}

// answer records the status of a response. If the handler panics before it writes one, the status
// is 500.
type answer struct {
	http.ResponseWriter
	begun  bool
	status int
}

func (a *answer) begin(status int) {
	if !a.begun && status >= http.StatusOK { // a lower one comes before the answer
		a.begun, a.status = true, status
	}
}

func (a *answer) WriteHeader(status int) {
	a.begin(status)
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	a.begin(http.StatusOK)
	return a.ResponseWriter.Write(p)
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
