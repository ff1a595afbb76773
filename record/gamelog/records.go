// Package gamelog observes the events of a game. Records turns them into records of the game log, which
// package storage writes to the database; Lines writes them to the host's log file.
//
// Package host creates both for every game and feeds them on the game loop. They never block and never change
// the game.
package gamelog

import (
	"encoding/json"
	"net/netip"
	"time"

	"w3host/game"
	"w3host/lobby"
	"w3host/protocol/w3gs"
	"w3host/record/mapstats"
	"w3host/storage"
	gamesync "w3host/sync"
)

// Recorder accepts records for the game log. Record must not block.
type Recorder interface {
	Record(storage.Record)
}

// Records writes one game to the game log. It is not safe for concurrent use.
type Records struct {
	// Replay returns the file name of the game's replay, or "" if there is none. The replay's observer must
	// see the start of the game before Records does.
	Replay func() string

	to      keyedRecorder
	key     storage.GameKey
	opened  time.Time
	version w3gs.Version
	stats   *mapstats.Collector // results reported by the map; nil before the start
	head    storage.GameCreated // the game's record as last written
	judge   judge               // decides which results count
	turn    uint32
	played  time.Duration // elapsed game time
	ended   bool
}

// NewRecords returns Records for a game whose lobby opened at the given time.
func NewRecords(to Recorder, opened time.Time) *Records {
	return &Records{to: keyedRecorder{to: to}, key: storage.NewGameKey(), opened: opened, Replay: func() string { return "" }}
}

// Observe records one event. It does not block.
func (r *Records) Observe(s *game.Stamped) {
	r.turn = s.Turn
	r.to.fact, r.to.next = s.Seq, 0
	r.judge.observe(s)
	at := r.opened.Add(s.At)
	switch f := s.Fact.(type) {
	case *game.Acted:
		r.acted(at, s.Turn, f)
	case *game.Turned:
		r.played += time.Duration(f.Increment) * time.Millisecond
	case *game.Settled, *game.Emptied:
	case *game.Opened:
		r.version = f.Config.Version
		r.created(at, f)
	case *game.Joined:
		r.to.Record(storage.PlayerJoined{Game: r.key, At: at, PID: f.PID, Name: f.OwnName(), Realm: f.Realm, Addr: f.Addr.Addr()})
	case *game.Vouched:
		r.to.Record(storage.PlayerVouched{Game: r.key, At: at, PID: f.PID, Realm: f.Realm})
	case *game.Listed:
		r.head.Name, r.head.Private = f.Name, !f.Public
		r.to.Record(r.head) // replaces the previous record
	case *game.LeftLobby:
		r.to.Record(storage.PlayerLeft{Game: r.key, At: at, PID: f.PID, Code: uint32(f.Reason), Reason: f.Why, Ping: f.RTT})
	case *game.Said:
		r.said(at, f)
	case *game.Started:
		r.started(at, f)
	case *game.Loaded:
		r.to.Record(storage.PlayerLoaded{Game: r.key, At: at, PID: f.PID, After: f.After})
	case *game.AllLoaded:
		r.to.Record(storage.GameLoaded{Game: r.key, At: at})
	case *game.LeftGame:
		r.leftGame(at, f)
	case *game.GameSaved:
		r.to.Record(storage.SaveEvent{Game: r.key, At: at, Turn: s.Turn, PID: f.PID, File: f.File, Played: f.Played})
	case *game.Dropped:
		r.to.Record(storage.DropEvent{Game: r.key, At: at, Turn: s.Turn, PID: f.PID, Reason: f.Why, By: f.By})
	case *game.LinkLost:
		if f.Wait > 0 {
			r.to.Record(storage.LinkEvent{Game: r.key, At: at, Turn: s.Turn, PID: f.PID, Reason: f.Why})
		}
	case *game.LinkResumed:
		r.to.Record(storage.LinkEvent{Game: r.key, At: at, Turn: s.Turn, PID: f.PID, Resumed: true, Away: f.Away})
	case *game.Lagged:
		r.lagged(at, f)
	case *game.Desynced:
		r.desynced(at, f)
	case *game.DownloadEnded:
		r.downloaded(at, f)
	case *game.Commanded:
		r.commanded(at, f)
	case *game.Decided:
		if !r.isPart() {
			r.decided(at, s, f)
		}
	case *game.Over:
		r.over(at, f)
	case *game.Closed:
		r.end(storage.GameEnded{At: at, How: storage.EndClosed, Detail: f.Why})
	}
}

