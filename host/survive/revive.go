package survive

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"w3host/game"
	"w3host/mapxfer"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

// Revived is a game that was rebuilt from its journal.
type Revived struct {
	Config  game.Config
	Machine *game.Machine
	Ledger  *Ledger
	Writer  game.Journal // of the entries to come
	Journal []byte       // all that is written
	Sum     uint32
	Links   map[game.LinkID]*Link
	Proxies [w3gs.MaxPID + 1]*Person // players who have one, also while their seat has no link
	Playing bool
	LastID  game.LinkID
	Last    time.Duration // the time of the last input
	Keep    bool          // the journal is to be kept
	Inputs  int
	Skipped []game.LinkID // whose inputs were left out: they end the process
}

// Rerun is a rerun in progress.
type Rerun struct {
	*Revived
	reader  *game.Reader
	left    *Left
	own     bool // the game is this process's
	before  uint32
	written map[game.LinkID]uint64
	seats   [w3gs.MaxPID + 1]*Link
	recent  [recent]*Link // those of Links that were looked for last
	parts   MapParts
	out     *game.Out
	watch   func(*game.Stamped)
	skips   []uint64 // the entries that are left out
	cut     int      // where the first entry that is left out ends; 0: none is
	at      uint64   // the entry that is stepped, + 1
}

// ErrOver is returned by Finish for a game that has ended.
var ErrOver = errors.New("the game is over")

// recent is the size of the cache of links. It is larger than the number of players of a game.
const recent = 32

// MapParts returns the map of a game, split into parts.
type MapParts func(*game.Config) (*mapxfer.Parts, error)

// Revive rebuilds a game that this process owns. written holds the number of bytes that the kernel
// has accepted on each link. watch is called with all facts, but nothing is sent, queried or
// recorded. parts is called only if the kernel has not accepted all map parts that were framed.
func (l *Left) Revive(written map[game.LinkID]uint64, parts MapParts, out *game.Out, watch func(*game.Stamped)) (*Revived, error) {
	r, err := l.Follow(written, parts, out, watch)
	if err != nil {
		return nil, err
	}
	return r.Finish(written)
}

// Follow begins to rerun a game that another process may still be playing. If written is nil, the
// streams of links are not tracked.
func (l *Left) Follow(written map[game.LinkID]uint64, parts MapParts, out *game.Out, watch func(*game.Stamped)) (*Rerun, error) {
	r, cfg, err := game.NewReader(l.Written())
	if err != nil {
		return nil, err
	}
	v := &Rerun{
		Revived: &Revived{Config: cfg, Links: map[game.LinkID]*Link{}},
		reader:  r, left: l, written: written, parts: parts, out: out, watch: watch,
	}
	out.Reset()
	v.Machine = game.New(cfg, out)
	v.outputs()
	return v, nil
}

// Run continues to the current end of the journal. written holds the current number of bytes that
// the kernel has accepted on each link; nil keeps the previous numbers.
func (v *Rerun) Run(written map[game.LinkID]uint64) error {
	if written != nil {
		v.written = written
	}
	for id, l := range v.Links {
		if l.carried() && !l.Over {
			l.wrote(v.written, id)
		}
	}
	v.Journal, v.skips = v.left.Written(), v.left.skips()
	v.reader.Continue(v.Journal)
	for e := new(game.JournalItem); ; {
		at := uint64(v.reader.Offset()) + 1
		err := v.reader.Next(e)
		switch {
		case err != nil:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		case e.Note != nil:
			err = v.note(e.Kind, e.Note)
		case !e.Check:
			v.input(at, e)
		}
		if err != nil {
			return err
		}
	}
}

// Stale reports whether an entry was excluded since the last Run. The rerun may have executed it.
func (v *Rerun) Stale() bool { return len(v.left.skips()) != len(v.skips) }

// Whole returns the journal so far, up to the first excluded entry. whole is false if there is one.
func (v *Rerun) Whole() (written []byte, whole bool) {
	if v.cut > 0 {
		return v.Journal[:v.cut], false
	}
	return v.Journal, true
}

