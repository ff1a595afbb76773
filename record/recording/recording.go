package recording

import (
	"net/netip"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"w3host/formats/replay"
	"w3host/game"
	"w3host/internal/network"
	"w3host/protocol/w3gs"
	gamesync "w3host/sync"
)

const (
	// batchTime is the game time per batch. Together with the write interval and the 0.3 s for which
	// replay.Writer holds turns, it determines the loss in a crash: 0.65 s on average, 1 s at most.
	batchTime = 300 * time.Millisecond
	// batchBytes limits the size of a batch when players act a lot.
	batchBytes = 32 << 10

	// language is a constant of unknown meaning in replays written by hosts.
	language = 0x0012F8B0
)

// About describes a game to its recording, in addition to the events.
type About struct {
	Game replay.Program
	Stat w3gs.StatString
	Type w3gs.GameType
	// Opened is when the lobby opened; it is used for the file name.
	Opened time.Time
	// File is the file name of a game rebuilt from its journal, whose replay is written again. If it is "", a
	// new name is chosen at the start of the game.
	File string
}

// Recording observes one game. Its methods must be called from the game's goroutine. Name, Part, End and
// Release accept a nil Recording.
type Recording struct {
	to    *Archive
	about About
	name  fields

	file   string // file name; "" before the start
	begun  bool
	over   bool
	next   *batch
	time   time.Duration // game time of the events in next
	failed atomic.Bool   // the file is missing or incomplete after a write error
	lost   atomic.Bool   // stopped: the Archive did not keep up, or the file reached its maximum size
	played time.Duration
	acted  w3gs.PIDs // people who have acted
	people w3gs.PIDs
	alone  bool        // all people came from one address
	minor  atomic.Bool // the file is deleted before others; state at the last flush

	// Used only by the Archive's goroutine.
	out *file // nil unless it is open
}

// event is one record of the replay.
type event struct {
	kind     eventKind
	pid      uint8
	value    uint32 // increment in ms, checksum, leave reason, chat scope, or count
	from, to int    // range in the bytes of the batch
}

type eventKind uint8

const (
	turned eventKind = iota
	emptied
	settled
	said
	left
)

// batch holds events of one game on their way to the Archive.
type batch struct {
	rec    *Recording
	start  *replay.Start // set in the first batch of a game
	events []event
	bytes  []byte
	end    bool
	leave  bool // another process writes the replay
}

// Name returns the replay's file name without folder, or "" if there is none.
func (r *Recording) Name() string {
	if r == nil || r.failed.Load() {
		return ""
	}
	return r.file
}

// Part returns the path of the file during the game, or "" if there is none.
func (r *Recording) Part() string {
	if r.Name() == "" {
		return ""
	}
	return filepath.Join(r.to.opts.Dir, partOf(r.to.opts.Disk, r.file, r.about.File != ""))
}

// Observe processes one event. It does not block.
func (r *Recording) Observe(s *game.Stamped) {
	switch f := s.Fact.(type) {
	case *game.Opened:
		r.name = fields{game: f.Config.Name, title: f.Config.Map.Name, id: f.Config.ID, opened: r.about.Opened}
	case *game.Started:
		r.begin(s.At, f)
	case *game.Turned:
		r.watch(f)
		r.add(turned, 0, uint32(f.Increment), f.Actions)
		if r.time += time.Duration(f.Increment) * time.Millisecond; r.time >= batchTime && !s.Again {
			r.flush()
		}
	case *game.Emptied:
		r.add(emptied, 0, uint32(f.Count), nil)
	case *game.Settled:
		r.add(settled, 0, uint32(f.Hash), nil)
	case *game.Said:
		// Private chat is left out, because replays are shared.
		if f.Game && !f.Muted && f.Scope < w3gs.ScopeSlot {
			r.add(said, f.PID, uint32(f.Scope), []byte(f.Text))
		}
	case *game.LeftGame:
		r.add(left, f.PID, uint32(f.Reason), nil)
	case *game.ScreenUp:
		r.flush() // game time may stand still for long now
	case *game.Over:
		r.End()
	}
}

// End completes the file, unless the game has already done so.
func (r *Recording) End() { r.stop(false) }

// Release ends the recording without a file, because another process continues the game and writes its replay.
func (r *Recording) Release() { r.stop(true) }

func (r *Recording) stop(leave bool) {
	if r != nil && r.begun && !r.over {
		r.next.end, r.next.leave = !leave, leave
		r.flush()
		r.over = true
	}
}

