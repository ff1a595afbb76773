package host

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"w3host/lobby"
	"w3host/mapstats"
	"w3host/mapxfer"
	"w3host/storage"
	gamesync "w3host/sync"
	"w3host/w3gs"
)

// book is the game log's side of one game: it turns what happens into records.
// Every method returns at once; the Recorder behind it never waits.
type book struct {
	g       *Game
	key     storage.GameKey
	seed    uint32
	actions [maxPIDs]uint32
	kicks   [maxPIDs]string     // why, of those who were kicked from the game
	stats   *mapstats.Collector // what the map reports; nil before the start
	turns   uint32
	how     storage.EndReason // set when the end has another cause than the loop's
	ended   bool
}

func newBook(g *Game, seed uint32) book {
	return book{g: g, key: storage.NewGameKey(), seed: seed}
}

func (b *book) record(r storage.Record) { b.g.opts.Recorder.Record(r) }

func (b *book) created() {
	g, o := b.g, b.g.opts
	settings := g.settings()
	b.record(storage.GameCreated{
		Game: b.key, At: g.opened, Name: g.name, Owner: g.lobby.Owner(),
		GameID: g.id, Version: fmt.Sprintf("1.%02d", o.Version),
		Map: storage.MapID{
			Name: g.m.Name, Path: g.m.Path, Size: int64(g.m.Size), CRC32: g.m.CRC32,
			Checksum: g.m.Checksum, SHA1: g.m.SHA1,
		},
		Settings: storage.Settings{
			Speed:         speedName(settings),
			Visibility:    visibilityName(settings),
			Observers:     observersName(settings),
			TeamsTogether: settings&w3gs.TeamsTogether != 0,
			FixedTeams:    settings&w3gs.FixedTeams != 0,
			LoadInGame:    o.Game.LoadInGame, AdaptivePeriod: o.Game.Adaptive,
			SyncLimit: o.Game.SyncLimit, HCL: g.m.HCL,
		},
		Latency: o.Game.Latency, Seed: b.seed,
	})
}

func (b *book) joined(e lobby.Joined, c *conn) {
	b.actions[e.PID] = 0
	b.record(storage.PlayerJoined{Game: b.key, At: time.Now(), PID: e.PID, Name: e.Name, Addr: c.addr.Addr()})
}

func (b *book) leftLobby(pid uint8, reason w3gs.LeaveReason, why string) {
	b.record(storage.PlayerLeft{Game: b.key, At: time.Now(), PID: pid, Code: uint32(reason), Reason: why, Ping: b.ping(pid)})
}

// kicked records a kick. From a game the player only goes when the turn loop says
// so; their own record is written then.
func (b *book) kicked(e lobby.Kicked) {
	if b.g.turns == nil {
		b.leftLobby(e.PID, w3gs.LeaveLobby, e.Why)
		return
	}
	b.kicks[e.PID] = e.Why
	b.record(storage.DropEvent{Game: b.key, At: time.Now(), Turn: b.turns, PID: e.PID, Reason: e.Why, By: e.By})
}

func (b *book) said(e lobby.Said) {
	b.record(storage.ChatLine{
		Game: b.key, At: time.Now(), Turn: b.turns, PID: e.PID, Name: e.Name,
		Scope: chatScope(e), To: b.receiver(e), Text: e.Text,
	})
}

// receiver names the one whom a private line is for.
func (b *book) receiver(e lobby.Said) string {
	if chatScope(e) != storage.ChatPrivate {
		return ""
	}
	for pid := range e.To.All() {
		return b.g.playerName(pid)
	}
	return ""
}

func (b *book) begun(e lobby.Started) {
	slots := make([]storage.StartedSlot, 0, len(e.Table.Slots))
	byPID := make(map[uint8]lobby.Player, len(e.Players)+len(e.Fakes))
	for _, p := range append(append([]lobby.Player(nil), e.Players...), e.Fakes...) {
		byPID[p.PID] = p
	}
	for i, s := range e.Table.Slots {
		if s.Status != w3gs.SlotOccupied {
			continue
		}
		p := byPID[s.PID]
		slot := storage.StartedSlot{
			Slot: uint8(i), PID: s.PID, Occupant: storage.OccupantPlayer, Name: p.Name,
			Team: s.Team, Colour: s.Colour, Race: uint8(s.Race &^ w3gs.RaceSelectable), Handicap: s.Handicap,
		}
		switch {
		case s.Computer:
			slot.Occupant, slot.Difficulty, slot.Name = storage.OccupantComputer, uint8(s.AI), ""
		case p.Fake:
			slot.Occupant, slot.Handicap = storage.OccupantFake, p.Handicap
		default:
			slot.Handicap = p.Handicap
			if c := b.g.conn(s.PID); c != nil {
				slot.Addr = c.addr.Addr()
			}
		}
		slots = append(slots, slot)
	}
	b.record(storage.GameStarted{Game: b.key, At: time.Now(), Slots: slots})
	roster := make([]mapstats.Player, 0, len(e.Players))
	for _, p := range e.Players {
		roster = append(roster, mapstats.Player{PID: p.PID, Name: p.Name, Colour: p.Colour})
	}
	b.stats = mapstats.New(roster)
}

func (b *book) loaded(e *gamesync.PlayerLoaded) {
	b.record(storage.PlayerLoaded{Game: b.key, At: time.Now(), PID: e.PID, After: e.After})
}

func (b *book) allLoaded() { b.record(storage.GameLoaded{Game: b.key, At: time.Now()}) }

