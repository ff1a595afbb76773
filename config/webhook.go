package config

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"w3host/realm/bncs"
)

// Webhook is a site that gets messages about what happens. Types of events and the template are checked
// by the room that sends. The URL is a secret: Discord's has a password in it.
type Webhook struct {
	URL      bncs.Secret `toml:"url"`
	Secret   bncs.Secret `toml:"secret"`
	Events   []string    `toml:"events"`
	Entries  []string    `toml:"entries"` // names of [[autohost]]; none: all lobbies and games
	Format   string      `toml:"format" default:"json"`
	Template string      `toml:"template"`
}

// Formats of webhooks.
const (
	FormatJSON    = "json"
	FormatDiscord = "discord"
)

const (
	webhookSection = "webhook"
	// secretPrefix is before the Base64 of a webhook's secret, as standardwebhooks.com has it.
	secretPrefix = "whsec_"
	leastSecret  = 24 // bytes
)

// Key is the secret as bytes; nil: there is none, or it is none.
func (w *Webhook) Key() []byte {
	text, ok := strings.CutPrefix(string(w.Secret), secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) < leastSecret {
		return nil
	}
	return key
}

// webhook checks one section.
func (v *validator) webhook(c *Config, i int) {
	w := &c.Webhooks[i]
	key := func(name string) string { return fmt.Sprintf("webhook %d: %s", i+1, name) }
	if to, err := url.Parse(string(w.URL)); err != nil || to.Scheme != "https" && to.Scheme != "http" || to.Host == "" {
		v.fault(key("url"), "(not shown, it may hold a password)", "must begin with https:// or http:// and a host")
	}
	v.oneOf(key("format"), w.Format, FormatJSON, FormatDiscord)
	switch {
	case w.Key() != nil, w.Secret == "" && w.Format == FormatDiscord:
	case w.Secret == "":
		v.fault(key("secret"), `""`, "is missing: by it the site knows the sender; echo %s$(openssl rand -base64 32) makes one", secretPrefix)
	default:
		v.fault(key("secret"), "(not shown)", "must be %s and %d bytes or more in Base64; echo %[1]s$(openssl rand -base64 32) makes one", secretPrefix, leastSecret)
	}
	var names []string
	for _, e := range c.Entries() {
		names = append(names, e.Lobby.Name)
	}
	for _, name := range w.Entries {
		if !slices.Contains(names, name) {
			v.fault(key("entries"), strconv.Quote(name), "is no entry of autohost: they are %q", names)
		}
	}
}
