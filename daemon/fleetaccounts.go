package daemon

import (
	"slices"

	"w3host/fleet"
	"w3host/realm"
)

// accountPools is the prefix of lease pools for accounts; the realm and the account follow.
const accountPools = "account/"

// wantAccounts requests one account of each realm, and a further one only if no other host wants it. A draining host
// returns all accounts when no lobby is listed any more. The caller holds mu.
func (l *leases) wantAccounts(draining, listed bool) (wants []fleet.Want, gave bool) {
	if l.realms == nil {
		return nil, false
	}
	held, free := map[string]int{}, map[string][]fleet.Want{}
	for _, a := range l.realms.Accounts() {
		pool := accountPools + a.Realm + "/" + a.Account
		l.accounts[pool] = a
		lease, has := l.machine.Held()[pool+"/1"]
		switch {
		case has && draining && !listed:
			l.machine.Give(lease)
			gave = true
		case has:
			held[a.Realm]++
		default:
			free[a.Realm] = append(free[a.Realm], fleet.Want{Pool: pool, Highest: 1})
		}
	}
	l.turn++
	for realm, list := range free {
		for i, w := range list {
			w.Held = held[realm]
			if !draining && i == l.turn%len(list) {
				w.Most = 1
			}
			wants = append(wants, w)
		}
	}
	return wants, gave
}

// useAccounts logs on with these accounts and off with all others.
func (l *leases) useAccounts(held []realm.AccountName) {
	if l.realms == nil {
		return
	}
	for _, a := range l.realms.Accounts() {
		l.realms.Use(a, slices.Contains(held, a))
	}
}
