package bots

import (
	"errors"
	"fmt"
	"time"

	"w3host/w3gs"
)

// segment is the largest packet of a turn: what fits one TCP segment.
const segment = 1460

// handle takes one packet.
func (p *player) handle(now time.Duration, f w3gs.Frame) {
	if p.phase == leaving && p.pid == 0 && f.Op() != w3gs.OpLeaveAck {
		return // interrupted while joining: the answer to the join was under way
	}
	p.checkAny(now, f.Op())
	switch op := f.Op(); op {
	case w3gs.OpIncomingAction:
		p.onTurn(now, f)
	case w3gs.OpIncomingAction2:
		p.onPart(now, f)
	case w3gs.OpMapPart:
		p.onMapPart(now, f)
	case w3gs.OpPingFromHost:
		var ping w3gs.PingFromHost
		if p.decoded(op, ping.Decode(f.Body())) && p.phase < leaving {
			p.pinged = now
			pong := w3gs.PongToHost(ping)
			if p.scripted() {
				p.answers = pong.AppendTo(p.answers)
				return
			}
			p.send(&pong)
		}
	default:
		packet, err := w3gs.Decode(f, w3gs.FromHost)
		switch {
		case errors.Is(err, w3gs.ErrUnknownOp):
			p.fault(op, "not a packet that a host sends")
		case p.decoded(op, err):
			p.onPacket(now, packet)
		}
	}
}

// checkAny checks what holds for every packet: the silence before it, and whether it
// may come at this stage.
func (p *player) checkAny(now time.Duration, op w3gs.Op) {
	limit, since := maxSilence, p.heard
	if p.phase <= inLobby {
		limit, since = maxLobbySilence, p.pinged
	}
	if now-since > limit && p.phase < leaving {
		p.fault(op, "after %.0f s of silence: clients have left by then", (now - since).Seconds())
	}
	p.heard = now
	if p.phase == joining && op != w3gs.OpSlotInfoJoin && op != w3gs.OpRejectJoin && op != w3gs.OpKickPlayer {
		p.fault(op, "before the answer to 0x1E")
	}
	if p.end.acked {
		p.fault(op, "after 0x1B")
	}
	if p.phase == starting && op != w3gs.OpPlayerLeave && op != w3gs.OpCountdownEnd && op != w3gs.OpPingFromHost {
		p.fault(op, "between 0x0A and 0x0B")
	}
	if p.parts > 0 && op != w3gs.OpIncomingAction && op != w3gs.OpIncomingAction2 &&
		op != w3gs.OpPingFromHost && op != w3gs.OpChatFromHost {
		p.fault(op, "between the 0x48 and the 0x0C of one turn")
	}
}

func (p *player) decoded(op w3gs.Op, err error) bool {
	if err != nil {
		p.fault(op, "%v", err)
	}
	return err == nil
}

func (p *player) onPacket(now time.Duration, packet w3gs.Packet) {
	switch q := packet.(type) {
	case *w3gs.SlotInfoJoin:
		p.onWelcome(now, q)
	case *w3gs.RejectJoin:
		p.onReject(q)
	case *w3gs.PlayerInfo:
		p.onIntroduction(now, q)
	case *w3gs.MapCheck:
		p.onMapCheck(now, q)
	case *w3gs.SlotInfo:
		p.onSlots(now, q)
	case *w3gs.StartDownload:
		p.onDownload(now, q)
	case *w3gs.ChatFromHost:
		p.onChat(now, q)
	case *w3gs.CountdownStart:
		p.onCountdown(now)
	case *w3gs.CountdownEnd:
		p.onStart(now)
	case *w3gs.GameLoaded:
		p.onLoaded(now, q.PID)
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
		if p.phase != leaving {
			p.fault(q.Op(), "without a 0x21")
		}
		p.end.acked = true
	}
}