// Crashed records the end of a game that failed because of an error in the host.
// It is recorded also for a game whose earlier events were not observed again, since it cannot be rebuilt.
func (r *Records) Crashed(at time.Time, why string) {
	if r.to.keyed && r.to.fact <= r.to.recorded {
		r.to.fact, r.to.next = r.to.recorded+1, atOnce-1 // a number that no record of an event has
	}
	r.end(storage.GameEnded{At: at, How: storage.EndCrashed, Detail: why, Turns: r.turn})
}

func (r *Records) end(e storage.GameEnded) {
	if !r.ended {
		r.ended = true
		e.Game = r.key
		e.Replay = r.Replay()
		r.to.Record(e)
	}
}

func (r *Records) created(at time.Time, f *game.Opened) {
	c := f.Config
	r.head = storage.GameCreated{
		Game: r.key, At: at, Name: c.Name, Owner: f.Owner, Realm: c.Realm, Private: c.Unlisted,
		GameID: c.ID, Version: c.Version.String(),
		Map: storage.MapID{
			Name: c.Map.Name, Path: c.Map.Path, Size: int64(c.Map.Size), CRC32: c.Map.CRC32,
			Checksum: c.Map.Checksum, SHA1: c.Map.SHA1,
		},
		Settings: storage.Settings{
			Speed:         w3gs.Speeds.Word(c.Settings),
			Visibility:    w3gs.Visibilities.Word(c.Settings),
			Observers:     w3gs.ObserverChoices.Word(c.Settings),
			TeamsTogether: c.Settings&w3gs.TeamsTogether != 0,
			FixedTeams:    c.Settings&w3gs.FixedTeams != 0,
			SharedControl: c.Settings&w3gs.FullSharedControl != 0,
			RandomHero:    c.Settings&w3gs.RandomHero != 0,
			RandomRaces:   c.Settings&w3gs.RandomRaces != 0,
			LoadInGame:    c.Turns.LoadInGame, AdaptivePeriod: c.Turns.Adaptive.On,
			SyncLimit: c.Turns.SyncLimit, HCL: c.Lobby.HCL, PublicChat: c.PublicChat,
		},
		Latency: c.Turns.Period, Seed: c.Lobby.RandomSeed,
	}
	if c.Saved != nil {
		r.head.Settings.SavedGame = c.Saved.File
	}
	r.to.Record(r.head)
}

func (r *Records) said(at time.Time, f *game.Said) {
	line := storage.ChatLine{
		Game: r.key, At: at, Turn: r.turn, PID: f.PID, Name: f.Name, Scope: chatScope(f.Said), Text: f.Text,
	}
	if line.Scope == storage.ChatPrivate {
		line.To = f.Receiver
	}
	r.to.Record(line)
}

func (r *Records) downloaded(at time.Time, f *game.DownloadEnded) {
	r.to.Record(storage.MapDownload{
		Game: r.key, At: at, PID: f.PID, Name: f.Name, Bytes: int64(f.Bytes) + int64(f.Resent),
		Took: f.Took, Complete: f.Complete, Detail: f.Why,
	})
}

func (r *Records) commanded(at time.Time, f *game.Commanded) {
	r.to.Record(storage.AdminAction{
		Game: r.key, At: at, Who: f.Caller.Name, Realm: f.Caller.Realm, Via: string(f.Caller.Via),
		Action: f.Name, On: f.Target, Detail: f.Detail, Refused: f.Refused,
	})
}

func (r *Records) started(at time.Time, f *game.Started) {
	byPID := make(map[uint8]lobby.Player, len(f.Players)+len(f.Fakes))
	roster := make([]mapstats.Player, 0, len(f.Players))
	for _, p := range f.Players {
		byPID[p.PID] = p
		roster = append(roster, mapstats.Player{PID: p.PID, Name: p.Name, Colour: p.Colour})
	}
	for _, p := range f.Fakes {
		byPID[p.PID] = p
	}
	slots := make([]storage.StartedSlot, 0, len(f.Table.Slots))
	for i, s := range f.Table.Slots {
		if s.Status == w3gs.SlotOccupied {
			slots = append(slots, startedSlot(uint8(i), s, byPID[s.PID], f.Addrs[s.PID].Addr()))
		}
	}
	r.to.Record(storage.GameStarted{Game: r.key, At: at, Slots: slots, Replay: r.Replay()})
	if f.Unwatched != "" {
		r.head.Settings.Unwatched = f.Unwatched
		r.to.Record(r.head) // replaces the previous record
	}
	r.stats = mapstats.New(r.version, roster)
}

