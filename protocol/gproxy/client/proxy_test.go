package gproxy

import (
	"bytes"
	"testing"
	"time"
)

var (
	reject = []byte{0xF8, 4, 8, 0, 2, 0, 0, 0}
	left   = []byte{0xF7, 0x21, 8, 0, 100, 0, 0, 0}
	turn   = []byte{0xF7, 0x0C, 8, 0, 100, 0, 0, 0}
)

// offered is a proxy in a lobby that may come back, with n empty actions.
func offered(t *testing.T, n byte) *Proxy {
	p := &Proxy{Version: 1}
	p.hear(t, 0, []byte{0xF7, 0x04, 4, 0}, []byte{0xF8, 1, 12, 0, 0, 0, 2, 1, 2, 3, 4, n})
	p.says(t, "the INIT", []byte{0xF8, 1, 8, 0, 1, 0, 0, 0})
	return p
}

func (p *Proxy) hear(t *testing.T, now time.Duration, packets ...[]byte) {
	t.Helper()
	if err := p.FromHost(now, bytes.Join(packets, nil)); err != nil {
		t.Fatal(err)
	}
}

// says takes what the proxy sends to the host.
func (p *Proxy) says(t *testing.T, what string, want ...[]byte) {
	t.Helper()
	if all := bytes.Join(want, nil); !bytes.Equal(p.ToHost, all) {
		t.Errorf("%s: sent % X, want % X", what, p.ToHost, all)
	}
	p.ToHost = nil
}

// TestAcknowledges: the first ACK comes with the first 0x0C, then one each 10 s while
// there is a connection.
func TestAcknowledges(t *testing.T) {
	p := offered(t, 2)
	for now := time.Duration(0); now < 75*time.Second; now += time.Second {
		p.Tick(now)
	}
	p.says(t, "lobby and loading")
	p.hear(t, 75*time.Second, turn)
	p.says(t, "the first 0x0C", []byte{0xF8, 3, 8, 0, 2, 0, 0, 0})
	p.Tick(84 * time.Second)
	p.says(t, "9 s later")
	p.hear(t, 84*time.Second, turn)
	p.Tick(85 * time.Second)
	p.says(t, "10 s later", []byte{0xF8, 3, 8, 0, 3, 0, 0, 0})
}

// TestSilence: 20 s without a byte end a connection, also while it waits for the
// answer to a RECONNECT.
func TestSilence(t *testing.T) {
	p := offered(t, 2)
	if p.Tick(30 * time.Second) {
		t.Error("gave up before it could come back")
	}
	p.hear(t, 30*time.Second, turn)
	for range 2 {
		from := p.heard
		if p.Tick(from + 19900*time.Millisecond) {
			t.Error("gave up before 20 s")
		}
		if !p.Tick(from + 20*time.Second) {
			t.Error("goes on after 20 s")
		}
		if p.Broken(); p.State != Lost {
			t.Error("does not come back")
		}
		p.Connected(100 * time.Second)
	}
}

// TestRejected: a REJECT lets the client go, on a live connection too, and the host
// hears of it.
func TestRejected(t *testing.T) {
	p := offered(t, 2)
	p.hear(t, 0, turn)
	p.ToHost = nil
	p.hear(t, 0, reject)
	p.says(t, "the leave", left)
	if p.State != Over {
		t.Errorf("state %d", p.State)
	}
}

// TestClientGone: the host hears of it only over a connection.
func TestClientGone(t *testing.T) {
	p := offered(t, 2)
	p.ClientGone()
	p.says(t, "the leave", left)
	p = offered(t, 2)
	p.hear(t, 0, turn)
	p.Broken()
	p.ClientGone()
	p.says(t, "nothing")
}

