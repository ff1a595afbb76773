package pages

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"w3host/control"
	"w3host/web/view"
)

// maxForm bounds the form that a browser posts, in bytes.
const maxForm = 16 << 10

// number is the number of the game that a path names.
func number(r *http.Request) (uint32, bool) {
	id, err := strconv.ParseUint(r.PathValue("id"), 10, 32)
	return uint32(id), err == nil && id > 0
}

// form has a handler read the form that a browser posts.
func form(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			http.Error(w, "the form is too long or no form", http.StatusRequestEntityTooLarge)
			return
		}
		h(w, r)
	}
}

// command carries out what a button or the chat box says: a line of the visitor. Text that
// does not begin with the trigger is said in the game.
func (p *Pages) command(w http.ResponseWriter, r *http.Request) {
	id, ok := number(r)
	if r.PathValue("id") != "" && !ok {
		http.NotFound(w, r)
		return
	}
	line := r.PostForm.Get("line")
	if text := r.PostForm.Get("text"); text != "" {
		if rest, isCommand := strings.CutPrefix(text, p.opts.Trigger); isCommand {
			line = rest
		} else {
			line = "say " + text
		}
	}
	if before := r.PostForm.Get("before"); before != "" && line != "" { // for another host: eg 2-17, at 2
		line = before + " " + line
	}
	p.carryOut(w, r, control.Order{Game: id, Command: line})
}

// open opens a lobby.
func (p *Pages) open(w http.ResponseWriter, r *http.Request) {
	line := "host " + view.Quoted(r.PostForm.Get("map")) + " " + strings.TrimSpace(r.PostForm.Get("name"))
	p.carryOut(w, r, control.Order{Command: strings.TrimSpace(line)})
}

// ban bans a player.
func (p *Pages) ban(w http.ResponseWriter, r *http.Request) {
	line := "ban " + view.Quoted(r.PostForm.Get("name"))
	if span := strings.TrimSpace(r.PostForm.Get("time")); span != "" {
		line += " " + span
	}
	if reason := strings.TrimSpace(r.PostForm.Get("reason")); reason != "" {
		line += " " + view.Quoted(reason)
	}
	p.carryOut(w, r, control.Order{Command: line})
}

// carryOut has an order carried out in the name of the visitor, and shows the answers.
func (p *Pages) carryOut(w http.ResponseWriter, r *http.Request, order control.Order) {
	if strings.TrimSpace(order.Command) == "" {
		http.Error(w, "there is no command", http.StatusBadRequest)
		return
	}
	p.answer(w, r, p.opts.Command(r.Context(), p.frame(r, "", "").caller(), order))
}

// answer shows the result of a form: to a script as JSON, else as a page.
func (p *Pages) answer(w http.ResponseWriter, r *http.Request, answer control.Answer) {
	if strings.Contains(r.Header.Get("Accept"), "application/json") {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
		return
	}
	p.show(w, p.frame(r, "", "Answer"), "answer", struct {
		control.Answer
		Back string
	}{answer, p.back(r)})
}

// back is the page that a form stands on.
func (p *Pages) back(r *http.Request) string {
	if from, err := url.Parse(r.Referer()); err == nil && from.Path != "" {
		return path.Clean("/" + from.EscapedPath()) // of this site, whatever it begins with
	}
	return p.opts.Base + "/"
}

// prefer keeps a language or a theme, in the browser.
func (p *Pages) prefer(w http.ResponseWriter, r *http.Request) {
	for _, name := range []string{"lang", "theme"} {
		if value := r.PostForm.Get(name); value != "" && len(value) < 16 {
			http.SetCookie(w, &http.Cookie{
				Name: name, Value: value, Path: p.opts.Base + "/", MaxAge: 365 * 24 * 3600, SameSite: http.SameSiteLaxMode, HttpOnly: true,
			})
		}
	}
	http.Redirect(w, r, p.back(r), http.StatusSeeOther)
}