// acted counts an action and looks for what the map reports in it; it is the
// only thing here that happens often.
func (b *book) acted(pid uint8, data []byte) {
	b.actions[pid]++
	b.stats.Action(b.turns, pid, data)
}

func (b *book) turn(e *gamesync.Turn) { b.turns = e.Number }

func (b *book) leftGame(e *gamesync.PlayerLeft) {
	why := e.Reason.String()
	switch {
	case b.kicks[e.PID] != "":
		why = b.kicks[e.PID]
	case e.Why != gamesync.WhyLeft:
		why = e.Why.String()
	}
	b.record(storage.PlayerLeft{
		Game: b.key, At: time.Now(), PID: e.PID, Turn: e.Turn, Code: uint32(e.Reason), Reason: why,
		Ping: b.ping(e.PID), Actions: b.actions[e.PID],
	})
}

func (b *book) dropped(e *gamesync.Drop) {
	if e.Why == gamesync.WhyGameOver {
		return // not dropped: the game ended
	}
	b.record(storage.DropEvent{Game: b.key, At: time.Now(), Turn: b.turns, PID: e.PID, Reason: e.Why.String()})
}

func (b *book) lagged(e *gamesync.Lag) {
	for _, p := range e.Players {
		b.record(storage.LagEvent{
			Game: b.key, At: time.Now(), Turn: e.Turn, PID: p.PID, Lasted: p.Behind, Behind: uint32(p.Turns),
			Ping: p.RTT, HostLate: e.HostLate, Backlog: uint32(p.Queued), Cause: p.Cause.String(),
		})
	}
	if len(e.Players) == 0 {
		b.record(storage.LagEvent{Game: b.key, At: time.Now(), Turn: e.Turn, HostLate: e.HostLate, Cause: gamesync.CauseHost.String()})
	}
}

func (b *book) desynced(e *gamesync.Desync) {
	groups := make([]storage.HashGroup, len(e.Groups))
	for i, group := range e.Groups {
		groups[i] = storage.HashGroup{Hash: uint32(group.Hash), Dropped: !group.GoesOn}
		for pid := range group.PIDs.All() {
			groups[i].PIDs = append(groups[i].PIDs, pid)
		}
	}
	dossier, err := json.Marshal(e)
	if err != nil {
		b.g.log.Error().Err(err).Msg("desync dossier cannot be written as JSON")
	}
	b.record(storage.Desync{Game: b.key, At: time.Now(), Turn: e.Turn, Groups: groups, Dossier: dossier})
}

func (b *book) download(c *conn, e *mapxfer.Effect, complete bool) {
	r := storage.MapDownload{
		Game: b.key, At: time.Now(), PID: e.PID, Name: c.name, Bytes: int64(e.Bytes) + int64(e.Resent),
		Took: e.Took, Complete: complete,
	}
	if !complete {
		r.Detail = e.Why.String()
	}
	b.record(r)
}

// admin is the audit log: who asked for what, on whom, and whether it was done.
func (b *book) admin(who, via, line, target, refused string) {
	action, detail, _ := strings.Cut(line, " ")
	b.record(storage.AdminAction{
		Game: b.key, At: time.Now(), Who: who, Via: via, Action: action, On: target, Detail: detail, Refused: refused,
	})
}

// endedBy names the cause of an end that the turn loop does not know.
func (b *book) endedBy(how storage.EndReason) { b.how = how }

func (b *book) gameOver(e *gamesync.Over) {
	how := b.how
	if how == "" {
		how = endReason(e.How)
	}
	b.results()
	b.end(storage.GameEnded{How: how, Detail: e.How.String(), Turns: e.Turns, Played: e.GameTime})
}

// results records what the map has reported, now that nothing can change it.
func (b *book) results() {
	for _, r := range b.stats.Results() {
		source := storage.ResultSource(r.Source)
		if r.PID != 0 {
			b.record(storage.PlayerResult{
				Game: b.key, At: time.Now(), Turn: r.Turn, Source: source, Sender: r.Sender,
				PID: r.PID, Name: r.Name, Value: r.Value, Contradicts: r.Contradicts,
			})
			continue
		}
		name := r.Name
		if r.About != "" {
			name = r.About + ": " + name // somebody who is no player of this game
		}
		b.record(storage.MapResult{
			Game: b.key, At: time.Now(), Turn: r.Turn, Source: source, Sender: r.Sender,
			Name: name, Value: r.Value, Contradicts: r.Contradicts,
		})
	}
}

func (b *book) closedLobby(why string) {
	b.end(storage.GameEnded{How: storage.EndClosed, Detail: why})
}

// closed makes sure that no game stays open in the log.
func (b *book) closed() { b.end(storage.GameEnded{How: storage.EndClosed, Turns: b.turns}) }

func (b *book) end(r storage.GameEnded) {
	if b.ended {
		return
	}
	b.ended = true
	r.Game, r.At = b.key, time.Now()
	b.record(r)
}

func (b *book) ping(pid uint8) time.Duration {
	p, _ := b.g.lobby.Player(pid)
	return p.RTT
}

func chatScope(e lobby.Said) storage.ChatScope {
	switch {
	case !e.Game:
		return storage.ChatLobby
	case e.Scope == w3gs.ScopeAll:
		return storage.ChatAll
	case e.Scope == w3gs.ScopeAllies:
		return storage.ChatAllies
	case e.Scope == w3gs.ScopeObservers:
		return storage.ChatObservers
	}
	return storage.ChatPrivate
}
