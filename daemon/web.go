package daemon

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"w3host/config"
	"w3host/control"
	"w3host/game"
	"w3host/host"
	"w3host/internal/network"
	"w3host/web"
	"w3host/web/access"
	"w3host/web/api"
	"w3host/web/hub"
	weblive "w3host/web/live"
	"w3host/web/metrics"
	"w3host/web/pages"
	"w3host/web/view"
)

// openLive starts tracking the state of games for the web console and other readers.
func (d *daemon) openLive() error {
	d.events = api.NewEvents(func(w hub.Watcher) {
		d.Log.Warn().Str("watcher", w.Name).Msg("a program did not read its events and must reconnect")
	})
	d.openHooks()
	d.events.Also = d.hooks.Send
	o := weblive.Options{Standing: d.standing, Each: d.events.Publish, Reads: d.events.Busy, Heart: &d.heart, Fault: func(fault any, stack []byte) {
		d.Log.Error().Str("panic", fmt.Sprint(fault)).Bytes("stack", stack).Msg("cannot keep a page up to date")
	}}
	if d.fleet != nil {
		d.others = &others{fleet: d.fleet}
		o.Fleet = d.others.show
	}
	d.live = weblive.New(hub.New(func(w hub.Watcher) {
		d.Log.Warn().Str("watcher", w.Name).Strs("topics", w.Topics).Msg("a browser did not read its events and must reconnect")
	}), o)
	d.events.Arrived(d.live.Look)
	d.host.Observers = append(d.host.Observers, d.live.Observe)
	return nil
}

// seen returns the current state of a game.
func (d *daemon) seen(id uint32) control.Seen {
	snapshot, late := d.live.Seen(id)
	s := control.Seen{Snapshot: snapshot}
	if late.Turns > 0 {
		s.Late = control.LateOf(late.Turns, late.Median, late.Max)
	}
	return s
}

// openWeb opens the web console. If that fails, for example because another host uses the port, the host runs without
// it.
func (d *daemon) openWeb() error {
	c := d.Config.Web
	if !c.Enabled {
		return nil
	}
	d.access = access.Open(d.Config.WebAccess())
	o := web.Options{
		Listen: c.Listen, Hosts: c.Hosts, Proxies: prefixes(c.Proxies), BasePath: c.BasePath, Cert: c.Cert, Key: c.Key,
		Access: d.access, Audit: d.audit, Log: d.part("web"),
	}
	if c.Autocert {
		o.Autocert = &web.Autocert{Hosts: c.Hosts, Folder: d.Config.WebCerts()}
	}
	s, err := web.Open(o)
	if err != nil {
		d.Log.Warn().Msgf("the web console is not available: web.listen = %q: %v", c.Listen, err)
		return nil
	}
	d.web = s
	d.checkup(func(pattern string, h http.Handler) { s.Handle(pattern, access.Public, h) })
	d.atEnd(noError(s.Close))
	d.openMetrics()
	return nil
}

// openMetrics starts the metrics. A scrape of the web console itself needs a token.
func (d *daemon) openMetrics() {
	o := metrics.Options{
		Groups: web.Groups, Version: d.Version, DataDir: d.Config.Host.DataDir, Records: d.recorder.Stats,
		Realms:    d.online,
		Totals:    func() host.Totals { return d.running.Totals(time.Now()) },
		Observers: map[string]metrics.Standing{"pages": d.live.Standing, "webhooks": d.hooks.Standing},
		Watchers:  map[string]metrics.Standing{"page": counted(d.live.Hub.Watchers), "program": counted(d.events.Watchers)},
	}
	d.metrics = metrics.New(o)
	d.web.Took = d.metrics.Request
	d.host.Observers = append(d.host.Observers, d.metrics.Observe)
	d.web.Handle("GET /metrics", access.Viewer, d.metrics.Handler())
	open := http.NewServeMux()
	open.Handle("GET /metrics", d.metrics.Handler())
	d.checkup(open.Handle)
	d.beside("web.metrics_listen", d.Config.Web.Metrics, open, d.web.Beside)
}

func counted(watchers func() ([]hub.Watcher, uint64)) metrics.Standing {
	return func() (int, uint64) {
		list, dropped := watchers()
		return len(list), dropped
	}
}

// beside opens an additional port, if configured. If that fails, the host runs without it.
func (d *daemon) beside(key, listen string, h http.Handler, open func(string, http.Handler) (net.Addr, error)) {
	if listen == "" {
		return
	}
	at, err := open(listen, h)
	if err != nil {
		d.Log.Warn().Msgf("cannot listen: %s = %q: %v", key, listen, err)
		return
	}
	d.Log.Info().Msgf("%s: listening on %v", key, at)
}

