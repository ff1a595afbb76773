// Package gamelist holds the public list of a host's lobbies and of its games that can be watched. It passes each change
// on to the Advertiser (LAN, realms), and answers clients elsewhere that ask for the list over the game port. Package
// host calls it on the goroutine of its loop.
package gamelist

import (
	"net/netip"
	"slices"
	"time"

	"w3host/internal/allowance"
	"w3host/internal/network"
	"w3host/lan"
	"w3host/protocol/gproxy"
	"w3host/protocol/w3gs"
)

const (
	// askEvery is how often a client may ask for the list, and freshFor how long an answer serves all clients that ask.
	askEvery = 5 * time.Second
	freshFor = time.Second
	// asksPerMinute is how often one address may ask: enough for twenty players who share it. An address that asks
	// more often is told to ask again after busyFor.
	asksPerMinute = 240
	busyFor       = 30 * time.Second
	// maxAnswer is the maximum size of an answer in bytes: some three hundred lobbies. The oldest lobbies come first.
	maxAnswer = 60 << 10
	// answerRate limits all answers together, in bytes per second.
	answerRate, answerBurst = 8 << 20, 16 << 20
)

// Advertiser announces lobbies. Its methods do not block.
type Advertiser interface {
	Open(lan.Advert) error
	Update(gameID uint32, c lan.Count)
	Close(gameID uint32)
}

// List is the list of a host. Create it with New.
type List struct {
	// OutQueue is the maximum number of bytes that may wait for a connection; an answer is never larger. It may be
	// changed between calls.
	OutQueue int

	advertiser Advertiser
	product    w3gs.Product
	answers    bool
	entries    []*entry // public ones, in the order of opening
	requests   *allowance.Limiter[netip.Addr]
	bytes      allowance.Allowance
	began      time.Time
	answer     []byte
	made       time.Time // when answer was made
}

type entry struct {
	lan.Advert
	since time.Time
}

// New returns an empty list. With answers false, clients that ask are told that the host gives no answers.
func New(a Advertiser, p w3gs.Product, answers bool, outQueue int) *List {
	return &List{
		OutQueue: outQueue, advertiser: a, product: p, answers: answers,
		requests: allowance.NewLimiter[netip.Addr](asksPerMinute, time.Minute), began: time.Now(),
	}
}

// Open lists a lobby. It is in the list even if the Advertiser returns an error.
func (l *List) Open(ad lan.Advert) error {
	if !ad.Private {
		l.entries = append(l.entries, &entry{ad, time.Now()})
	}
	return l.advertiser.Open(ad)
}

// Update changes how full a lobby is.
func (l *List) Update(id uint32, c lan.Count) {
	l.advertiser.Update(id, c)
	if i := l.find(id); i >= 0 {
		l.entries[i].Count = c
	}
}

// Close removes a lobby. The next answer is made without it, since nobody can join it any more.
func (l *List) Close(id uint32) {
	l.advertiser.Close(id)
	if i := l.find(id); i >= 0 {
		l.entries = slices.Delete(l.entries, i, i+1)
		l.made = time.Time{}
	}
}

func (l *List) find(id uint32) int {
	return slices.IndexFunc(l.entries, func(e *entry) bool { return e.GameID == id })
}

// Reply returns the packets that answer a client which asked for the list in a format. The limit per address does not
// apply to an exempt one. The caller must not keep the packets beyond the next call.
func (l *List) Reply(addr netip.Addr, format uint32, exempt bool, now time.Time) []byte {
	refuse := func(state gproxy.ListState) []byte {
		return gproxy.Listed{State: state, Seconds: uint32(busyFor / time.Second)}.AppendTo(nil)
	}
	switch {
	case !l.answers:
		return refuse(gproxy.ListsOff)
	case format != gproxy.ListFormat:
		return refuse(gproxy.ListFormatUnknown)
	case !exempt && !l.requests.Allow(now, network.Base(addr)):
		return refuse(gproxy.ListsBusy)
	}
	if now.Sub(l.made) >= freshFor {
		l.make(now)
	}
	if l.bytes.Take(now.Sub(l.began), cost(len(l.answer)), cost(answerBurst)) > 0 {
		return refuse(gproxy.ListsBusy)
	}
	return l.answer
}

// cost is the time in which so many bytes are refilled.
func cost(bytes int) time.Duration { return time.Duration(bytes) * time.Second / answerRate }

// make encodes the answer anew.
func (l *List) make(now time.Time) {
	end := gproxy.Listed{Seconds: uint32(askEvery / time.Second)}.AppendTo(nil)
	most := min(maxAnswer, l.OutQueue-len(end))
	l.made, l.answer = now, l.answer[:0]
	for _, e := range l.entries {
		if e.IsHidden() {
			continue
		}
		whole := len(l.answer)
		for _, v := range e.Versions(nil) {
			info := e.Info(l.product, v, now.Sub(e.since))
			l.answer = info.AppendTo(l.answer)
		}
		if len(l.answer) > most {
			l.answer = l.answer[:whole]
			break
		}
	}
	l.answer = append(l.answer, end...)
}
