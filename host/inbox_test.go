package host

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
)

func awake(b *inbox) bool {
	select {
	case <-b.wake:
		return true
	default:
		return false
	}
}

func push(t *testing.T, b *inbox, kind eventKind, data []byte) {
	t.Helper()
	if err := b.push(event{kind: kind}, data, false); err != nil {
		t.Fatal(err)
	}
}

// TestInboxOrder: events come in order, with the bytes of their actions.
func TestInboxOrder(t *testing.T) {
	b := newInbox()
	var work batch
	for round := range 3 { // the two batches change places
		push(t, b, evAction, []byte{1, 2})
		push(t, b, evKeepalive, nil)
		push(t, b, evAction, nil)
		push(t, b, evAction, []byte{byte(round)})
		b.take(&work)
		var data [][]byte
		for _, e := range work.events {
			if e.kind == evAction {
				data = append(data, work.arena[e.off:e.off+e.n])
			}
		}
		want := [][]byte{{1, 2}, {}, {byte(round)}}
		if len(work.events) != 4 || !bytes.Equal(bytes.Join(data, []byte{9}), bytes.Join(want, []byte{9})) {
			t.Errorf("round %d: %d events, actions % X", round, len(work.events), data)
		}
		work.reset()
	}
	b.take(&work)
	if len(work.events) != 0 {
		t.Errorf("%d events came twice", len(work.events))
	}
}

// TestInboxWakes: while turns follow one another, actions and acknowledgements
// wait for the next; everything else wakes the game, and so does what has waited
// when no turn is to come.
func TestInboxWakes(t *testing.T) {
	b := newInbox()
	for _, tc := range []struct {
		kind eventKind
		lazy bool
		want bool
	}{
		{evAction, false, true},
		{evKeepalive, false, true},
		{evAction, true, false},
		{evKeepalive, true, false},
		{evPacket, true, true},
		{evJoin, true, true},
		{evGone, true, true},
		{evCall, true, true},
	} {
		var work batch
		b.take(&work)
		b.setLazy(tc.lazy)
		awake(b)
		push(t, b, tc.kind, nil)
		if got := awake(b); got != tc.want {
			t.Errorf("kind %d, lazy %v: woken %v", tc.kind, tc.lazy, got)
		}
	}

	var work batch
	b.take(&work)
	b.setLazy(true)
	push(t, b, evKeepalive, nil) // between the game's look and its sleep
	if b.setLazy(true); awake(b) {
		t.Error("woken although a turn comes")
	}
	if b.setLazy(false); !awake(b) {
		t.Error("a keepalive is forgotten when the lag screen comes up")
	}
}

// TestInboxBounds: a reader waits while too much lies there, whoever may not wait
// is refused, and what must get through does.
func TestInboxBounds(t *testing.T) {
	for _, full := range []struct {
		name string
		fill func(b *inbox)
	}{
		{"events", func(b *inbox) {
			for range inboxEvents {
				_ = b.push(event{kind: evPacket}, nil, false)
			}
		}},
		{"bytes", func(b *inbox) { _ = b.push(event{kind: evAction}, make([]byte, inboxBytes), false) }},
	} {
		t.Run(full.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newInbox()
				full.fill(b)
				if err := b.push(event{kind: evPacket}, nil, false); !errors.Is(err, errInboxFull) {
					t.Errorf("got %v, want errInboxFull", err)
				}
				for _, kind := range []eventKind{evGone, evCall} {
					push(t, b, kind, nil)
				}
				result := make(chan error, 2)
				go func() { result <- b.push(event{kind: evPacket}, nil, true) }()
				synctest.Wait()
				if len(result) > 0 {
					t.Fatal("the reader did not wait")
				}
				if !awake(b) {
					t.Error("the game is not told that its inbox is full")
				}
				var work batch
				b.take(&work)
				if err := <-result; err != nil {
					t.Error(err)
				}

				full.fill(b)
				go func() { result <- b.push(event{kind: evPacket}, nil, true) }()
				synctest.Wait()
				b.close()
				if err := <-result; !errors.Is(err, errGameOver) {
					t.Errorf("a reader that waited for the end of the game got %v", err)
				}
				if err := b.push(event{kind: evCall}, nil, false); !errors.Is(err, errGameOver) {
					t.Errorf("a call after the end of the game got %v", err)
				}
			})
		})
	}
}

// TestInboxClose hands back what nobody has taken, since a join among it wants
// its answer.
func TestInboxClose(t *testing.T) {
	b := newInbox()
	push(t, b, evJoin, nil)
	push(t, b, evKeepalive, nil)
	if left := b.close(); len(left) != 2 || left[0].kind != evJoin {
		t.Errorf("%+v", left)
	}
}
