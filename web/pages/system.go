package pages

import (
	"context"
	"net/http"
	"strings"
	"time"

	"w3host/control"
	"w3host/game/command"
	"w3host/storage"
	"w3host/texts"
	"w3host/web"
	"w3host/web/access"
	"w3host/web/hub"
)

// checksWithin is the time limit for all checks together.
const checksWithin = 20 * time.Second

// System is the state of the host and of everything it needs.
type System struct {
	Version string
	Records storage.RecorderStats
	Stay    []Staying
}

// Staying is a game that stayed with the previous process at an upgrade.
type Staying struct {
	ID   uint32
	Text texts.Text
}

// Finding is the result of a check. A Finding with a Remedy is a problem.
type Finding struct{ What, Detail, Remedy string }

// standing is the data of the system page.
type standing struct {
	System
	Watchers []hub.Watcher
	Dropped  uint64 // number of watchers disconnected because they read too slowly
	Lost     uint64 // number of events dropped because the buffer was full
}

// system shows the state of the host.
func (p *Pages) system(w http.ResponseWriter, r *http.Request) {
	s := standing{System: p.opts.System()}
	_, s.Lost = p.opts.Live.Standing()
	s.Watchers, s.Dropped = p.opts.Live.Hub.Watchers()
	p.show(w, p.frame(r, "system", "System"), "system", s)
}

// answered returns a handler that runs the command line and shows its answer.
func (p *Pages) answered(line, title string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), asked) // it may have to wait for a slower command
		defer cancel()
		f := p.frame(r, "system", title)
		p.show(w, f, line, p.opts.Command(ctx, f.caller(), control.Order{Command: line}))
	}
}

// caller returns the visitor as the caller of a command.
func (f *frame) caller() command.Caller {
	return command.Caller{Name: f.Visitor.Name, Level: f.Visitor.Level, Via: command.ViaWeb, Language: f.Language}
}

// checks runs the checks of "w3host doctor" and shows the results. Only one run at a time is allowed.
func (p *Pages) checks(w http.ResponseWriter, r *http.Request) {
	f := p.frame(r, "system", "Checks of this machine")
	ctx, cancel := context.WithTimeout(r.Context(), checksWithin)
	defer cancel()
	var found []Finding
	var err error
	began := p.checking.Take(ctx, func() {
		err = p.opts.Examine(ctx, func(one Finding) { found = append(found, one) })
	})
	if !began || err != nil {
		found = append(found, Finding{f.L("Checks of this machine"), f.L("not all could be made in time"), f.L("try again")})
	}
	p.show(w, f, "checks", found)
}

// ordered is the data of a page of the audit log.
type ordered struct {
	Lines []storage.AdminAction
	Older string // parameter "before" of the next page; "" if there is none
}

// audit shows the audit log: administrative actions and logins.
func (p *Pages) audit(w http.ResponseWriter, r *http.Request) {
	before, _ := time.Parse(time.RFC3339Nano, r.URL.Query().Get("before"))
	p.ask(w, r, p.frame(r, "system", "Audit log"), "audit", func(ctx context.Context) (any, error) {
		var o ordered
		lines, older, err := p.opts.Log.AuditLog(ctx, before, perPage)
		if o.Lines = lines; !older.IsZero() {
			o.Older = older.UTC().Format(time.RFC3339Nano)
		}
		return o, err
	})
}

// keys is the data of the access page: accounts, API tokens and sessions.
type keys struct {
	Accounts []access.Account
	Tokens   []access.Token
	Sessions []access.Session
	Roles    []string
}

// access shows the accounts, tokens and sessions of the web console.
func (p *Pages) access(w http.ResponseWriter, r *http.Request) {
	f := p.frame(r, "system", "Who may log in")
	accounts, err := p.opts.Access.Accounts()
	if err != nil {
		p.fault(w, http.StatusServiceUnavailable, f, err.Error())
		return
	}
	k := keys{Accounts: accounts, Roles: access.Roles()}
	k.Tokens, _ = p.opts.Access.Tokens() // read from the same file as the accounts
	k.Sessions, _ = p.opts.Access.Sessions(f.Now)
	p.show(w, f, "access", k)
}

// changeAccess processes a form of the access page. It shows the text of a new token, which cannot be shown again.
func (p *Pages) changeAccess(w http.ResponseWriter, r *http.Request) {
	name, l := strings.TrimSpace(r.PostForm.Get("name")), web.Language(r)
	var action, said string
	var do func() error
	switch r.PostForm.Get("do") {
	case "logout":
		action, said, do = "web logout", texts.Sprintf(l, "%s is logged out.", name), func() error { return p.opts.Access.EndSessions(name) }
	case "add account":
		action, do = "web account add", func() (err error) {
			var role access.Role
			if err = role.UnmarshalText([]byte(r.PostForm.Get("role"))); err != nil {
				return err
			}
			if err = web.ErrBusy; p.opts.Work(r.Context(), func() { err = p.opts.Access.SetAccount(name, role, r.PostForm.Get("password"), time.Now()) }) {
				said = texts.Sprintf(l, "%s can log in, with the role %v.", name, role)
			}
			return err
		}
	case "remove account":
		action, said, do = "web account remove", texts.Sprintf(l, "%s cannot log in any more.", name), func() error { return p.opts.Access.RemoveAccount(name) }
	case "remove token":
		action, said, do = "web token remove", texts.Sprintf(l, "The token %s is worth nothing any more.", name), func() error { return p.opts.Access.RemoveToken(name) }
	case "add token":
		action, do = "web token add", func() (err error) {
			t := access.Token{Name: name, Made: time.Now()}
			if err = t.Role.UnmarshalText([]byte(r.PostForm.Get("role"))); err == nil {
				said, err = p.opts.Access.AddToken(t)
			}
			return err
		}
	default:
		http.Error(w, "there is no such order", http.StatusBadRequest)
		return
	}
	if err := p.opts.Ordered(r.Context(), action, name, do); err != nil {
		p.answer(w, r, control.Answer{Lines: []string{}, Refused: err.Error()})
		return
	}
	p.answer(w, r, control.Answer{Lines: []string{said}})
}
