package daemon

import (
	"fmt"
	"net/url"

	"github.com/hashicorp/go-multierror"

	"w3host/config"
	"w3host/web/webhook"
)

// hooks converts the [[webhooks]] sections of the configuration.
func hooks(c config.Config) (list []webhook.Hook) {
	for i := range c.Webhooks {
		w := &c.Webhooks[i]
		label := fmt.Sprintf("webhook %d", i+1)
		if to, err := url.Parse(string(w.URL)); err == nil {
			label += " (" + to.Hostname() + ")" // the rest of the URL may be secret
		}
		list = append(list, webhook.Hook{
			Label: label, URL: string(w.URL), Key: w.Key(), Events: w.Events, Entries: w.Entries,
			Discord: w.Format == config.FormatDiscord, Template: w.Template,
		})
	}
	return list
}

// checkHooks returns the errors that only package webhook can detect.
func checkHooks(c config.Config) error {
	var faults *multierror.Error
	for i, h := range hooks(c) {
		for _, err := range h.Check() {
			faults = multierror.Append(faults, fmt.Errorf("webhook %d: %w", i+1, err))
		}
	}
	return faults.ErrorOrNil()
}

// openHooks starts sending webhook messages.
func (d *daemon) openHooks() {
	d.hooks = webhook.New(webhook.Options{Host: hostName(d.Config), Game: d.hookGame, Log: d.part("webhook")})
	d.hooks.Use(hooks(d.Config))
	d.atEnd(noError(d.hooks.Close))
}

// hookGame returns the part of a message about a game.
func (d *daemon) hookGame(id uint32) (webhook.Game, bool) {
	i := d.running.Info(id)
	return webhook.Game{Name: i.Name, Map: i.Map, Entry: i.Entry, Private: !i.Public}, i.ID != 0
}
