package host

import (
	"cmp"
	"time"

	"w3host/game/autohost"
	"w3host/host/survive"
	"w3host/record/journal"
)

// stayEvery is how often a game is looked at that stays where it is.
const stayEvery = time.Second

// stay waits until the process before no longer plays a game that stays there, has it listed
// meanwhile, and goes on with it then. If this host stops first, quit settles it.
func (h *Host) stay(sv *survivor) {
	a := newAlong(sv)
	for {
		mine, err := h.claim(sv)
		if err == nil && !mine {
			if a.err == nil { // else the rules here do not bear its journal: the last state stays
				a.err = a.run(h.shard.left, sv)
			}
			h.listApart(a.seen)
			err = h.pause(stayEvery)
		}
		if !mine && err == nil {
			continue
		}
		h.mu.Lock()
		delete(h.infos, sv.id)
		h.mu.Unlock()
		if mine {
			h.goOnClaimed(sv, nil)
		} else {
			h.quit(sv)
		}
		return
	}
}

// claim takes a game that no process plays any more; false: one does. A host that stops takes none.
func (h *Host) claim(sv *survivor) (mine bool, err error) {
	if h.stopped() {
		return false, errHostStops
	}
	return sv.Own(), nil
}

// releaseWithin is how long a process takes at most to release a game, between two turns, after it has said so.
const releaseWithin = time.Second

// quit settles a game that another process plays when this host stops: it withdraws the request for the game. If
// nobody plays the game any more by then, only this host can end it, unless another process takes over from this
// one, which claims it then.
func (h *Host) quit(sv *survivor) {
	kept := sv.Withdraw()
	if h.handsOver() {
		return
	}
	for began := time.Now(); !sv.Own(); time.Sleep(followEvery) {
		if kept || time.Since(began) > releaseWithin {
			return
		}
	}
	if !kept {
		sv.Journal = journal.NewName(sv.id) // the other process may not have removed its own yet
	}
	h.goOnClaimed(sv, nil)
}

// goOnClaimed has a game go on that was claimed, by the machine that was run along with the process
// before, or nil: that has died, and the game is made again.
func (h *Host) goOnClaimed(sv *survivor, a *along) {
	if sv.fault != nil || sv.Ended() {
		h.dropEnded(sv)
		return
	}
	sv.fault = cmp.Or(sv.readHead(), sv.Blame())
	if a == nil {
		h.reviveSeen(sv)
		return
	}
	sv.Journal = journal.NewName(sv.id) // that process may not have removed its own yet
	h.reviveOne(sv, a)
}

// dropEnded forgets a game that has ended in the process that played it.
func (h *Host) dropEnded(sv *survivor) {
	h.shard.Wait(func() { h.shard.left.giveUp(sv, h.shard.left.network().Leave) })
	h.Keep(func(k *autohost.Keeper) { k.Ended(sv.id) })
}

// listApart lists a game that another process plays, in the state that was seen here.
func (h *Host) listApart(seen *Game) {
	i := seen.info.clone()
	i.Playing, i.Apart = true, true
	h.mu.Lock()
	h.infos[i.ID] = &i
	h.mu.Unlock()
}

// EndApart has the process before end a game that stays there; false: it is none.
func (h *Host) EndApart(id uint32) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	i, sv := h.infos[id], h.shard.left.game(id)
	if i == nil || !i.Apart || sv.Left == nil { // its memory may be gone
		return false
	}
	sv.OrderEnd()
	return true
}

// Staying are the games that the program that stands by will leave to this process. It must not
// be called on the shard.
func (h *Host) Staying() (ids []uint32) {
	h.shard.Wait(func() {
		for _, g := range h.running {
			if g.playing && (!g.held || g.ledger == nil || g.ledger.Wanted() == survive.ToStay) {
				ids = append(ids, g.id)
			}
		}
	})
	return ids
}
