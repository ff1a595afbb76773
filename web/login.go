package web

import (
	"context"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"strings"
	"time"

	"w3host/storage"
	"w3host/texts"
	"w3host/web/access"
)

const (
	loginPatience = 5 * time.Second
	// triesWait delays the answer to a client that tries too often, which slows down password
	// guessing.
	triesWait = time.Second
	maxForm   = 4 << 10 // bytes
)

// ErrBusy is returned if a password check could not start in time because too many others were
// waiting.
var ErrBusy = errors.New("too many people log in at the same time: try again in a few seconds")

// check verifies a password on the server's background thread.
func (s *Server) check(ctx context.Context, name, password string) (access.Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, loginPatience)
	defer cancel()
	who, err := access.Identity{}, ErrBusy
	s.Work(ctx, func() { who, err = s.opts.Access.Check(name, password) })
	return who, err
}

//go:embed static *.html
var files embed.FS

var pages = template.Must(template.ParseFS(files, "*.html"))

// login registers the handlers for logging in and out.
func (s *Server) login() {
	s.Handle("GET /login", access.Public, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.showLogin(w, r, http.StatusOK, "") }))
	s.Handle("POST /login", access.Public, http.HandlerFunc(s.logIn))
	s.Handle("POST /logout", access.Public, http.HandlerFunc(s.logOut))
	s.Handle("GET /static/login.js", access.Public, http.FileServerFS(files))
}

// entrance is the data of the log-in page.
type entrance struct {
	Base, Fault, Theme string
	Language, Other    texts.Language
}

// L returns a text of the page in its language.
func (e entrance) L(english string) string { return texts.Known(english).In(e.Language) }

func (s *Server) showLogin(w http.ResponseWriter, r *http.Request, status int, fault string) {
	e := entrance{Base: s.opts.BasePath, Theme: Theme(r), Language: Language(r), Other: texts.Chinese}
	if e.Language == texts.Chinese {
		e.Other = texts.English
	}
	if fault != "" {
		e.Fault = texts.Sentence(texts.Known(fault)).In(e.Language)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = pages.ExecuteTemplate(w, "login.html", e) // the browser is gone
}

// logIn logs in with name and password, or with the code of a one-time link.
func (s *Server) logIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		s.showLogin(w, r, http.StatusBadRequest, "the form could not be read")
		return
	}
	from := Caller(r)
	name, code := r.PostForm.Get("name"), strings.TrimSpace(r.PostForm.Get("once"))
	if !access.IsName(name) {
		name = "" // no account can have it, and neither limits nor the audit log keep texts of any length
	}
	if !s.tries.allow(name, from.Addr) {
		select {
		case <-time.After(triesWait):
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Retry-After", "180")
		s.showLogin(w, r, http.StatusTooManyRequests, "too many tries from here: wait a few minutes")
		return
	}
	var who access.Identity
	err := access.ErrWrong
	switch {
	case code != "":
		who, err = s.opts.Access.RedeemCode(code, time.Now())
		name = who.Name
	case name != "":
		who, err = s.check(r.Context(), name, r.PostForm.Get("password"))
	}
	var id string
	if err == nil {
		id, err = s.opts.Access.NewSession(who, time.Now())
	}
	s.audit(name, "web", "web login", from.Addr.String(), err)
	switch {
	case errors.Is(err, access.ErrWrong), errors.Is(err, access.ErrSpent):
		s.showLogin(w, r, http.StatusForbidden, err.Error())
	case err != nil:
		s.opts.Log.Warn().Err(err).Msg("a login failed")
		w.Header().Set("Retry-After", "5")
		s.showLogin(w, r, http.StatusServiceUnavailable, err.Error())
	default:
		s.setCookie(w, from.Secure, id, access.SessionFor)
		http.Redirect(w, r, s.URL("/"), http.StatusSeeOther)
	}
}

func (s *Server) logOut(w http.ResponseWriter, r *http.Request) {
	from := Caller(r)
	if cookie, err := r.Cookie(s.cookie(from.Secure)); err == nil && from.Role > access.Public {
		s.audit(from.Name, "web", "web logout", from.Addr.String(), s.opts.Access.End(cookie.Value))
	}
	s.setCookie(w, from.Secure, "", -time.Second)
	http.Redirect(w, r, s.URL("/login"), http.StatusSeeOther)
}

// Ordered runs do, a change of accounts, tokens or links by the caller in ctx, and records it in
// the audit log.
func (s *Server) Ordered(ctx context.Context, action, on string, do func() error) error {
	from, err := CallerOf(ctx), do()
	s.audit(from.Name, from.Via, action, on, err)
	return err
}

// audit records an action in the audit log.
func (s *Server) audit(who, via, action, on string, err error) {
	a := storage.AdminAction{At: time.Now(), Who: who, Via: via, Action: action, On: on}
	if err != nil {
		a.Refused = err.Error()
	}
	s.opts.Audit(a)
}

// cookie returns the name of the session cookie. Browsers accept cookies with the prefixes __Host-
// and __Secure- only over TLS, and the first only for this exact host.
func (s *Server) cookie(secure bool) string {
	switch {
	case secure && s.opts.BasePath == "":
		return "__Host-w3host"
	case secure:
		return "__Secure-w3host"
	}
	return "w3host"
}

func (s *Server) setCookie(w http.ResponseWriter, secure bool, id string, age time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookie(secure), Value: id, Path: s.URL("/"), MaxAge: int(age / time.Second),
		Secure: secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}