func startedSlot(i uint8, s w3gs.Slot, p lobby.Player, addr netip.Addr) storage.StartedSlot {
	slot := storage.StartedSlot{
		Slot: i, PID: s.PID, Occupant: storage.OccupantPlayer, Name: p.Name, Realm: p.Realm, Addr: addr,
		Team: s.Team, Colour: s.Colour, Race: uint8(s.Race &^ w3gs.RaceSelectable), Handicap: p.Handicap,
	}
	if p.Nameless {
		slot.Name = ""
	}
	switch {
	case s.Computer:
		slot.Occupant, slot.Difficulty, slot.Name, slot.Handicap = storage.OccupantComputer, uint8(s.AI), "", s.Handicap
	case p.Fake:
		slot.Occupant = storage.OccupantFake
	}
	return slot
}

func (r *Records) lagged(at time.Time, f *game.Lagged) {
	for _, p := range f.Players {
		r.to.Record(storage.LagEvent{
			Game: r.key, At: at, Turn: f.Turn, PID: p.PID, Lasted: p.Behind, Behind: uint32(p.Turns),
			Ping: p.RTT, HostLate: f.HostLate, Backlog: uint32(p.Queued), Cause: string(p.Cause),
		})
	}
	if len(f.Players) == 0 {
		r.to.Record(storage.LagEvent{Game: r.key, At: at, Turn: f.Turn, HostLate: f.HostLate, Cause: string(gamesync.CauseHost)})
	}
}

func (r *Records) desynced(at time.Time, f *game.Desynced) {
	groups := make([]storage.HashGroup, len(f.Groups))
	for i, group := range f.Groups {
		groups[i] = storage.HashGroup{Hash: uint32(group.Hash), Dropped: !group.GoesOn}
		for pid := range group.PIDs.All() {
			groups[i].PIDs = append(groups[i].PIDs, pid)
		}
	}
	dossier, err := json.Marshal(f)
	if err != nil { // cannot happen with plain data; record the desync anyway
		dossier, _ = json.Marshal(err.Error())
	}
	r.to.Record(storage.Desync{Game: r.key, At: at, Turn: f.Turn, Groups: groups, Dossier: dossier})
}

// acted extracts the map's reports from a player's actions.
func (r *Records) acted(at time.Time, turn uint32, f *game.Acted) {
	reports := r.stats.Action(turn, r.played, f.PID, f.Data)
	if len(reports) == 0 || r.isPart() {
		return
	}
	raw := make([]storage.MapReport, len(reports))
	for i, report := range reports {
		raw[i] = storage.MapReport(report)
	}
	r.to.Record(storage.MapReports{Game: r.key, At: at, Turn: turn, Played: r.played, Sender: f.PID, Reports: raw})
}

func (r *Records) leftGame(at time.Time, f *game.LeftGame) {
	r.stats.Left(r.turn, f.PID)
	r.to.Record(storage.PlayerLeft{
		Game: r.key, At: at, PID: f.PID, Turn: r.turn, Code: uint32(f.Reason), Reason: f.Why,
		Ping: f.RTT, Actions: f.Actions,
	})
}

func (r *Records) over(at time.Time, f *game.Over) {
	if !f.Remade && !r.isPart() { // the map's reports of remade games do not count
		r.results(at, f.GameTime)
	}
	r.end(storage.GameEnded{At: at, How: endReason(f), Detail: string(f.How), Turns: f.Turns, Played: f.GameTime})
}

// isPart reports whether the game continues a saved or recorded game. Such games have no results: the map's
// statistics started in another game, and nobody should be rated twice.
func (r *Records) isPart() bool { return r.head.Settings.SavedGame != "" }

// Key returns the game's key in the game log.
func (r *Records) Key() storage.GameKey { return r.key }
