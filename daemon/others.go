package daemon

import (
	"context"
	"sync"
	"time"

	"w3host/storage"
	"w3host/web/view"
)

const (
	// othersFresh is how long a query result about the other hosts is shared by all callers.
	othersFresh = 2 * time.Second
	// othersWithin is the time limit of the query.
	othersWithin = time.Second
)

// others caches the hosts of the fleet and the lobbies and games of the other hosts.
type others struct {
	fleet *leases

	mu    sync.Mutex
	at    time.Time
	hosts []storage.FleetHost
	games []storage.FleetGame
	err   error
}

// read returns the cached result, or queries the database if it is too old.
func (o *others) read(ctx context.Context) ([]storage.FleetHost, []storage.FleetGame, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := time.Now(); now.Sub(o.at) >= othersFresh {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), othersWithin)
		defer cancel()
		if o.hosts, o.err = o.fleet.db.Hosts(ctx); o.err == nil {
			o.games, o.err = o.fleet.Games(ctx)
		}
		o.at = time.Now()
	}
	return o.hosts, o.games, o.err
}

// show returns the other hosts for the web console.
func (o *others) show(ctx context.Context) *view.Fleet {
	hosts, games, err := o.read(ctx)
	f := &view.Fleet{Number: o.fleet.Number(), Away: err != nil}
	if err != nil {
		return f
	}
	names := map[int]string{}
	for _, h := range hosts {
		names[h.Number] = h.Name
		f.Hosts = append(f.Hosts, view.FleetHost{Number: h.Number, Name: h.Name, Places: h.Places, Draining: h.Draining})
	}
	for _, g := range games {
		f.Games = append(f.Games, view.FleetGame{
			Host: g.Host, HostName: names[g.Host], ID: g.ID, Name: g.Name, Map: g.Map, Private: g.Private, Playing: g.Playing, Since: g.Since, Players: g.Players,
		})
	}
	return f
}
