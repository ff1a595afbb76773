package api

import (
	"context"
	"net/http"

	"w3host/storage"
)

// Fleet holds the hosts that share the database, and their lobbies and games.
type Fleet struct {
	Hosts []FleetHost         `json:"hosts" doc:"All that live, this one too; none: it is alone"`
	Games []storage.FleetGame `json:"games" doc:"Lobbies and running games of the others, a moment late: host and id are what the command eg takes, as 2-17"`
}

// FleetHost is a host of the fleet.
type FleetHost struct {
	Number   int    `json:"number" doc:"As the command at takes it"`
	Name     string `json:"name"`
	Places   int    `json:"places" doc:"Lobbies and running games"`
	Draining bool   `json:"draining" doc:"It ends after its last game"`
}

func (a *api) getFleet(ctx context.Context, _ *none) (*body[Fleet], error) {
	hosts, games, err := a.Fleet(ctx)
	if err != nil {
		return nil, fault(http.StatusServiceUnavailable, "database", "the other hosts are unknown: the database does not answer")
	}
	return &body[Fleet]{Fleet{
		Hosts: mapped(hosts, func(h storage.FleetHost) FleetHost { return FleetHost{h.Number, h.Name, h.Places, h.Draining} }),
		Games: mapped(games, func(g storage.FleetGame) storage.FleetGame {
			g.Players = append([]string{}, g.Players...)
			return g
		}),
	}}, nil
}

// far holds the public facts of a lobby of another host.
type far struct {
	Host    string `json:"host"`
	Name    string `json:"name"`
	Map     string `json:"map"`
	Players int    `json:"players"`
}

// openElsewhere returns the publicly listed lobbies of other hosts.
func (a *api) openElsewhere(ctx context.Context) (open []far) {
	hosts, games, err := a.Fleet(ctx)
	if err != nil {
		return nil
	}
	names := map[int]string{}
	for _, h := range hosts {
		names[h.Number] = h.Name
	}
	for _, g := range games {
		if !g.Private && !g.Playing {
			open = append(open, far{names[g.Host], g.Name, g.Map, len(g.Players)})
		}
	}
	return open
}
