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

// maxForm is the maximum size of a posted form in bytes.
const maxForm = 16 << 10

// number returns the game number in the request's path, or false if it is invalid.
func number(r *http.Request) (uint32, bool) {
	id, err := strconv.ParseUint(r.PathValue("id"), 10, 32)
	return uint32(id), err == nil && id > 0
}

// form returns a handler that parses the posted form before it calls h.
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

// command runs the command of a button or of the chat box on behalf of the visitor. Text in the chat box that does not
// begin with the trigger is sent to the game's players as chat.
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
	if before := r.PostForm.Get("before"); before != "" && line != "" { // addresses another host, such as "eg 2-17" or "at 2"
		line = before + " " + line
	}
	p.carryOut(w, r, control.Order{Game: id, Command: line})
}

func (p *Pages) open(w http.ResponseWriter, r *http.Request) {
	line := "host " + view.Quoted(r.PostForm.Get("map")) + " " + strings.TrimSpace(r.PostForm.Get("name"))
	p.carryOut(w, r, control.Order{Command: strings.TrimSpace(line)})
}

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

// carryOut runs a command on behalf of the visitor and shows the answer.
func (p *Pages) carryOut(w http.ResponseWriter, r *http.Request, order control.Order) {
	if strings.TrimSpace(order.Command) == "" {
		http.Error(w, "there is no command", http.StatusBadRequest)
		return
	}
	p.answer(w, r, p.opts.Command(r.Context(), p.frame(r, "", "").caller(), order))
}

// answer sends the result of a form: as JSON if the request accepts it, as scripts do, and otherwise as a page.
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

// back returns the path of the page that contains the submitted form.
func (p *Pages) back(r *http.Request) string {
	if from, err := url.Parse(r.Referer()); err == nil && from.Path != "" {
		return path.Clean("/" + from.EscapedPath()) // always a path of this site, even if it began with //
	}
	return p.opts.Base + "/"
}

// prefer stores the visitor's language or theme in a cookie.
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
