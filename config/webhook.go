package config

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"w3host/realm/bncs"
)

// Webhook is a [[webhook]] section: a site that gets events. The package that sends them validates the event types and the
// template. The URL is secret, because Discord's contains a password.
type Webhook struct {
	URL        bncs.Secret `toml:"url"`
	URLFile    string      `toml:"url_file"`
	Secret     bncs.Secret `toml:"secret"`
	SecretFile string      `toml:"secret_file"`
	Events     []string    `toml:"events"`
	Entries    []string    `toml:"entries"` // names of [[autohost]] entries; none: all lobbies and games
	Format     string      `toml:"format" default:"json"`
	Template   string      `toml:"template"`
}

// Formats of the messages of a webhook.
const (
	FormatJSON    = "json"
	FormatDiscord = "discord"
)

const (
	webhookSection = "webhook"
	// secretPrefix precedes the Base64 text of a webhook's secret, as standardwebhooks.com defines it.
	secretPrefix = "whsec_"
	leastSecret  = 24 // bytes
)

// decodeWebhooks decodes the [[webhook]] sections of a file and reads their url_file and secret_file.
func (l *loader) decodeWebhooks(value any) {
	l.Webhooks = decodeList[Webhook](l, webhookSection, value)
	for i := range l.Webhooks {
		w := &l.Webhooks[i]
		l.readSecret(&w.URL, w.URLFile, fmt.Sprintf("webhook %d: url", i+1))
		l.readSecret(&w.Secret, w.SecretFile, fmt.Sprintf("webhook %d: secret", i+1))
	}
}

// readSecret sets a secret from its file, unless file is empty. key is the name of the secret without _file.
func (l *loader) readSecret(to *bncs.Secret, file, key string) {
	if file == "" {
		return
	}
	if *to != "" {
		l.fault("%s: %s and %s_file are both set: leave one of them out", l.File, key, key[strings.LastIndexByte(key, ' ')+1:])
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		l.fault("%s: %s_file: %w", l.File, key, err)
	}
	*to = bncs.Secret(strings.TrimRight(string(text), "\r\n"))
}

// Key returns the decoded secret, or nil if there is none or it is invalid.
func (w *Webhook) Key() []byte {
	text, ok := strings.CutPrefix(string(w.Secret), secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) < leastSecret {
		return nil
	}
	return key
}

// webhook validates the i-th [[webhook]] section.
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
