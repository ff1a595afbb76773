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

// policy are the security headers of every answer. Same-origin referrers keep the Origin of forms, which
// no-referrer would make "null".
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

// From describes the sender of a request.
type From struct {
	access.Who
	Addr    netip.Addr // of the browser, also behind a trusted proxy
	Secure  bool       // by TLS, also at a trusted proxy
	Outside bool       // at the port where nobody logs in
	again   func(now time.Time) (access.Who, bool)
}

// Caller returns the sender of a request. Without a session or token the role is access.Public.
func Caller(r *http.Request) From { return CallerOf(r.Context()) }

// CallerOf is Caller by the context of the request.
func CallerOf(ctx context.Context) From {
	from, _ := ctx.Value(key{}).(From)
	return from
}

// WithCaller returns a context in which Caller returns from.
func WithCaller(ctx context.Context, from From) context.Context {
	return context.WithValue(ctx, key{}, from)
}

// Still reports whether the caller of a request that takes long is the same as when the
// request began, with the same role.
func Still(r *http.Request) bool {
	from := Caller(r)
	if from.again == nil {
		return true
	}
	who, _ := from.again(time.Now())
	return who == from.Who
}

// checks returns the handler that checks every request before its own handler gets it.
func (s *Server) checks() http.Handler {
	h := s.guarded(http.HandlerFunc(s.route))
	return protected(func(w http.ResponseWriter, r *http.Request) {
		if !s.knownHost(r.Host) {
			Fault(w, http.StatusMisdirectedRequest, "unknown_host",
				fmt.Sprintf("this host does not know itself as %.100q: add that name to web.hosts in its configuration", r.Host))
			return
		}
		from := From{Addr: s.address(r), Secure: s.secure(r)}
		now := time.Now()
		if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
			from.again = func(now time.Time) (access.Who, bool) { return s.opts.Access.Token(token, from.Addr, now) }
			if from.Who, ok = from.again(now); !ok {
				w.Header().Set("WWW-Authenticate", "Bearer")
				Fault(w, http.StatusUnauthorized, "bad_token", "the token is unknown, too old, or not for this address")
				return
			}
		} else if cookie, err := r.Cookie(s.cookie(from.Secure)); err == nil {
			from.again = func(now time.Time) (access.Who, bool) { return s.opts.Access.Session(cookie.Value, now) }
			from.Who, _ = from.again(now)
		}
		s.counted(w, r.WithContext(WithCaller(r.Context(), from)), &from, h)
	})
}

// route has the handler of a request answer. That there is none for its method is a problem like any other.
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
		Fault(w, none.status, "not_found", "there is nothing at this path")
		return
	}
	Fault(w, none.status, "method_not_allowed", fmt.Sprintf("this path does not take %.20s: Allow names what it takes", r.Method))
}

// unanswered takes the status of an answer, and nothing else.
type unanswered struct {
	header http.Header
	status int
}

func (u *unanswered) Header() http.Header         { return u.header }
func (u *unanswered) WriteHeader(status int)      { u.status = status }
func (u *unanswered) Write(p []byte) (int, error) { return len(p), nil }

// guarded refuses requests from pages of other sites, and takes base_path away.
func (s *Server) guarded(h http.Handler) http.Handler {
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		Fault(w, http.StatusForbidden, "cross_origin", "the request comes from a page of another site")
	}))
	h = guard.Handler(h)
	if base := s.opts.BasePath; base != "" {
		below := http.NewServeMux()
		below.Handle(base+"/", http.StripPrefix(base, h)) // which redirects base itself, too
		h = below
	}
	return h
}

// protected sets the policy.
func protected(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range policy {
			w.Header().Set(name, value)
		}
		h(w, r)
	})
}

// outside are the checks where nobody is logged in. Any Host is accepted there: a foreign
// name reaches nothing that is not public.
func (s *Server) outside(h http.Handler) http.Handler {
	h = s.guarded(h)
	return protected(func(w http.ResponseWriter, r *http.Request) {
		from := From{Addr: s.address(r), Secure: s.secure(r), Outside: true}
		s.counted(w, r.WithContext(WithCaller(r.Context(), from)), &from, h)
	})
}

// only lets callers with a role in. A browser that has not logged in is sent to the login.
func (s *Server) only(role access.Role, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := Caller(r)
		switch {
		case who.Role >= role:
			h.ServeHTTP(w, r)
		case who.Role > access.Public:
			Fault(w, http.StatusForbidden, "forbidden", fmt.Sprintf("this needs the role %v; yours is %v", role, who.Role))
		case r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html"):
			http.Redirect(w, r, s.URL("/login"), http.StatusSeeOther)
		default:
			w.Header().Set("WWW-Authenticate", "Bearer")
			Fault(w, http.StatusUnauthorized, "unauthorized", "this needs a login or a token")
		}
	})
}

// knownHost tells the window's own names from those that somebody has pointed at it. An
// address cannot be pointed elsewhere.
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

// address is where a request comes from. The headers of proxies are read from the nearest
// on, as far as each is trusted.
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