// openAPI adds the API to the web console.
func (d *daemon) openAPI() {
	if d.web == nil {
		return
	}
	d.uploads = openUploads(d.maps, int64(d.Config.Web.Upload), d.audit)
	d.outside = http.NewServeMux()
	o := api.Options{
		Host: d.running, Order: d.operator.Order, Seen: d.seen, Maps: d.maps, Upload: d.uploads.take, Realms: d.online, DB: d.db, Replays: d.Config.Replays.Dir, Access: d.access, Events: d.events,
		Version: d.Version, Ordered: d.web.Ordered,
	}
	if d.others != nil {
		o.Fleet = d.others.read
	}
	d.outside.Handle("GET /status.json", api.Register(d.web, o))
}

// online reports for each realm whether the host is logged on.
func (d *daemon) online() map[string]bool {
	if d.realms == nil {
		return nil
	}
	return d.realms.Online()
}

// startWeb starts answering requests on goroutines, until end is called.
func (d *daemon) startWeb() (end func()) {
	if d.web == nil {
		return func() {}
	}
	d.openPages()
	end = d.alongside(func(ctx context.Context) {
		if err := d.web.Serve(ctx); err != nil {
			d.Log.Error().Err(err).Msg("the web console has closed")
		}
	})
	d.logWindow()
	return end
}

// logWindow logs the address of the web console. Without accounts it includes a one-time login link.
func (d *daemon) logWindow() {
	url := WebURL(d.Config.Web, d.web.Addr().String())
	if list, err := d.access.Accounts(); err == nil && len(list) > 0 {
		d.Log.Info().Msgf("web console: %s/", url)
		return
	}
	code, err := d.access.AddLink(time.Now())
	if err != nil {
		d.Log.Warn().Err(err).Msgf("cannot create a login link for the web console at %s/", url)
		return
	}
	d.Log.Info().Msgf("web console (one-time login link): %s", LinkURL(url, code))
}

// standing returns the state of the host for the web console.
func (d *daemon) standing() view.Host {
	s := d.recorder.Stats()
	return view.Host{MaxGames: d.current().Autohost.MaxGames, RecordsWaiting: s.Waiting, DatabaseUp: !s.DBDown}
}

// proposals returns the commands of lobbies and games for completion in the web console.
func proposals() (list []pages.Proposal) {
	for _, s := range game.Commands() {
		list = append(list, pages.Proposal{Name: s.Name, Usage: s.Usage, Level: s.Level})
	}
	return list
}

// openPages adds the pages to the web console.
func (d *daemon) openPages() {
	p := pages.New(pages.Options{
		Live: d.live, Command: d.operator.Order, Log: d.db, Maps: d.maps, Visitor: visitor, Base: d.web.URL(""),
		System: func() pages.System {
			s := pages.System{Version: d.Version, Records: d.recorder.Stats()}
			for _, i := range d.running.Infos() {
				if i.Apart {
					s.Stay = append(s.Stay, pages.Staying{ID: i.ID, Text: control.Describe(&i)})
				}
			}
			return s
		},
		Examine: d.examine, Access: d.access, Ordered: d.web.Ordered, Work: d.web.Work,
		UploadMax: int64(d.Config.Web.Upload), Upload: d.uploads.take,
		Trigger: d.Config.Lobby.CommandTrigger, Commands: proposals(), Logger: d.part("web"),
	})
	console := make(map[string]http.HandlerFunc)
	for _, r := range p.Routes() {
		if r.Role == access.Public {
			d.outside.Handle(r.Pattern, r.Handler)
		}
		if r.Pattern == "GET /{$}" || r.Pattern == "GET /maps" { // visitors who are not logged in get the public site there
			console[r.Pattern] = r.Handler
			continue
		}
		d.web.Handle(r.Pattern, r.Role, r.Handler)
	}
	d.openSite(console)
	d.beside("web.public_listen", d.Config.Web.Public, d.outside, d.web.Outside)
}

// examine runs the checks of w3host doctor with the current configuration.
func (d *daemon) examine(ctx context.Context, report func(pages.Finding)) error {
	c, err := d.Read()
	if err != nil {
		report(pages.Finding{What: "configuration", Detail: err.Error(), Remedy: "correct it; config.toml.example explains every key"})
		c = d.Config
	}
	return d.Examine(ctx, c, func(what, detail, remedy string) { report(pages.Finding{What: what, Detail: detail, Remedy: remedy}) })
}

func visitor(r *http.Request) pages.Visitor {
	from := web.Caller(r)
	v := pages.Visitor{Addr: network.Base(from.Addr).String(), Level: api.Levels[from.Role], Outside: from.Outside, SessionValid: func() bool { return web.SessionValid(r) }}
	if from.Role > access.Public {
		v.Name = from.Name
	}
	return v
}

// WebURL returns the URL at which a browser on this machine reaches the web console that listens at addr.
func WebURL(c config.Web, addr string) string {
	scheme := map[bool]string{true: "https", false: "http"}[c.TLS()]
	host, port, _ := net.SplitHostPort(addr)
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	if c.Autocert { // its certificate is not for an address
		host = c.Hosts[0]
	}
	return fmt.Sprintf("%s://%s%s", scheme, net.JoinHostPort(host, port), c.BasePath)
}

// LinkURL returns a one-time login link. The code is in the fragment, so that no server logs it.
func LinkURL(url, code string) string { return url + "/login#once=" + code }
