package game

import (
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/texts"
	"w3host/w3gs"
)

// After the start nobody downloads: the lobby let nobody start without the map,
// or was told to.

func (m *Machine) mapSize(s *seat, in *Input, p *w3gs.MapSize) {
	if m.turns != nil {
		return
	}
	m.tell(lobby.MapReport{PID: s.pid, Report: *p})
	if m.seats[s.pid] != s {
		return
	}
	m.look(s, in.Figures)
	m.fetch(mapxfer.Report{PID: s.pid, Packet: *p})
}

// mapPart takes what a player says of the parts that were sent.
func (m *Machine) mapPart(s *seat, in *Input, e mapxfer.Event) {
	if m.turns == nil {
		m.look(s, in.Figures)
		m.fetch(e)
	}
}

// look tells the transfers the state of a connection. Addresses that many share
// say nothing of the line.
func (m *Machine) look(s *seat, f mapxfer.Figures) {
	if !s.shared {
		f.Addr = s.addr.Addr()
	}
	m.fetch(mapxfer.Look{PID: s.pid, Figures: f})
}

// fetch hands an event to the transfers.
func (m *Machine) fetch(e mapxfer.Event) {
	m.transfer(m.xfer.Handle(m.now, e, m.xferOut[:0]))
}

// transfer carries out the scheduler's effects in their order.
func (m *Machine) transfer(effects []mapxfer.Effect) {
	m.xferOut = nil // effects of effects get a slice of their own
	for i := range effects {
		if s := m.seats[effects[i].PID]; s != nil {
			m.transferOne(s, &effects[i])
		}
	}
	m.xferOut = effects[:0]
}

func (m *Machine) transferOne(s *seat, e *mapxfer.Effect) {
	switch e.Kind {
	case mapxfer.Begin:
		m.fact(&DownloadBegun{s.player(), m.cfg.Transfer.Size})
		m.send(s, &w3gs.StartDownload{From: m.lobby.MapSender(s.pid)})
	case mapxfer.Send:
		m.out.add(Op{Kind: Parts, PID: s.pid, From: m.lobby.MapSender(s.pid), At: e.Offset, End: e.End})
	case mapxfer.Percent:
		m.later(lobby.Progress{PID: s.pid, Percent: e.Percent})
	case mapxfer.Done:
		f := m.downloadEnded(s, e, true)
		m.later(lobby.Say{Text: texts.Of("%s has downloaded the map: %.1f MB in %.1f s, %.0f KB/s.",
			s.name, float64(e.Bytes)/1e6, e.Took.Seconds(), f.Speed()/1000)})
	case mapxfer.Waiting:
		m.tellSeat(s, texts.Of("You are number %d in the queue for the map.", e.Place))
	case mapxfer.Ignored:
		m.fact(&MapPacketIgnored{s.player(), e.Why})
	case mapxfer.Refused:
		m.refuseTransfer(s, e)
	case mapxfer.TooSlow, mapxfer.Cheat:
		m.downloadEnded(s, e, false)
		m.removeLater(s, texts.Known(e.Why.String()))
	}
}

func (m *Machine) downloadEnded(s *seat, e *mapxfer.Effect, complete bool) *DownloadEnded {
	f := &DownloadEnded{Player: s.player(), Complete: complete, Bytes: e.Bytes, Resent: e.Resent, Took: e.Took}
	if !complete {
		f.Why = e.Why.String()
	}
	m.fact(f)
	return f
}

// refuseTransfer tells a player why there is no map. Who cannot get it cannot
// play and has to go; where an admin may still allow it, the player waits.
func (m *Machine) refuseTransfer(s *seat, e *mapxfer.Effect) {
	switch e.Why {
	case mapxfer.WhyAsk:
		m.later(lobby.Say{Text: texts.Of("%s lacks the map. An admin can allow the download: %cdownload %[1]s", s.name, m.cfg.Trigger)})
	case mapxfer.WhyOff:
		m.removeLater(s, texts.Of("does not have the map, and downloads are off"))
	default:
		m.removeLater(s, texts.Of("does not have the map: %v", texts.Known(e.Why.String())))
	}
}

// removeLater puts a player out after the effects at hand.
func (m *Machine) removeLater(s *seat, why texts.Text) {
	m.laterFor(s, lobby.Kick{PID: s.pid, Why: why})
}

// tellSeat says a line to one player after the effects at hand.
func (m *Machine) tellSeat(s *seat, text texts.Text) {
	m.laterFor(s, lobby.Say{To: w3gs.Only(s.pid), Text: text})
}

// endsDownload reports whether a packet ends the receiver's time in the lobby:
// clients do not expect parts of the map behind it.
func endsDownload(op w3gs.Op) bool {
	return op == w3gs.OpLeaveAck || op == w3gs.OpKickPlayer || op == w3gs.OpCountdownStart
}
