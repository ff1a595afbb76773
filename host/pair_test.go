package host

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"w3host/protocol/w3gs"
	"w3host/storage"
)

// pairFile has what two clients of 3.0.0.24268 have sent in a whole game. It is no part of this repository.
const pairFile = "../../shared/testdata/packets/3.0/offline-pair.packets"

// sentPacket is a packet of the pair, and when it was sent.
type sentPacket struct {
	at time.Duration
	b  []byte
}

// readPair reads the packets of the clients lan0a and lan0b. The answers to turns are apart: a client sends
// them when turns come.
func readPair(t *testing.T) (packets, answers [2][]sentPacket) {
	t.Helper()
	f, err := os.Open(pairFile)
	if err != nil {
		t.Skipf("SKIPPED: no packets of real 3.0 clients: %v", err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if fields[0] == "#" {
			continue
		}
		seconds, err1 := strconv.ParseFloat(fields[0], 64)
		b, err2 := hex.DecodeString(fields[3])
		if err1 != nil || err2 != nil {
			t.Fatalf("%q: %v, %v", lines.Text(), err1, err2)
		}
		who, p := 0, sentPacket{time.Duration(seconds * float64(time.Second)), b}
		if fields[2] == "#2" || fields[2] == "lan0b" {
			who = 1
		}
		if w3gs.Op(b[1]) == w3gs.OpKeepalive {
			answers[who] = append(answers[who], p)
		} else {
			packets[who] = append(packets[who], p)
		}
	}
	return packets, answers
}

// pairMap has the size of the map that the pair played on. Nobody downloads it.
func pairMap() *Map {
	m := testMap(2)
	own := *m.Map
	own.Version, own.Size = w3gs.VersionThree, 77671714
	m.Map = &own
	return m
}

// TestRealPair plays the game of two real 3.0 clients again, packet by packet. Each gets what a host of 3.0
// sends, in its order.
func TestRealPair(t *testing.T) {
	packets, answers := readPair(t)
	bubbled(t, "as it was", func(t *testing.T) {
		r, a, b := playPair(t, packets, answers)
		if list := recordsOf[storage.Desync](r); len(list) > 0 {
			t.Errorf("the sums of the two are taken for different: %+v", list)
		}
		zeros := strings.Repeat("00", 32)
		infoA, infoB := "F7062D00 02000000 01 00 02 0000"+zeros, "F7062D00 02000000 02 00 02 0000"+zeros
		const profileA, profileB, skinsA, skinsB = "F759130003 0A000000 0801 1200 2204 70303432", "F759130003 0A000000 0802 1200 2204 70303432", "F7590B0004 02000000 0801", "F7590B0004 02000000 0802"
		wantOrder(t, a, "04", "09", profileA, "3D", "01", "09", skinsA, "F7590D0005 04000000 0801 1001", infoB, skinsB, profileB, "09", "09", "0A", "0B", "F708050002", "F708050001", "0C")
		wantOrder(t, b, "04", "09", infoA, skinsA, profileA, profileB, "3D", "01", "09", skinsB, "F7590D0005 04000000 0802 1001", "0A", "0B", "F708050002", "F708050001", "0C")
		between := func(c *client, from, to byte) time.Duration {
			return heardAt(c, to) - heardAt(c, from)
		}
		if d := between(b, 0x0A, 0x0B); d != 6*time.Second {
			t.Errorf("%v between 0x0A and 0x0B", d)
		}
		line := []byte("-dev quick")
		if n := countWith(a, 0x0F, line); n != 1 || countWith(b, 0x0F, line) != 0 {
			t.Errorf("the line came %d times to the other, and %d times to its sender", n, countWith(b, 0x0F, line))
		}
		for _, c := range []*client{a, b} {
			if countWith(c, 0x0C, line) != 1 || countWith(c, 0x0C, []byte("SC_FE")) == 0 {
				t.Errorf("%s: the actions did not come back in turns", c.Name)
			}
		}
		checkSameStream(t, []*client{a, b})
	})
	bubbled(t, "with a wrong sum", func(t *testing.T) {
		wrong := slices.Clone(answers[1])
		wrong[50].b = bytes.Clone(wrong[50].b)
		wrong[50].b[5]++ // of the checksum
		r, _, _ := playPair(t, packets, [2][]sentPacket{answers[0], wrong})
		if d := recorded[storage.Desync](r); d.Turn != 51 {
			t.Errorf("desync at turn %d", d.Turn)
		}
	})
	bubbled(t, "with another byte before a sum", func(t *testing.T) {
		odd := slices.Clone(answers[1])
		odd[50].b = bytes.Clone(odd[50].b)
		odd[50].b[4]++
		r, _, _ := playPair(t, packets, [2][]sentPacket{answers[0], odd})
		if list := recordsOf[storage.Desync](r); len(list) > 0 {
			t.Errorf("a desync: %+v", list)
		}
	})
}

// playPair has the two join, load and answer as many turns as they have sums for. The actions and the line of the
// second client follow the hundredth turn.
func playPair(t *testing.T, packets, answers [2][]sentPacket) (r *rig, a, b *client) {
	t.Helper()
	r = newRig(t, func(o *Options) {
		o.Game.Version, o.Game.Turns.Period, o.Game.Lobby.Voice.VirtualHost = w3gs.VersionThree, 30*time.Millisecond, ""
		o.Game.Lobby.Owner.First, o.Game.Lobby.Wire.HideAddresses = false, true
	})
	r.line.Jitter = 0
	g, err := r.h.OpenLobby("pair", pairMap())
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var pair [2]*client
	for i := range pair {
		c := r.dial()
		pair[i], c.Name = c, fmt.Sprint("lan0", string(rune('a'+i)))
		next := 0
		c.Conduct = func(c *client, p []byte) {
			if p[1] != 0x0C {
				return
			}
			if next < len(answers[i]) {
				c.Send(answers[i][next].b)
			} else {
				c.Send(packet(0x27, byte(0), uint32(next)))
			}
			next++
		}
		go c.Listen()
		go func() { // ends with its last packet
			for _, p := range packets[i] {
				if p.at < 200*time.Second { // then the game had gone on for two minutes
					time.Sleep(time.Until(began.Add(p.at)))
					c.Send(p.b)
				}
			}
		}()
	}
	time.Sleep(time.Until(began.Add(18 * time.Second)))
	order(t, g, "start now")
	time.Sleep(time.Until(began.Add(99*time.Second + 693*time.Millisecond + 5*time.Second)))
	for _, p := range packets[1] {
		if p.at >= 200*time.Second && r.h.Game(g.ID()) != nil {
			pair[1].Send(p.b)
		}
	}
	time.Sleep(time.Second)
	return r, pair[0], pair[1]
}

// wantOrder compares the packets up to the first 0x0C, without repeated pings, with opcodes or beginnings.
func wantOrder(t *testing.T, c *client, want ...string) {
	t.Helper()
	var got []string
	pinged := false
	for _, h := range c.All() {
		if h.B[1] == 0x01 {
			if pinged {
				continue
			}
			pinged = true
		}
		if got = append(got, fmt.Sprintf("%X", h.B)); h.B[1] == 0x0C {
			break
		}
	}
	same := len(got) == len(want)
	for i := range min(len(got), len(want)) {
		pattern := strings.ReplaceAll(want[i], " ", "")
		if len(pattern) == 2 {
			pattern = "F7" + pattern
		}
		same = same && strings.HasPrefix(got[i], pattern)
	}
	if !same {
		t.Errorf("%s got\n%s\nwant\n%s", c.Name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// heardAt is when the first packet with an opcode came.
func heardAt(c *client, op byte) time.Duration {
	for _, h := range c.All() {
		if h.B[1] == op {
			return h.At.Sub(c.All()[0].At)
		}
	}
	return -1
}

// countWith counts the packets of an opcode that hold some bytes.
func countWith(c *client, op byte, part []byte) (n int) {
	for _, h := range c.All() {
		if h.B[1] == op && bytes.Contains(h.B, part) {
			n++
		}
	}
	return n
}
