package web

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"w3host/web/access"
)

// policy holds the security headers of every response. With the referrer policy no-referrer,
// browsers would send the Origin of forms as "null", hence same-origin.
var policy = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types w3host",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "same-origin",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cache-Control":                "no-store",
}

type key struct{}

// Principal describes the caller of a request.
type Principal struct {
	access.Identity
	Addr    netip.Addr // of the browser, also behind a trusted proxy
	Secure  bool       // by TLS, also at a trusted proxy
	Outside bool       // at the port where nobody logs in
	again   func(now time.Time) (access.Identity, bool)
}

// Caller returns the caller of a request. Without a session or token its role is access.Public.
func Caller(r *http.Request) Principal { return CallerOf(r.Context()) }

// CallerOf returns the caller stored in the context of a request.
func CallerOf(ctx context.Context) Principal {
	from, _ := ctx.Value(key{}).(Principal)
	return from
}

// WithCaller returns a context from which CallerOf returns from.
func WithCaller(ctx context.Context, from Principal) context.Context {
	return context.WithValue(ctx, key{}, from)
}

// SessionValid reports whether the session or token of a long request, such as a stream, is still
// valid and has the same role as at its start.
func SessionValid(r *http.Request) bool {
	from := Caller(r)
	if from.again == nil {
		return true
	}
	who, _ := from.again(time.Now())
	return who == from.Identity
}

// checks wraps all handlers of the web console. It checks the Host header, identifies the caller by
// token or session, and limits the requests in flight.
func (s *Server) checks() http.Handler {
	h := s.guarded(http.HandlerFunc(s.route))
	return protected(func(w http.ResponseWriter, r *http.Request) {
		if !s.knownHost(r.Host) {
			WriteProblem(w, http.StatusMisdirectedRequest, "unknown_host",
				fmt.Sprintf("this host does not know itself as %.100q: add that name to web.hosts in its configuration", r.Host))
			return
		}
		from := Principal{Addr: s.address(r), Secure: s.secure(r)}
		now := time.Now()
		if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
			from.again = func(now time.Time) (access.Identity, bool) { return s.opts.Access.Token(token, from.Addr, now) }
			if from.Identity, ok = from.again(now); !ok {
				w.Header().Set("WWW-Authenticate", "Bearer")
				WriteProblem(w, http.StatusUnauthorized, "bad_token", "the token is unknown, too old, or not for this address")
				return
			}
		} else if cookie, err := r.Cookie(s.cookie(from.Secure)); err == nil {
			from.again = func(now time.Time) (access.Identity, bool) { return s.opts.Access.Session(cookie.Value, now) }
			from.Identity, _ = from.again(now)
		}
		s.counted(w, r.WithContext(WithCaller(r.Context(), from)), &from, h)
	})
}

// route calls the handler registered for a request. If there is none for the path or the method, it
// writes a Problem instead of the plain text of http.ServeMux.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	h, pattern := s.mux.Handler(r)
	if pattern != "" {
		s.mux.ServeHTTP(w, r)
		return
	}
	var none unanswered
	none.header = w.Header() // with the methods allowed
	h.ServeHTTP(&none, r)
	if none.status == http.StatusNotFound {
		WriteProblem(w, none.status, "not_found", "there is nothing at this path")
		return
	}
	WriteProblem(w, none.status, "method_not_allowed", fmt.Sprintf("this path does not take %.20s: Allow names what it takes", r.Method))
}

// unanswered is a http.ResponseWriter that records the status of a response and discards its body.
type unanswered struct {
	header http.Header
	status int
}

func (u *unanswered) Header() http.Header         { return u.header }
func (u *unanswered) WriteHeader(status int)      { u.status = status }
func (u *unanswered) Write(p []byte) (int, error) { return len(p), nil }

// guarded refuses cross-origin requests and removes base_path from the path.
func (s *Server) guarded(h http.Handler) http.Handler {
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		WriteProblem(w, http.StatusForbidden, "cross_origin", "the request comes from a page of another site")
	}))
	h = guard.Handler(h)
	if base := s.opts.BasePath; base != "" {
		below := http.NewServeMux()
		below.Handle(base+"/", http.StripPrefix(base, h)) // which redirects base itself, too
		h = below
	}
	return h
}

// protected sets the headers of policy on every response.
func protected(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range policy {
			w.Header().Set(name, value)
		}
		h(w, r)
	})
}

// outside wraps the handlers of a port without log-in. It accepts any Host header, because requests
// through a foreign name reach only what is public anyway.
func (s *Server) outside(h http.Handler) http.Handler {
	h = s.guarded(h)
	return protected(func(w http.ResponseWriter, r *http.Request) {
		from := Principal{Addr: s.address(r), Secure: s.secure(r), Outside: true}
		s.counted(w, r.WithContext(WithCaller(r.Context(), from)), &from, h)
	})
}

// only wraps a handler for callers with at least the given role. Browsers without a session are
// redirected to the log-in page.
func (s *Server) only(role access.Role, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := Caller(r)
		switch {
		case who.Role >= role:
			h.ServeHTTP(w, r)
		case who.Role > access.Public:
			WriteProblem(w, http.StatusForbidden, "forbidden", fmt.Sprintf("this needs the role %v; yours is %v", role, who.Role))
		case r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html"):
			http.Redirect(w, r, s.URL("/login"), http.StatusSeeOther)
		default:
			w.Header().Set("WWW-Authenticate", "Bearer")
			WriteProblem(w, http.StatusUnauthorized, "unauthorized", "this needs a login or a token")
		}
	})
}

// knownHost reports whether the Host header is an address, localhost or one of web.hosts. It
// protects against DNS rebinding: an attacker can point a name at this host, but not an address.
func (s *Server) knownHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return slices.ContainsFunc(append([]string{"localhost"}, s.opts.Hosts...), func(known string) bool { return strings.EqualFold(host, known) })
}

// within reports whether an address is in one of the networks.
func within(networks []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(addr) })
}

func remote(r *http.Request) netip.Addr {
	ap, _ := netip.ParseAddrPort(r.RemoteAddr)
	return ap.Addr().Unmap().WithZone("")
}

// address returns the address of the client. It follows X-Forwarded-For from the nearest proxy on,
// as long as each proxy is trusted.
func (s *Server) address(r *http.Request) netip.Addr {
	addr := remote(r)
	said := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, text := range slices.Backward(said) {
		next, err := netip.ParseAddr(strings.TrimSpace(text))
		if !within(s.opts.Proxies, addr) || err != nil {
			break
		}
		addr = next.Unmap().WithZone("")
	}
	return addr
}

func (s *Server) secure(r *http.Request) bool {
	return r.TLS != nil || within(s.opts.Proxies, remote(r)) && r.Header.Get("X-Forwarded-Proto") == "https"
}
