package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/daemon"
	"w3host/storage"
)

// withoutPooler is the number of hosts that can connect to Postgres without a connection pooler.
const withoutPooler = 50

// mostNamed is the number of hosts listed in a finding.
const mostNamed = 10

// checkFleet queries the database for other hosts and checks that this configuration is compatible with theirs.
func checkFleet(ctx context.Context, c config.Config) Finding {
	url := c.DatabaseURL()
	if storage.FileOf(url) != "" {
		return fine("%v", storage.ErrNoFleet).but("set database.url to a Postgres that all hosts reach, or fleet.enabled = false")
	}
	hosts, pools, err := lookAtFleet(ctx, url)
	switch {
	case errors.Is(err, storage.ErrNoDatabase):
		return fine("no host has used the database yet")
	case errors.Is(err, storage.ErrNoTimeline):
		return fine("the database cannot hold a fleet: %v", err).but("grant that right, name another Postgres in database.url, or set fleet.enabled = false")
	case err != nil:
		return fine("cannot query the other hosts: %v", err).but("start the database, or correct database.url; without it the host shows no lobby and accepts no new players")
	}
	f := fine("%s; %s", living(hosts), sharedEntries(daemon.EntryPools(c), pools))
	count := len(hosts)
	if _, dead := daemon.Alive(ctx, c.Host.Listen); dead != nil {
		count++ // count the host of this configuration, which is not running yet
	}
	if short := fewAccounts(c, count); short != "" {
		return f.but("%s; create one account per host and add a [[realm]] section for each to the configuration of all hosts", short)
	}
	if count > withoutPooler && !strings.Contains(url, "default_query_exec_mode=") {
		return f.but("%d hosts need a connection pooler in transaction mode in front of Postgres; add default_query_exec_mode=exec to database.url for it", count)
	}
	return f
}

// lookAtFleet reads the hosts and lease pools from the database. It changes nothing.
func lookAtFleet(ctx context.Context, url string) (hosts []storage.FleetHost, pools []storage.Pool, err error) {
	db, err := storage.Open(ctx, url, storage.Options{Log: zerolog.Nop(), MustExist: true})
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	f, err := db.Fleet(url)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err = f.Check(ctx); err == nil {
		hosts, err = f.Hosts(ctx)
	}
	if err == nil {
		pools, err = f.Pools(ctx)
	}
	return hosts, pools, err
}

func living(hosts []storage.FleetHost) string {
	if len(hosts) == 0 {
		return "there are no hosts in the database"
	}
	var list []string
	for i, h := range hosts {
		if i == mostNamed {
			list = append(list, fmt.Sprintf("and %d more", len(hosts)-i))
			break
		}
		text := fmt.Sprintf("%d: %s at %s", h.Number, h.Name, h.Address)
		if h.Draining {
			text += ", draining"
		}
		list = append(list, text)
	}
	return "hosts in the database: " + strings.Join(list, "; ")
}

// sharedEntries compares the entries of this configuration with those of other hosts.
func sharedEntries(own, all []storage.Pool) string {
	at := func(list []storage.Pool, name string) int {
		return slices.IndexFunc(list, func(p storage.Pool) bool { return p.Name == name })
	}
	var notes []string
	for _, p := range own {
		name := strings.TrimPrefix(p.Name, daemon.EntryPrefix)
		switch i := at(all, p.Name); {
		case i < 0:
			notes = append(notes, fmt.Sprintf("no other host has the entry %q", name))
		case all[i].Leases != p.Leases:
			notes = append(notes, fmt.Sprintf("lobbies of %q: %d here, %d in the database", name, p.Leases, all[i].Leases))
		}
	}
	for _, p := range all {
		if name, entry := strings.CutPrefix(p.Name, daemon.EntryPrefix); entry && at(own, p.Name) < 0 {
			notes = append(notes, fmt.Sprintf("other hosts have or had %q", name))
		}
	}
	if notes == nil {
		return "all hosts have the same entries"
	}
	return strings.Join(notes, "; ")
}

// fewAccounts returns the realms that have fewer accounts than there are hosts, or "".
func fewAccounts(c config.Config, hosts int) string {
	accounts := map[string]int{}
	for _, r := range c.Realms {
		accounts[r.Name]++
	}
	var short []string
	for name, n := range accounts {
		if n < hosts {
			short = append(short, fmt.Sprintf("%s has accounts for %d of %d hosts", name, n, hosts))
		}
	}
	slices.Sort(short)
	return strings.Join(short, "; ")
}
