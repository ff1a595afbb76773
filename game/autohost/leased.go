package autohost

import (
	"slices"
	"time"

	"w3host/fleet"
)

// Pool names the leases of an entry's lobbies.
func Pool(entry string) string { return "entry/" + entry }

// Share says that other hosts open lobbies of the same entries: from now on each needs a lease.
func (k *Keeper) Share() { k.shared = true }

// Wants are the leases that entries could use, and how many they have. An entry with all that it
// may have is among them, so that its leases are known to the database.
func (k *Keeper) Wants(now time.Time) (list []fleet.Want) {
	room := k.max - len(k.games)
	for _, s := range k.entries {
		room -= len(s.grants)
	}
	for _, s := range k.entries {
		lobbies, all := k.count(s)
		held := lobbies + len(s.grants)
		w := fleet.Want{Pool: Pool(s.Name), Held: held, Highest: s.Lobbies}
		if k.wants(s, now) && !k.disabled {
			w.Most = max(0, min(s.Lobbies-held, s.MaxGames-all-len(s.grants), room))
			room -= w.Most
		}
		list = append(list, w)
	}
	return list
}

// Places is how many lobbies and games there are, with those to come: of leases that are granted, of orders
// under way, and of games that are played again.
func (k *Keeper) Places() int {
	n := len(k.games) + k.orders
	for _, s := range k.entries {
		n += len(s.grants)
	}
	return n
}

// Grant brings a lease for the next lobby of its entry.
func (k *Keeper) Grant(l fleet.Lease) {
	i := slices.IndexFunc(k.entries, func(s *state) bool { return Pool(s.Name) == l.Pool })
	if i < 0 {
		k.gives = append(k.gives, l)
		return
	}
	k.entries[i].grants = append(k.entries[i].grants, l)
}

// Gives are the leases that are not needed any more, each once.
func (k *Keeper) Gives(now time.Time) []fleet.Lease {
	for _, s := range k.entries {
		if k.disabled || !k.wants(s, now) {
			k.gives = append(k.gives, s.grants...)
			s.grants = nil
		}
	}
	list := k.gives
	k.gives = nil
	return list
}

// Lose says that a lease is another host's, or nobody's. The lobby under it, if there is
// one, is of no entry from then on.
func (k *Keeper) Lose(l fleet.Lease) (id uint32) {
	for _, s := range k.entries {
		s.grants = slices.DeleteFunc(s.grants, func(o fleet.Lease) bool { return o == l })
	}
	for id, g := range k.games {
		if g.lease == l {
			g.lease, g.of = fleet.Lease{}, nil
			return id
		}
	}
	return 0
}

// Drain stops the opening of lobbies, makes those that are open lobbies of no entry, and gives
// their leases back. The number is that of this drain, for Drains.
func (k *Keeper) Drain() (number int) {
	k.Disable(true)
	k.drains++
	k.drain = k.drains
	for _, g := range k.games {
		if g.open {
			k.give(&g.lease)
			g.of = nil
		}
	}
	return k.drain
}

// Drains reports whether a drain goes on: it was not called off, and no newer one has begun.
func (k *Keeper) Drains(number int) bool { return k.drain == number }

// give gives a lease back, if it is one, and empties it.
func (k *Keeper) give(l *fleet.Lease) {
	if l.Term != 0 {
		k.gives = append(k.gives, *l)
		*l = fleet.Lease{}
	}
}
