package host

import (
	"slices"
	"strings"

	"w3host/game"
	"w3host/game/command"
	"w3host/host/admission"
	"w3host/storage"
)

// Command executes a command line in the game, and returns when that is done. It waits for the loop and must not be called
// on it.
func (g *Game) Command(by *command.Caller, line string) error {
	over := false
	ran := g.shard.Wait(func() {
		if over = g.over; !over {
			defer g.rescue()
			g.step(&game.Input{Kind: game.Command, Caller: by, Line: game.Blank(line)})
		}
	})
	switch {
	case !ran:
		return errHostStops
	case over:
		return errGameOver
	}
	return nil
}

// Snapshot calls use on the loop with the state of a lobby or game, or with nil if there is none of that ID. After the end
// of the host use is not called. use must not block.
func (h *Host) Snapshot(id uint32, use func(*game.Snapshot)) {
	g := h.Game(id)
	h.shard.Call(func() {
		if g == nil || g.over || g.rebuilding {
			use(nil)
			return
		}
		defer g.rescue()
		s := g.machine.Snapshot()
		s.Watchers = g.facts.Info.Watching()
		use(s)
	})
}

// Key returns the game's key in the game log.
func (g *Game) Key() storage.GameKey { return g.records.Key() }

// Ask answers a question of a command for a caller without a seat; see lookup.AskFor. It does not block.
func (h *Host) Ask(by *command.Caller, q command.Query, done func(refused string)) {
	h.shard.lookup.AskFor(by, q, done)
}

// CodeFor returns the verification code that the owner of an account must type in a lobby or game, or "" if too many are
// issued. It waits for the loop and must not be called on it.
func (h *Host) CodeFor(realm, name string) (code string) {
	h.shard.Wait(func() { code = h.shard.codes.Issue(admission.Account(realm, name), h.shard.Now()) })
	return code
}

// Prove checks a verification code that was whispered from an account, and reports whether a seat of that name was shown
// it. It waits for the loop and must not be called on it.
func (h *Host) Prove(realm, name, code string) (proven bool) {
	h.shard.Wait(func() {
		h.each(realm, name, func(l *link) {
			if l.code != "" && l.code == code && !l.vouched {
				proven = true
				defer l.game.rescue()
				l.game.vouch(l)
			}
		})
	})
	return proven
}

// Redeem checks a verification code that was typed at a seat. With an empty code the player asks how to verify the name.
// It waits for the loop and must not be called on it.
func (g *Game) Redeem(pid uint8, name, code string) (err error) {
	g.shard.Wait(func() {
		l := g.seats[pid]
		if l != nil { // everybody in the game has read it
			g.shard.codes.Revoke(admission.Account(l.realm, l.name), code)
		}
		switch {
		case g.over || l == nil || l.name != name:
			err = errGameOver
		case l.realm == "":
			err = game.NameOfLAN
		case l.vouched && code == "":
			err = game.NameProven
		case l.vouched:
		case code == "":
			defer g.rescue()
			g.offerCode(l)
		case l.tries >= admission.MaxCodeTries:
			err = game.NoMoreProofs
		default:
			defer g.rescue()
			err = g.typed(l, code)
		}
	})
	return err
}

// each calls f with the seated links of a name on a realm. f may end their games.
func (h *Host) each(realm, name string, f func(*link)) {
	for _, g := range slices.Clone(h.running) {
		for _, l := range g.seats {
			if l != nil && !g.rebuilding && strings.EqualFold(l.realm, realm) && strings.EqualFold(l.name, name) {
				f(l)
			}
		}
	}
}

// Standing returns the lobby or game that a player of a realm with a confirmed name is in, and whether they own it; 0: in
// none. It waits for the loop and must not be called on it.
func (h *Host) Standing(realm, name string) (id uint32, owns bool) {
	h.shard.Wait(func() {
		h.each(realm, name, func(l *link) {
			if l.vouched {
				id, owns = l.game.id, l.game.machine.Owns(l.pid)
			}
		})
	})
	return id, owns
}

// LobbiesOf returns the open lobbies that a player of a realm owns. It waits for the loop and must not be called on it.
func (h *Host) LobbiesOf(realm, name string) (ids []uint32) {
	h.shard.Wait(func() {
		for _, g := range h.running {
			if g.open.Load() && !g.rebuilding && g.machine.BelongsTo(name, realm) {
				ids = append(ids, g.id)
			}
		}
	})
	return ids
}

// Waits returns a realm on which a lobby is not listed yet, and the lobby that is listed there before it, or "".
func (h *Host) Waits(id uint32) (realm, lobby string) { return h.shard.opts.Realms.Waits(id) }

// Open reports whether the lobby still takes joins.
func (g *Game) Open() bool { return g.open.Load() }
