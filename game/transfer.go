package game

import (
	"w3host/lobby"
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// mapPacket handles packets about the map, which only come before the start.
func (m *Machine) mapPacket(s *seat, in *Input) {
	var e mapxfer.Event
	switch p := in.Packet.(type) {
	case *w3gs.MapSize:
		if m.toLobby(lobby.MapReport{PID: s.PID, Report: *p}); m.seats[s.PID] != s {
			return
		}
		e = mapxfer.Report{PID: s.PID, Packet: *p}
	case *w3gs.MapPartOK:
		e = mapxfer.Ack{PID: s.PID, Packet: *p}
	case *w3gs.MapPartNotOK:
		e = mapxfer.Refuse{PID: s.PID, Packet: *p}
	}
	m.reportFigures(s, in.Figures)
	m.toTransfer(e)
}

// reportFigures passes the state of a connection to the scheduler. An address that many
// players share does not identify a line.
func (m *Machine) reportFigures(s *seat, f mapxfer.Figures) {
	if !s.shared {
		f.Addr = s.Addr.Addr()
	}
	m.toTransfer(mapxfer.Measured{PID: s.PID, Figures: f})
}

// toTransfer passes an event to the scheduler.
func (m *Machine) toTransfer(e mapxfer.Event) {
	m.applyTransfer(m.xfer.Handle(m.now, e, m.out.xfer))
}

// applyTransfer carries out the effects that the scheduler has added.
func (m *Machine) applyTransfer(effects []mapxfer.Effect) {
	for _, e := range added(&m.out.xfer, effects) {
		if s := m.seats[e.PID]; s != nil {
			m.applyTransferEffect(s, &e)
		}
	}
}

func (m *Machine) applyTransferEffect(s *seat, e *mapxfer.Effect) {
	switch e.Kind {
	case mapxfer.Begin:
		m.fact(&DownloadBegun{s.Player, m.cfg.Transfer.Size})
		m.send(s, &w3gs.StartDownload{From: m.lobby.MapSender(s.PID)})
	case mapxfer.Send:
		m.out.add(Op{Kind: Parts, PID: s.PID, From: m.lobby.MapSender(s.PID), At: e.Offset, End: e.End})
	case mapxfer.Percent:
		m.later(lobby.Progress{PID: s.PID, Percent: e.Percent})
	case mapxfer.Done:
		f := m.downloadEnded(s, e, true)
		m.later(lobby.Say{Text: texts.Of("%s has downloaded the map: %.1f MB in %.1f s, %.0f KB/s.",
			s.Name, float64(e.Bytes)/1e6, e.Took.Seconds(), f.Speed()/1000)})
	case mapxfer.Waiting:
		m.later(lobby.Say{To: w3gs.Only(s.PID), Text: texts.Of("You are number %d in the queue for the map.", e.Place)})
	case mapxfer.Ignored:
		m.fact(&MapPacketIgnored{s.Player, e.Why})
	case mapxfer.Refused:
		m.refuseTransfer(s, e)
	case mapxfer.Stopped:
		m.downloadEnded(s, e, false)
	case mapxfer.TooSlow, mapxfer.Cheat:
		m.later(lobby.Kick{PID: s.PID, Why: texts.Known(e.Why.String())})
	}
}

func (m *Machine) downloadEnded(s *seat, e *mapxfer.Effect, complete bool) *DownloadEnded {
	f := &DownloadEnded{Player: s.Player, Complete: complete, Bytes: e.Bytes, Resent: e.Resent, Took: e.Took}
	if !complete {
		f.Why = e.Why.String()
	}
	m.fact(f)
	return f
}

// refuseTransfer kicks a player who cannot get the map. Where an admin may still
// allow the download, the player waits, and reads where the map is.
func (m *Machine) refuseTransfer(s *seat, e *mapxfer.Effect) {
	switch wait := m.cfg.Transfer.Wait; {
	case e.Why == mapxfer.WhyAsk:
		m.later(lobby.Say{Text: texts.Of("%s does not have the map. An admin can allow the download with %cdownload %[1]s", s.Name, m.cfg.Trigger)})
	case e.Why == mapxfer.WhyOff && wait > 0:
		m.later(lobby.Say{Text: texts.Of("%s does not have the map, and downloads are off. Within %v an admin can allow this one with %cdownload %[1]s", s.Name, wait, m.cfg.Trigger)})
		if m.cfg.Map.Link != "" {
			m.later(lobby.Say{To: w3gs.Only(s.PID), Text: mapLink(m)})
		}
	case e.Why == mapxfer.WhyOff:
		m.later(lobby.Kick{PID: s.PID, Why: texts.Of("does not have the map, and downloads are off")})
	default:
		m.later(lobby.Kick{PID: s.PID, Why: texts.Of("does not have the map: %v", texts.Known(e.Why.String()))})
	}
}

// endsDownload reports whether a packet ends the receiver's time in the lobby:
// clients do not expect parts of the map behind it.
func endsDownload(op w3gs.Op) bool {
	return op == w3gs.OpLeaveAck || op == w3gs.OpKickPlayer || op == w3gs.OpCountdownStart
}