// TestUnderALagScreen: a minute after the last 0x0C a connected proxy feeds its client
// an empty one as well. It counts as used; the rest comes before the next 0x0C.
func TestUnderALagScreen(t *testing.T) {
	screen := []byte{0xF7, 0x10, 10, 0, 1, 5, 9, 0, 0, 0}
	p := offered(t, 2)
	p.hear(t, 0, turn, screen)
	p.ToClient = nil
	p.Tick(59 * time.Second)
	p.Tick(60 * time.Second)
	want := append(append([]byte{0xF7, 0x11, 9, 0, 5, 9, 0, 0, 0}, empty...), screen...)
	if !bytes.Equal(p.ToClient, want) {
		t.Errorf("fed % X, want % X", p.ToClient, want)
	}
	p.ToClient = nil
	p.hear(t, 61*time.Second, turn)
	if want := append(bytes.Clone(empty), turn...); !bytes.Equal(p.ToClient, want) {
		t.Errorf("then % X, want % X", p.ToClient, want)
	}
	p = offered(t, 0)
	p.hear(t, 0, turn)
	if p.Tick(60 * time.Second); p.RanOut != 1 {
		t.Errorf("%d lines that no empty action is left", p.RanOut)
	}
}

// TestMostKept: a proxy whose host acknowledges nothing keeps no more than it may, and
// plays on without a way back.
func TestMostKept(t *testing.T) {
	p := offered(t, 2)
	p.MostKept = 1000
	p.hear(t, 0, turn)
	if !p.CanReturn() {
		t.Fatal("it cannot return")
	}
	p.ToHost = nil
	for i := range 300 {
		if err := p.FromClient([]byte{0xF7, 0x27, 9, 0, byte(i), 0, 0, 0, 0}); err != nil {
			t.Fatal(err)
		}
	}
	if p.CanReturn() || len(p.backlog.packets) > 0 || len(p.ToHost) != 300*9 {
		t.Errorf("%d packets are kept, %d bytes were sent", len(p.backlog.packets), len(p.ToHost))
	}
	p.hear(t, 0, []byte{0xF8, 3, 8, 0, 200, 0, 0, 0})
	if p.Broken(); p.State != Over {
		t.Errorf("state %d after the connection broke", p.State)
	}
}

// TestMostKeptWithoutConnection: a proxy that has dropped packets while its connection was lost does not
// come back, since the host would never get them.
func TestMostKeptWithoutConnection(t *testing.T) {
	for name, dials := range map[string]bool{"lost": false, "asking": true} {
		p := offered(t, 2)
		p.MostKept = 20
		p.hear(t, 0, turn)
		p.Broken()
		if dials {
			p.Connected(0)
		}
		for range 3 {
			if err := p.FromClient([]byte{0xF7, 0x27, 9, 0, 0, 0, 0, 0, 0}); err != nil {
				t.Fatal(err)
			}
		}
		if p.State != Over {
			t.Errorf("%s: state %d after packets were dropped", name, p.State)
		}
	}
}

// FuzzProxy: whatever a host sends, the proxy goes on or says what is wrong.
func FuzzProxy(f *testing.F) {
	f.Add([]byte{0xF7, 0x04, 4, 0, 0xF8, 1, 12, 0, 0, 0, 2, 1, 2, 3, 4, 2}, byte(2))
	f.Add([]byte{0xF7, 0x0C, 4, 0, 0xF7, 0x10, 4, 0, 0xF7, 0x11, 4, 0, 0xF8, 3, 8, 0, 9, 0, 0, 0}, byte(0))
	f.Add([]byte{0xF7, 0x10, 10, 0, 1, 2, 0, 0, 0, 0, 0xF7, 0x11, 9, 0, 2, 0, 0, 0, 0, 0xF8, 2, 8, 0, 1, 0, 0, 0}, byte(1))
	f.Fuzz(func(t *testing.T, fromHost []byte, version byte) {
		p := &Proxy{Version: uint32(version), MostKept: 100}
		_ = p.FromClient([]byte{0xF7, 0x1E, 4, 0, 0xF7, 0x27, 4, 0})
		for half := range 2 {
			_ = p.FromHost(0, fromHost[half*len(fromHost)/2:(half+1)*len(fromHost)/2])
			p.Tick(2 * time.Minute)
			p.Broken()
			if p.State == Lost {
				p.Connected(0)
			}
		}
	})
}