// At returns the position of the last executed entry, for Left.Showing, or 1 before the first.
func (v *Rerun) At() uint64 {
	if v == nil {
		return 1
	}
	return max(v.at, 1)
}

// Same compares the checksum of the output with that of the owner. known is false while the owner
// is ahead.
func (v *Rerun) Same() (known bool, err error) {
	// The owner may not have stored the checksum of the last input yet.
	sum := uint32(v.left.mem.Word(wordSum))
	switch {
	case len(v.left.Written()) != len(v.Journal):
		return false, nil
	case sum == v.Sum:
		return true, nil
	case sum == v.before || sum == 0:
		return false, nil
	}
	return true, fmt.Errorf("other bytes came out than before: sum %08x, not %08x", v.Sum, sum)
}

// Finish completes the rerun and returns the game. This process must own the game by then.
func (v *Rerun) Finish(written map[game.LinkID]uint64) (*Revived, error) {
	v.own = true
	if err := v.Run(written); err != nil {
		return nil, err
	}
	mem := v.left.mem
	mem.SetWord(wordStep, 0)
	v.out.Reset() // it was carried out by the process before
	if _, err := v.Same(); err != nil {
		return nil, err
	}
	if v.Machine.Over() {
		return nil, ErrOver
	}
	mem.SetWord(wordSum, uint64(v.Sum))
	v.Ledger, v.Writer = &Ledger{mem: mem, end: len(v.Journal)}, v.reader.Writer()
	return v.Revived, nil
}

// input executes an entry unless it is excluded.
func (v *Rerun) input(at uint64, e *game.JournalItem) {
	in := &e.Input
	l := v.link(in.Link)
	switch {
	case in.Kind == game.Join:
		l = &Link{ID: in.Link, Addr: in.Addr, Person: &Person{
			Name: in.Packet.(*w3gs.ReqJoin).Name, Realm: in.Realm, Vouched: in.Vouched, Addr: in.Addr, Line: gproxy.LineAt(1, 0),
		}}
		v.add(l)
	case in.Kind == game.Resume:
		if p := v.proxy(in.PID); p != nil {
			l = &Link{ID: in.Link, Addr: in.Addr, Person: p, last: in.Last}
			v.add(l)
		}
	case l == nil:
	case in.Kind == game.Lost:
		v.unseat(l)
		l.Over = true
	case in.Kind == game.Vouch:
		l.Vouched = true
	default:
		l.took(in)
	}
	v.before, v.Last, v.at = v.Sum, e.At, at
	v.Inputs++
	if l != nil && slices.Contains(v.skips, at) {
		if v.Skipped == nil {
			v.cut = v.reader.Offset()
		}
		v.Skipped = append(v.Skipped, l.ID)
		return
	}
	if v.own {
		v.left.mem.Note(wordStep, at)
	}
	v.out.Reset()
	v.Machine.Step(e.At, in, v.out)
	v.outputs()
}

// link returns the link with a number. A cache serves most lookups; a map lookup for each would
// take a tenth of the time of a rerun.
func (v *Rerun) link(id game.LinkID) *Link {
	if id == 0 {
		return nil
	}
	l := v.recent[id%recent]
	if l == nil || l.ID != id {
		l = v.Links[id]
		v.recent[id%recent] = l
	}
	return l
}

func (v *Rerun) add(l *Link) {
	v.Links[l.ID], v.recent[l.ID%recent], v.LastID = l, l, l.ID
}

// Gone returns the links on which the game still counts although they have no working socket.
func (r *Revived) Gone() []*Link { return r.sorted((*Link).gone) }

// Open returns the links with a working socket, in the order of their numbers.
func (r *Revived) Open() []*Link {
	return r.sorted(func(l *Link) bool { return l.carried() && !l.Over })
}

func (r *Revived) sorted(which func(*Link) bool) []*Link {
	var list []*Link
	for _, id := range slices.Sorted(maps.Keys(r.Links)) {
		if l := r.Links[id]; which(l) {
			list = append(list, l)
		}
	}
	return list
}

// Follow continues to record the streams of a link.
func (r *Revived) Follow(l *Link) Stream { return r.Ledger.goOn(l.ID, &l.Streams) }
