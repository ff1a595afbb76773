package bots

import (
	"errors"
	"fmt"
	"time"

	"w3host/protocol/w3gs"
)

// segment is the largest allowed packet of a turn in bytes: what fits in one TCP segment.
const segment = 1460

// handle handles one packet.
func (p *player) handle(now time.Duration, f w3gs.Frame) {
	op := f.Op()
	if p.phase == leaving && p.pid == 0 && op != w3gs.OpLeaveAck {
		return // interrupted while joining; the answer to the join request was still on the way
	}
	p.checkAny(now, op)
	switch {
	case p.phase == leaving && op != w3gs.OpLeaveAck && op != w3gs.OpKickPlayer && op != w3gs.OpGameOver:
	case op == w3gs.OpIncomingAction: // most packets are turns, so this one is decoded without an allocation
		var q w3gs.IncomingAction
		if err := q.Decode(f.Body()); p.need(err == nil, op, "%v", err) {
			p.onTurn(now, &q, len(f))
		}
	default:
		packet, err := w3gs.Decode(f, w3gs.FromHost)
		if errors.Is(err, w3gs.ErrUnknownOp) {
			err = errors.New("not a packet that a host sends")
		}
		if p.need(err == nil, op, "%v", err) {
			p.onPacket(now, packet, len(f))
		}
	}
}

// checkAny checks what holds for every packet: that the host was not silent for too long before it, and that it may come
// at this stage.
func (p *player) checkAny(now time.Duration, op w3gs.Op) {
	limit, since := maxSilence, p.heard
	if p.phase <= inLobby {
		limit, since = maxLobbySilence, p.pinged
	}
	if now-since > limit && p.phase < leaving {
		p.fault(op, "after %.0f s of silence: clients have left by then", (now - since).Seconds())
	}
	p.heard = now
	switch {
	case p.phase == joining && op != w3gs.OpSlotInfoJoin && op != w3gs.OpRejectJoin && op != w3gs.OpKickPlayer:
		p.fault(op, "before the answer to 0x1E")
	case p.end.acked:
		p.fault(op, "after 0x1B")
	case p.phase == starting && op != w3gs.OpPlayerLeave && op != w3gs.OpCountdownEnd && op != w3gs.OpPingFromHost:
		p.fault(op, "between 0x0A and 0x0B")
	case p.parts > 0 && p.phase < leaving && op != w3gs.OpIncomingAction && op != w3gs.OpIncomingAction2 &&
		op != w3gs.OpPingFromHost && op != w3gs.OpChatFromHost:
		p.fault(op, "between the 0x48 and the 0x0C of one turn")
	}
}

// onPacket handles a decoded packet that was n bytes long.
func (p *player) onPacket(now time.Duration, packet w3gs.Packet, n int) {
	switch q := packet.(type) {
	case *w3gs.PingFromHost:
		p.onPing(now, q)
	case *w3gs.SlotInfoJoin:
		p.onWelcome(now, q)
	case *w3gs.RejectJoin:
		p.onReject(q)
	case *w3gs.PlayerInfo:
		p.onIntroduction(now, q)
	case *w3gs.MapCheck:
		p.onMapCheck(now, q)
	case *w3gs.PlayerExtra:
		p.onExtra(now, q)
	case *w3gs.SlotInfo:
		p.onSlots(now, q)
	case *w3gs.StartDownload:
		p.onDownload(now, q)
	case *w3gs.MapPart:
		p.onMapPart(now, q)
	case *w3gs.ChatFromHost:
		p.onChat(now, q)
	case *w3gs.CountdownStart:
		p.onCountdown(now)
	case *w3gs.CountdownEnd:
		p.onStart(now)
	case *w3gs.GameLoaded:
		p.onLoaded(now, q.PID)
	case *w3gs.IncomingAction2:
		p.onPart(now, q, n)
	case *w3gs.PlayerLeave:
		p.onLeave(now, q)
	case *w3gs.StartLag:
		p.onStartLag(now, q)
	case *w3gs.StopLag:
		p.onStopLag(now, q)
	case *w3gs.Desync:
		p.note(now, Event{Packet: q.Op()})
	case *w3gs.GameOver:
		p.end.over, p.why = true, "the host ended the game"
		p.note(now, Event{Packet: q.Op(), PID: q.PID})
	case *w3gs.KickPlayer:
		p.end.kicked, p.why = true, "by the host ("+q.Reason.String()+")"
		if p.phase == inLobby && p.g.hostSaid != "" {
			p.why += fmt.Sprintf(", which had said %q", p.g.hostSaid)
		}
		p.note(now, Event{Packet: q.Op(), Value: uint32(q.Reason)})
	case *w3gs.LeaveAck:
		p.need(p.phase == leaving, q.Op(), "without a 0x21")
		p.end.acked = true
	}
}

func (p *player) onPing(now time.Duration, q *w3gs.PingFromHost) {
	p.pinged = now
	pong := w3gs.PongToHost(*q)
	if p.scripted() {
		p.answers = pong.AppendTo(p.answers)
		return
	}
	p.send(&pong)
}
