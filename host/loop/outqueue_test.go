package loop

import (
	"bytes"
	"testing"

	"w3host/internal/testkit"
	"w3host/mapxfer"
)

// cut splits a stream into packets and fails on anything else.
func cut(t *testing.T, stream []byte) (packets [][]byte) {
	t.Helper()
	for len(stream) > 0 {
		if len(stream) < 4 || stream[0] != 0xF7 {
			t.Fatalf("not a packet: % X", stream[:min(len(stream), 8)])
		}
		n := int(stream[2]) | int(stream[3])<<8
		if n < 4 || n > len(stream) {
			t.Fatalf("a packet of %d bytes was cut to %d", n, len(stream))
		}
		packets = append(packets, stream[:n])
		stream = stream[n:]
	}
	return packets
}

// takeAll is one round of writes to a socket that takes everything there is but
// one chunk of the map.
func takeAll(q *outQueue) (all []byte) {
	for {
		parts := q.pieceBytes
		b, _ := q.take(make([]byte, 0, 2*chunkLen))
		if all = append(all, b...); len(b) == 0 || q.pieceBytes < parts {
			return all
		}
	}
}

// TestOutQueueOrder: packets go before map parts, in their order; parts are
// whole, come in order, and stand for every byte once.
func TestOutQueueOrder(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 10_000)
	parts, err := mapxfer.NewParts(data)
	if err != nil {
		t.Fatal(err)
	}
	q := outQueue{limit: 1 << 20}
	q.pushPiece(Piece{Parts: parts, At: 0, End: 50_000, To: 3, From: 1})
	q.pushPiece(Piece{Parts: parts, At: 50_000, End: 100_000, To: 3, From: 1})
	if len(q.pieces) != 1 || q.pieceBytes != 100_000 {
		t.Errorf("%d pieces of %d bytes, want one of 100000", len(q.pieces), q.pieceBytes)
	}
	var got []byte
	for round := byte(0); ; round++ {
		if round < 3 {
			q.push(testkit.Packet(0x0F, round))
			q.push(testkit.Packet(0x09, round))
		}
		out := takeAll(&q)
		if len(out) == 0 {
			break
		}
		if len(out) > 2*chunkLen {
			t.Errorf("one write of %d bytes: a line of chat would wait long", len(out))
		}
		for i, p := range cut(t, out) {
			switch {
			case i < 2 && round < 3:
				if want := []byte{0x0F, 0x09}[i]; p[1] != want || p[4] != round {
					t.Errorf("round %d: packet %d is % X", round, i, p)
				}
			case p[1] != 0x43 || p[4] != 3 || p[5] != 1:
				t.Fatalf("round %d: packet %d is % X", round, i, p[:8])
			default:
				if at := int(p[10]) | int(p[11])<<8 | int(p[12])<<16; at != len(got) {
					t.Fatalf("part at %d, want %d", at, len(got))
				}
				got = append(got, p[18:]...)
			}
		}
	}
	if !bytes.Equal(got, data) {
		t.Errorf("%d bytes of the map came, want %d", len(got), len(data))
	}
	if q.pieceBytes != 0 || q.packetBytes() != 0 {
		t.Errorf("%d and %d bytes are left of nothing", q.pieceBytes, q.packetBytes())
	}
}

// TestOutQueueRest: the rest of a packet that was taken in half comes first,
// before packets that are newer.
func TestOutQueueRest(t *testing.T) {
	q := outQueue{limit: 100}
	whole := testkit.Packet(0x0C, uint16(100))
	q.rest = append(q.rest, whole[2:]...)
	q.push(testkit.Packet(0x11, byte(1), uint32(0)))
	out := append(whole[:2:2], takeAll(&q)...)
	if p := cut(t, out); len(p) != 2 || !bytes.Equal(p[0], whole) || p[1][1] != 0x11 {
		t.Errorf("% X", out)
	}
	if out := takeAll(&q); len(out) != 0 {
		t.Errorf("% X came twice", out)
	}
}

// TestOutQueueLimit counts packets and rests, not map parts, which the scheduler
// bounds.
func TestOutQueueLimit(t *testing.T) {
	parts, err := mapxfer.NewParts(make([]byte, 5000))
	if err != nil {
		t.Fatal(err)
	}
	q := outQueue{limit: 30, rest: make([]byte, 10)}
	q.pushPiece(Piece{Parts: parts, End: 5000})
	if !q.push(make([]byte, 20)) {
		t.Error("30 of 30 bytes are refused")
	}
	if q.push(make([]byte, 1)) {
		t.Error("31 of 30 bytes are taken")
	}
	q.dropPieces()
	if out := takeAll(&q); len(out) != 30 {
		t.Errorf("%d bytes after the pieces were dropped, want 30", len(out))
	}
	if !q.push(make([]byte, 30)) {
		t.Error("an empty queue takes less than before")
	}
}
