package host

import (
	"net/netip"
	"slices"
	"time"

	"w3host/internal/allowance"
	"w3host/internal/network"
	"w3host/lan"
	"w3host/protocol/gproxy"
)

const (
	// listEvery is how often a client may ask for the open lobbies, and for how long an
	// answer serves all clients that ask.
	listEvery    = 5 * time.Second
	listFreshFor = time.Second
	// listsPerMinute is how often one address may ask: twenty players who share it.
	listsPerMinute = 240
	// listBusyFor is when an address that asks more often may ask again.
	listBusyFor = 30 * time.Second
	// listMax bounds the lobbies of an answer: some three hundred, the oldest of them.
	// Fewer where the out queue takes less.
	listMax = 60 << 10
	// listRate bounds all answers together, in bytes a second.
	listRate, listBurst = 8 << 20, 16 << 20
)

// directory lists lobbies: it tells the Advertiser, and answers the question for those that are open.
// It belongs to the goroutine of the shard.
type directory struct {
	opts     *Options
	lobbies  []*listedLobby // that are public, in the order of opening
	requests *allowance.Limiter[netip.Addr]
	bytes    allowance.Allowance
	began    time.Time
	answer   []byte
	made     time.Time // the answer
}

type listedLobby struct {
	lan.Advert
	since time.Time
}

func newDirectory(o *Options) directory {
	return directory{opts: o, requests: allowance.NewLimiter[netip.Addr](listsPerMinute, time.Minute), began: time.Now()}
}

func (d *directory) open(ad lan.Advert) error {
	if !ad.Private {
		d.lobbies = append(d.lobbies, &listedLobby{ad, time.Now()})
	}
	return d.opts.Advertiser.Open(ad)
}

func (d *directory) update(id uint32, c lan.Count) {
	d.opts.Advertiser.Update(id, c)
	if i := d.find(id); i >= 0 {
		d.lobbies[i].Count = c
	}
}

func (d *directory) close(id uint32) {
	d.opts.Advertiser.Close(id)
	if i := d.find(id); i >= 0 {
		d.lobbies = slices.Delete(d.lobbies, i, i+1)
		d.made = time.Time{} // nobody should be shown what cannot be joined
	}
}

func (d *directory) find(id uint32) int {
	return slices.IndexFunc(d.lobbies, func(l *listedLobby) bool { return l.GameID == id })
}

// reply returns the answer to an address.
func (d *directory) reply(addr netip.Addr, format uint32, exempt bool, now time.Time) []byte {
	refuse := func(state gproxy.ListState) []byte {
		return gproxy.Listed{State: state, Seconds: uint32(listBusyFor / time.Second)}.AppendTo(nil)
	}
	switch {
	case !d.opts.Listing:
		return refuse(gproxy.ListsOff)
	case format != gproxy.ListFormat:
		return refuse(gproxy.ListFormatUnknown)
	case !exempt && !d.requests.Allow(now, network.Base(addr)):
		return refuse(gproxy.ListsBusy)
	}
	if now.Sub(d.made) >= listFreshFor {
		d.make(now)
	}
	if d.bytes.Take(now.Sub(d.began), listCost(len(d.answer)), listCost(listBurst)) > 0 {
		return refuse(gproxy.ListsBusy)
	}
	return d.answer
}

// listCost is the time in which so many bytes of answers come back.
func listCost(bytes int) time.Duration { return time.Duration(bytes) * time.Second / listRate }

// make writes the answer anew.
func (d *directory) make(now time.Time) {
	end := gproxy.Listed{Seconds: uint32(listEvery / time.Second)}.AppendTo(nil)
	most := min(listMax, d.opts.Limits.OutQueue-len(end))
	d.made, d.answer = now, d.answer[:0]
	for _, l := range d.lobbies {
		if l.IsHidden() {
			continue
		}
		whole := len(d.answer)
		for _, v := range l.Versions(nil) {
			info := l.Info(d.opts.Product, v, now.Sub(l.since))
			d.answer = info.AppendTo(d.answer)
		}
		if len(d.answer) > most {
			d.answer = d.answer[:whole]
			break
		}
	}
	d.answer = append(d.answer, end...)
}
