package admission

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// TestSourceLimiter: the network around addresses has four times the limit of one.
func TestSourceLimiter(t *testing.T) {
	limit, now, addr, allowed := newSourceLimiter(), time.Now(), netip.MustParseAddr("203.0.113.1"), 0
	limit.setLimit(2, time.Hour)
	for range 20 {
		if limit.allow(now, addr) {
			allowed++
		}
		addr = addr.Next()
	}
	if allowed != 2*wideFactor || limit.delay(now, addr) == 0 {
		t.Errorf("%d of 20 addresses of one network are allowed", allowed)
	}
	if !limit.allow(now, netip.MustParseAddr("198.51.100.1")) {
		t.Error("another network is refused")
	}
	private := netip.MustParseAddr("192.168.0.1")
	for range 20 {
		if private = private.Next(); !limit.allow(now, private) {
			t.Errorf("%v of a private network is refused", private)
		}
	}
}

// TestSeatsRefused: what an address or network may have is bounded by seats, lobbies and games, and its share of all.
func TestSeatsRefused(t *testing.T) {
	for want, c := range map[error]occupied{
		ErrSeats: {seats: 9}, ErrGames: {seats: 1, games: 4}, ErrShare: {seats: 1, games: 1, ofEntry: 3},
	} {
		if err := c.refused(9, 4, share(12, 3, 4), share(4, 3, 4)); !errors.Is(err, want) {
			t.Errorf("%+v: %v, want %v", c, err, want)
		}
	}
}

// TestPacketLimiter: ten seconds' worth at once, then the rate; acknowledgements of parts of the
// map beside it, for parts that were sent.
func TestPacketLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate = 50
		begin := time.Now()
		m := NewPacketLimiter(rate, 0)
		allowed := func(answer bool) (n int) {
			for n < 5000 && m.Allow(answer, time.Since(begin)) {
				n++
			}
			return n
		}
		m.PartsSent(1000)
		for range 2 * 1000 {
			if !m.Allow(true, 0) {
				t.Fatal("an acknowledgement of a part that was sent is refused")
			}
		}
		if n := allowed(true); n < rate*packetBurst-1 || n > rate*packetBurst {
			t.Errorf("%d packets at once, want %d", n, rate*packetBurst)
		}
		if m.Allow(false, time.Since(begin)) {
			t.Error("a packet over the limit is allowed")
		}
		time.Sleep(2 * time.Second)
		if n := allowed(true); n < 2*rate-2 || n > 2*rate {
			t.Errorf("%d packets after two seconds, want %d", n, 2*rate)
		}
		time.Sleep(time.Hour)
		if n := allowed(false); n > rate*packetBurst {
			t.Errorf("%d packets after an hour, want no more than %d", n, rate*packetBurst)
		}
		time.Sleep(time.Minute)
		m.Resume(time.Since(begin))
		if n := allowed(false); n < 60*rate-1 || n > 60*rate {
			t.Errorf("%d packets after a minute without a connection, want %d", n, 60*rate)
		}
		time.Sleep(time.Hour)
		m.Allow(false, time.Since(begin))
		m.Resume(time.Since(begin))
		m.Resume(time.Since(begin))
		if n := allowed(false); n > rate*packetBurst {
			t.Errorf("%d packets after two returns without an absence, want no more than %d", n, rate*packetBurst)
		}
		time.Sleep(time.Second)
		for range 20 * rate { // the rate itself, for longer than the burst
			time.Sleep(time.Second / rate)
			if !m.Allow(false, time.Since(begin)) {
				t.Fatal("a packet at the rate is refused")
			}
		}
	})
}

// TestPasswordsOfManyAddresses: many addresses together guess slowly, and do not lock out a player without a wrong
// password.
func TestPasswordsOfManyAddresses(t *testing.T) {
	c, now := New(Limits{}), time.Now()
	addr := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, byte(i >> 8), byte(i)}) }
	tried := 0
	for i := range 200 {
		for c.LoginDelay("ann", addr(i), now) == 0 {
			c.WrongPassword("ann", addr(i), now)
			tried++
		}
	}
	if tried < allWrongPasswords || tried > allWrongPasswords+200 {
		t.Errorf("%d guesses from 200 addresses, want %d and then one each", tried, allWrongPasswords)
	}
	if wait := c.LoginDelay("ann", addr(1000), now); wait != 0 {
		t.Errorf("who has tried nothing waits %v", wait)
	}
	if wait := c.LoginDelay("ann", addr(199), now); wait == 0 || wait > allWrongPasswordsWithin {
		t.Errorf("who has guessed waits %v", wait)
	}
	if wait := c.LoginDelay("ann", addr(199), now.Add(allWrongPasswordsWithin)); wait != 0 {
		t.Errorf("later who has guessed once waits %v", wait)
	}
	for n := range 100 {
		c.WrongPassword(fmt.Sprint("name", n), addr(250), now)
	}
	if wait := c.LoginDelay("bob", addr(250), now); wait == 0 {
		t.Error("an address guesses the passwords of 100 names")
	}
}

// TestRefusalsOfManyAddresses: refusals of very many addresses are few lines, and their number is right.
func TestRefusalsOfManyAddresses(t *testing.T) {
	var log bytes.Buffer
	logger := zerolog.New(&log)
	r := NewRefusals(time.Hour)
	addr, own := netip.MustParseAddr("10.0.0.1"), 0
	const n = maxRefused + 1000
	for range n {
		for range 3 {
			if line, _ := r.Add(addr); line {
				own++
			}
		}
		addr = addr.Next()
	}
	r.SumUp(&logger)
	times, lines := 0, 0
	for dec := json.NewDecoder(&log); dec.More(); lines++ {
		var line struct{ Times int }
		if err := dec.Decode(&line); err != nil {
			t.Fatal(err)
		}
		times += line.Times
	}
	if own != maxRefused || own+times != 3*n || len(r.times) != 0 {
		t.Errorf("%d lines and %d times of %d", own, times, 3*n)
	}
	if lines != maxSummed+1 {
		t.Errorf("%d lines sum up", lines)
	}
}
