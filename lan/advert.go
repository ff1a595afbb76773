package lan

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"w3host/protocol/w3gs"
)

// Faults of an Advert.
var (
	errGameID  = errors.New("game id 0 means any game in a search")
	errName    = errors.New("game name must not be empty nor contain a NUL")
	errStat    = errors.New("map path and host name must be 255 bytes at most, without a NUL")
	errCount   = errors.New("open slots must lie between 0 and all slots")
	errPort    = errors.New("no TCP port to join at")
	errOpen    = errors.New("a lobby of this game id is open already")
	errStopped = errors.New("the advertiser is shut down")
	errExtra   = fmt.Errorf("the lobby is announced to %d addresses already", maxExtra)
)

// Why a lobby cannot be announced to one more address. Test with errors.Is.
var (
	ErrNotListed = errors.New("the lobby is not in the list of games")
	ErrMulticast = errors.New("clients of 1.30 to 2.0 find games by multicast alone")
)

// Advert is a lobby as the LAN screen lists it.
type Advert struct {
	GameID    uint32 // counts the lobbies of this process, from 1
	EntryKey  uint32 // random; a client that joins from the LAN echoes it in 0x1E
	Name      string // UTF-8; text over 31 bytes is cut off after a whole character
	Stat      w3gs.StatString
	Type      w3gs.GameType // zero means GameTypeCustom
	Port      uint16        // TCP; zero means Options.GamePort
	Count     Count
	Private   bool // not listed; realms find it by its name
	Requested bool // by a person: realms list it before lobbies that open by themselves
	// Watched marks a running game that is listed for viewers: realms do not list it.
	Watched bool
	// Variants are the versions whose clients see the lobby, where they do not all see
	// the same. None: all of Options.Versions do.
	Variants []Variant
	// Hidden is asked before each datagram that shows the lobby; true: it is not sent. Clients of
	// 1.30 to 2.0 see a change within an interval. nil: the lobby is never hidden.
	Hidden func() bool

	age time.Duration // since the lobby opened
}

// IsHidden asks Hidden.
func (ad *Advert) IsHidden() bool { return ad.Hidden != nil && ad.Hidden() }

// Variant is a lobby as clients of one version see it. An EntryKey of its own tells the
// host through which variant somebody has joined.
type Variant struct {
	Version  uint32
	EntryKey uint32
	Checksum uint32
	SHA1     [20]byte
}

// Info describes the lobby to clients of one version.
func (ad *Advert) Info(product w3gs.Product, version uint32, age time.Duration) w3gs.GameInfo {
	info := w3gs.GameInfo{
		Product:       product,
		Version:       version,
		GameID:        ad.GameID,
		EntryKey:      ad.EntryKey,
		Name:          ad.Name,
		Stat:          ad.Stat,
		Slots:         uint32(ad.Count.Slots),
		Type:          w3gs.Version(version).ListedType(ad.Type),
		Unknown:       1,
		SlotsOpen:     uint32(ad.Count.listedOpen()),
		UptimeSeconds: uint32(age / time.Second),
		Port:          ad.Port,
	}
	info.Stat.HasSHA1 = info.Stat.HasSHA1 && w3gs.Version(version).HasSHA1()
	for _, v := range ad.Variants {
		if v.Version == version {
			info.EntryKey, info.Stat.Checksum, info.Stat.SHA1 = v.EntryKey, v.Checksum, v.SHA1
		}
	}
	return info
}

// Saved reports whether it is a saved game.
func (ad *Advert) Saved() bool { return ad.Type&w3gs.GameTypeSaved != 0 }

// Versions are those whose clients see the lobby, where all see one without variants.
func (ad *Advert) Versions(all []uint32) (list []uint32) {
	for _, v := range ad.Variants {
		list = append(list, v.Version)
	}
	if list == nil {
		return all
	}
	return list
}

// Count is how full a lobby is. Every slot that is not open counts as a player
// in the list: people, computers and closed slots.
type Count struct {
	// Slots is the size of the slot table. Clients make room for as many pids
	// as this says.
	Slots int
	// Open is how many slots a person can still join.
	Open int
}

// valid reports whether both numbers make sense.
func (c Count) valid() bool { return c.Slots > 0 && c.Open >= 0 && c.Open <= c.Slots }

// listedOpen is the "slots open" field of 0x30. Clients show
// 1 + slots − listedOpen players: the one is the host, who plays in their own
// games. Ours does not, so one is added back; else the last free slot would
// look taken and could not be joined. It is never more than all slots, which
// no client that hosts would say: an empty lobby shows one player.
func (c Count) listedOpen() int { return min(c.Slots, c.Open+1) }

// players is the field of 0x32, the same number that clients make of the 0x30.
func (c Count) players() int { return 1 + c.Slots - c.listedOpen() }

func (ad *Advert) check() error {
	switch {
	case ad.GameID == 0:
		return errGameID
	case ad.Name == "" || strings.Contains(ad.Name, "\x00"):
		return fmt.Errorf("%w: %q", errName, ad.Name)
	case !fits(ad.Stat.MapPath) || !fits(ad.Stat.HostName):
		return fmt.Errorf("%w: %q, %q", errStat, ad.Stat.MapPath, ad.Stat.HostName)
	case !ad.Count.valid():
		return fmt.Errorf("%w: %d of %d", errCount, ad.Count.Open, ad.Count.Slots)
	case ad.Port == 0:
		return errPort
	}
	return nil
}

// fits reports whether a text of the stat string leaves the datagram readable.
func fits(s string) bool { return len(s) <= 255 && !strings.Contains(s, "\x00") }

// The datagrams of one lobby. Those that name a version are there for each.

func (l *lobby) creates(o *Options) (out [][]byte) {
	for _, v := range l.versions(o, w3gs.DiscoveryBroadcast) {
		p := w3gs.CreateGame{Product: o.Product, Version: v, GameID: l.ad.GameID}
		out = append(out, p.AppendTo(nil))
	}
	return out
}

func (l *lobby) infos(o *Options, now time.Time, way w3gs.Discovery) (out [][]byte) {
	for _, v := range l.versions(o, way) {
		out = append(out, l.info(o, v, now))
	}
	return out
}

func (l *lobby) refresh() []byte {
	count := l.ad.Count
	return (&w3gs.RefreshGame{GameID: l.ad.GameID, Players: uint32(count.players()), Slots: uint32(count.Slots)}).AppendTo(nil)
}

func (l *lobby) info(o *Options, version uint32, now time.Time) []byte {
	p := l.ad.Info(o.Product, version, now.Sub(l.opened))
	p.Version = w3gs.Version(version).LANNumber()
	return p.AppendTo(nil)
}
