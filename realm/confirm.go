package realm

import (
	"net/netip"

	"w3host/realm/session"
)

// Confirm asks a realm whether a player of this name is in a game listed there. It calls answer on another goroutine, or
// never if the realm is unreachable. The returned function cancels the question.
func (r *Realms) Confirm(realm, name string, gameID uint32, from netip.Addr, answer func(in bool)) (forget func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.listings[gameID] {
		if sameRealm(l.account.opts.Realm, realm) {
			r.lastAsk++
			id := r.lastAsk
			r.pending[id] = answer
			l.account.post(session.Confirm{Name: name, ID: gameID, Seat: id, From: from.String()})
			return func() { r.forget(l.account, id) }
		}
	}
	go answer(false) // the game has just started or closed
	return func() {}
}

func (r *Realms) forget(by *account, id uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.pending[id]; ok {
		delete(r.pending, id)
		by.post(session.Forget{Seat: id})
	}
}

func (r *Realms) answered(e session.Answered) {
	r.mu.Lock()
	answer := r.pending[e.Seat]
	delete(r.pending, e.Seat)
	r.mu.Unlock()
	if answer != nil {
		answer(e.In)
	}
}
