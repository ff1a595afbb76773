package lan

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"w3host/protocol/w3gs"
)

// Errors of invalid Adverts.
var (
	errGameID  = errors.New("game id 0 means any game in a search")
	errName    = errors.New("game name must not be empty or contain a NUL")
	errStat    = errors.New("map path and host name must be 255 bytes at most, without a NUL")
	errCount   = errors.New("open slots must lie between 0 and all slots")
	errPort    = errors.New("no TCP port for joins")
	errOpen    = errors.New("a lobby with this game id is already open")
	errStopped = errors.New("the advertiser is shut down")
	errExtra   = fmt.Errorf("the lobby is announced to %d addresses already", maxExtra)
)

// Errors of Advertiser.ShowTo. Test with errors.Is.
var (
	ErrNotListed = errors.New("the lobby is not in the list of games")
	ErrMulticast = errors.New("clients of 1.30 to 2.0 find games only by multicast")
)

// Advert is a lobby as listed on clients' LAN screen.
type Advert struct {
	GameID    uint32 // number of the lobby in this process, from 1
	EntryKey  uint32 // random; clients send it back in 0x1E when they join from the LAN
	Name      string // UTF-8; longer text than 31 bytes is cut after a whole character
	Stat      w3gs.StatString
	Type      w3gs.GameType // zero means GameTypeCustom
	Port      uint16        // TCP; zero means Options.GamePort
	Count     Count
	Private   bool // not listed; on realms it can be found by its name
	Requested bool // opened by a person: realms list it before lobbies that open automatically
	// Watched marks a running game listed for viewers. Realms do not list it.
	Watched bool
	// Variants lists the versions whose clients see the lobby, if that are not all of Options.Versions or if they see it
	// differently.
	Variants []Variant
	// Hidden is called before each datagram that shows the lobby; true suppresses it. Clients of 1.30 to 2.0 see a
	// change after up to one interval. nil means never hidden.
	Hidden func() bool

	age time.Duration // since the lobby opened
}

// IsHidden calls Hidden if it is set.
func (ad *Advert) IsHidden() bool { return ad.Hidden != nil && ad.Hidden() }

// Variant is a lobby as clients of one version see it. A separate EntryKey tells the host through which variant a client
// joined.
type Variant struct {
	Version  uint32
	EntryKey uint32
	Checksum uint32
	SHA1     [20]byte
}

// Info returns the 0x30 that describes the lobby to clients of one version.
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

// Saved reports whether the lobby is for a saved game.
func (ad *Advert) Saved() bool { return ad.Type&w3gs.GameTypeSaved != 0 }

// Versions returns the versions whose clients see the lobby; all is the default without variants.
func (ad *Advert) Versions(all []uint32) (list []uint32) {
	for _, v := range ad.Variants {
		list = append(list, v.Version)
	}
	if list == nil {
		return all
	}
	return list
}

// Count is the occupancy of a lobby. In the list, every slot that is not open counts as a player: people, computers and
// closed slots.
type Count struct {
	// Slots is the size of the slot table, which is also the number of pids clients reserve.
	Slots int
	// Open is the number of slots that people can still join.
	Open int
}

// valid reports whether both numbers are consistent.
func (c Count) valid() bool { return c.Slots > 0 && c.Open >= 0 && c.Open <= c.Slots }

// listedOpen returns the "slots open" field of 0x30. Clients display 1 + slots − listedOpen players, because a hosting
// player occupies a slot. This host does not play, so one is added; otherwise the last free slot would look taken and
// could not be joined. The maximum is the number of slots, so an empty lobby shows one player.
func (c Count) listedOpen() int { return min(c.Slots, c.Open+1) }

// players returns the field of 0x32, which equals the number that clients compute from 0x30.
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

// fits reports whether a text of the stat string keeps the datagram readable.
func fits(s string) bool { return len(s) <= 255 && !strings.Contains(s, "\x00") }

// The following methods build the datagrams of one lobby, one per version if they contain a version.

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
