package daemon

import (
	"net/http"

	"w3host/config"
	"w3host/web"
	"w3host/web/access"
	"w3host/web/site"
)

// openSite adds the public site to the port for visitors and to that of the web console. Logged-in visitors of these
// routes get the console's page instead.
func (d *daemon) openSite(console map[string]http.HandlerFunc) {
	d.site = site.New(site.Options{
		Log: d.db, Games: d.publicGames, Ladders: d.ladders.list, Minimap: d.maps.Minimap, FixedPlaces: d.maps.FixedPlaces, Work: d.web.Work, Base: d.web.URL(""), Info: siteInfo(d.Config), Logger: d.part("site"),
	})
	for _, r := range d.site.Routes() {
		d.outside.Handle(r.Pattern, r.Handler)
		own := console[r.Pattern]
		d.web.Handle(r.Pattern, access.Public, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if own != nil && web.Caller(req).Role > access.Public {
				own(w, req)
				return
			}
			r.Handler(w, req)
		}))
	}
}

// siteInfo describes the community for the public site.
func siteInfo(c config.Config) site.Info {
	info := site.Info{
		Name: c.Public.Name, URL: c.Public.URL, Address: c.Public.Address, Host: c.Host.Name, Version: c.Host.Version.String(), LAN: c.Public.LAN, Index: c.Public.Index,
	}
	known := map[string]bool{}
	for _, r := range c.Realms { // several sections may be accounts of one realm
		if !known[r.Name] {
			known[r.Name] = true
			info.Realms = append(info.Realms, site.Realm{Name: r.Name, Address: r.Address})
		}
	}
	return info
}

// publicGames returns the lobbies and running games with their keys.
func (d *daemon) publicGames() (list []site.Game) {
	d.live.Look() // for the next one who asks: nobody waits for it
	for _, i := range d.running.Infos() {
		g := d.running.Game(i.ID)
		if g == nil {
			continue
		}
		snap, _ := d.live.Seen(i.ID)
		list = append(list, site.Game{Info: i, Key: g.Key(), Snap: snap})
	}
	return list
}
