package webhook

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"
	"time"

	"w3host/web/api"
	"w3host/web/view"
)

// Delivery is the data sent to a site: an event with its game and host. Templates get the same
// data.
type Delivery struct {
	Host string `json:"host"`
	api.Event
	Name    string `json:"name"`
	Map     string `json:"map"`
	Entry   string `json:"entry,omitempty"`
	Message string `json:"message,omitempty"`
}

const (
	plain = `{{.Type}}: {{.Name}} ({{.Map}}){{with .Player}}, {{.}}{{end}}{{with .Text}}: {{.}}{{end}}`
	// mostDiscord is the maximum number of characters in a Discord message.
	mostDiscord = 2000
	// noEmbeds is the Discord flag that suppresses previews of links.
	noEmbeds = 4
)

// Check returns all errors in the types of events and in the template.
func (h *Hook) Check() (faults []error) {
	types := slices.DeleteFunc(api.Types(), func(kind string) bool { return kind == "game.turns" })
	if len(h.Events) == 0 {
		faults = append(faults, fmt.Errorf("events is empty: choose of %s", strings.Join(types, ", ")))
	}
	for _, kind := range h.Events {
		if !slices.Contains(types, kind) {
			faults = append(faults, fmt.Errorf("events = %q: the types are %s", kind, strings.Join(types, ", ")))
		}
	}
	t, err := template.New("template").Parse(h.Template)
	if err == nil {
		err = t.Execute(io.Discard, Delivery{Event: api.Event{At: time.Unix(0, 0)}})
	}
	if err != nil {
		faults = append(faults, fmt.Errorf("template: %w; it has .Type .Host .Name .Map .Entry .Player .Text .Refused .At .Game and .Key", err))
	}
	return faults
}

// body returns the body of the request.
func (h *Hook) body(t Delivery) ([]byte, error) {
	if h.Discord {
		for _, text := range []*string{&t.Host, &t.Name, &t.Map, &t.Entry, &t.Player, &t.Text, &t.Refused} {
			*text = escape(*text)
		}
	}
	if text := h.Template; text != "" || h.Discord {
		made, err := template.New("template").Parse(cmp.Or(text, plain))
		if err != nil {
			return nil, err
		}
		var b strings.Builder
		if err := made.Execute(&b, t); err != nil {
			return nil, err
		}
		t.Message = b.String()
	}
	if !h.Discord {
		return json.Marshal(t)
	}
	runes := []rune(t.Message)
	return json.Marshal(map[string]any{
		"content": string(runes[:min(len(runes), mostDiscord)]), "flags": noEmbeds,
		"allowed_mentions": map[string]any{"parse": []string{}}, // no name calls everyone
	})
}

// escape escapes Discord's markup, so that player names cannot become links or mentions.
func escape(text string) string {
	var b strings.Builder
	for _, r := range view.Visible(text) {
		if strings.ContainsRune("\\*_~`|>#[]()<@:-.", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