func (r *Recording) begin(after time.Duration, f *game.Started) {
	start := &replay.Start{
		GameName: r.name.game, Settings: settings(&r.about.Stat),
		SlotCount: uint32(len(f.Table.Slots)), GameType: uint32(r.about.Type), Language: language,
		Slots: slices.Clone(f.Table.Slots), RandomSeed: f.Table.RandomSeed, Layout: f.Table.Layout,
		StartSpots: f.Table.PlayerSlots,
	}
	for _, p := range slices.Concat(f.Players, f.Fakes) {
		start.Players = append(start.Players, replay.Player{PID: p.PID, Name: p.ClientName(), Extra: r.about.Game.PlayerExtra(), Fake: p.Fake})
	}
	for _, p := range f.Players {
		r.people |= w3gs.Only(p.PID)
	}
	r.alone = r.to.haveOneAddress(f)
	for _, e := range f.Extras {
		start.Metas = append(start.Metas, replay.Meta{ID: r.about.Game.MetaID(), Kind: byte(e.Kind), Data: e.Data})
	}
	r.name.started, r.name.players = r.about.Opened.Add(after), len(f.Players)
	r.begun, r.file, r.next = true, r.about.File, r.to.batch(r)
	if r.file == "" {
		r.file = r.to.reserve(&r.name)
	}
	r.next.start = start
	if r.flush(); r.lost.Load() {
		r.file = ""
	}
}

// leastPlayed is the minimum game length of a replay that is not minor.
const leastPlayed = 2 * time.Minute

// watch tracks game time and acting players, which decide whether a replay is minor.
func (r *Recording) watch(f *game.Turned) {
	r.played += time.Duration(f.Increment) * time.Millisecond
	if r.acted == r.people {
		return
	}
	for pid := range w3gs.Actions(f.Actions) {
		r.acted |= w3gs.Only(pid) & r.people
	}
}

// haveOneAddress reports whether all players came from one subscriber's address that is not exempt.
func (a *Archive) haveOneAddress(f *game.Started) bool {
	first := netip.Addr{}
	for i, p := range f.Players {
		addr := f.Addrs[p.PID].Addr()
		if !addr.IsValid() || a.opts.Exempt != nil && a.opts.Exempt(addr) {
			return false
		}
		if i == 0 {
			first = network.Base(addr)
		} else if network.Base(addr) != first {
			return false
		}
	}
	return true
}

func settings(s *w3gs.StatString) replay.Settings {
	rest := []byte{0}
	if s.HasSHA1 {
		rest = append(rest, s.SHA1[:]...)
	}
	return replay.Settings{
		Flags: s.Settings, Width: s.Width, Height: s.Height, Checksum: s.Checksum,
		MapPath: s.MapPath, HostName: s.HostName, Rest: rest,
	}
}

func (r *Recording) add(kind eventKind, pid uint8, value uint32, data []byte) {
	if !r.begun || r.over || r.lost.Load() {
		return
	}
	b := r.next
	from := len(b.bytes)
	b.bytes = append(b.bytes, data...)
	b.events = append(b.events, event{kind, pid, value, from, len(b.bytes)})
	if len(b.bytes) >= batchBytes {
		r.flush()
	}
}

// flush passes the batch to the Archive. If the Archive does not keep up, the replay ends here and the game
// continues.
func (r *Recording) flush() {
	if !r.begun || r.over || r.lost.Load() {
		return
	}
	r.minor.Store(r.played < leastPlayed || r.acted.Len() < 2 || r.alone)
	if r.to.put(r.next) {
		r.next, r.time = r.to.batch(r), 0
	} else {
		r.lost.Store(true) // the Archive's goroutine completes the file
		r.to.opts.Log.Warn().Str("file", r.file).Msg("the disk is too slow: the replay of a game ends early; the game continues")
	}
}

// write writes the batch to a replay.
func (b *batch) write(w *replay.Writer) (err error) {
	for _, e := range b.events {
		data := b.bytes[e.from:e.to]
		switch e.kind {
		case turned:
			part, rest := gamesync.NextBatch(data)
			for ; len(rest) > 0; part, rest = gamesync.NextBatch(rest) {
				if err = w.Part(part); err != nil {
					return err
				}
			}
			err = w.Turn(time.Duration(e.value)*time.Millisecond, part)
		case emptied:
			for n := e.value; n > 0 && err == nil; n-- {
				err = w.Empty()
			}
		case settled:
			err = w.Checksum(e.value)
		case said:
			err = w.Chat(replay.Chat{PID: e.pid, Flag: w3gs.ChatGame, Scope: w3gs.ChatScope(e.value), Text: string(data)})
		case left:
			err = w.Left(e.pid, w3gs.LeaveReason(e.value))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
