package autohost

import (
	"slices"
	"time"

	"w3host/fleet"
)

// Pool returns the name of the pool of leases for an entry's lobbies.
func Pool(entry string) string { return "entry/" + entry }

// Share makes every entry require leases, because other hosts serve the same entries.
func (k *Keeper) Share() { k.shared = true }

// Wants returns how many leases each entry could use and how many it holds. It includes entries that need none now, so
// that the database learns their limits.
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

// Places returns the number of lobbies and games, including planned ones: granted leases, pending orders and remakes.
func (k *Keeper) Places() int {
	n := len(k.games) + k.orders
	for _, s := range k.entries {
		n += len(s.grants)
	}
	return n
}

// Grant adds a lease for the next lobby of its entry.
func (k *Keeper) Grant(l fleet.Lease) {
	i := slices.IndexFunc(k.entries, func(s *state) bool { return Pool(s.Name) == l.Pool })
	if i < 0 {
		k.gives = append(k.gives, l)
		return
	}
	k.entries[i].grants = append(k.entries[i].grants, l)
}

// Gives returns the leases that are no longer needed, each once.
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

// Lose reports that a lease has expired. If there is a lobby under it, that lobby no longer belongs to an entry, and its
// id is returned.
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

// Drain stops the opening of lobbies, detaches open lobbies from their entries and returns their leases. The result
// identifies this drain for Drains.
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

// Drains reports whether this drain is still in effect: it was not cancelled and no newer one has begun.
func (k *Keeper) Drains(number int) bool { return k.drain == number }

// give returns a lease, if l is one, and clears it.
func (k *Keeper) give(l *fleet.Lease) {
	if l.Term != 0 {
		k.gives = append(k.gives, *l)
		*l = fleet.Lease{}
	}
}
