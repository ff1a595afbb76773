package game

import (
	"w3host/mapxfer"
	"w3host/protocol/w3gs"
	"w3host/texts"
)

// mapPacket handles packets about the map, which only come before the start.
func (m *Machine) mapPacket(s *seat, in *Input) {
	if p, ok := in.Packet.(*w3gs.MapSize); ok {
		if m.lobby.MapReport(m.now, s.PID, *p); m.seats[s.PID] != s {
			return
		}
	}
	m.reportFigures(s, in.Figures)
	switch p := in.Packet.(type) {
	case *w3gs.MapSize:
		m.xfer.Report(m.now, s.PID, *p)
	case *w3gs.MapPartOK:
		m.xfer.Ack(m.now, s.PID, *p)
	case *w3gs.MapPartNotOK:
		m.xfer.Refuse(m.now, s.PID, *p)
	}
}

// reportFigures passes the state of a connection to the download scheduler. An address shared by many players does not
// identify a connection, so it is omitted.
func (m *Machine) reportFigures(s *seat, f mapxfer.Figures) {
	if !s.shared {
		f.Addr = s.Addr.Addr()
	}
	m.xfer.Measured(m.now, s.PID, f)
}

// transferSink implements mapxfer.Sink for a Machine. Packets and facts go out at once; effects on the lobby are queued
// until the scheduler has returned.
type transferSink struct{ *Machine }

func (m transferSink) Begin(pid uint8) {
	s := m.seats[pid]
	m.fact(&DownloadBegun{s.Player, m.cfg.Transfer.Size})
	m.send(s, &w3gs.StartDownload{From: m.lobby.MapSender(pid)})
}

func (m transferSink) Parts(pid uint8, off, end uint32) {
	m.out.add(Op{Kind: Parts, PID: pid, From: m.lobby.MapSender(pid), At: off, End: end})
}

func (m transferSink) Percent(pid, percent uint8) {
	m.later(progress{pid, percent})
}

func (m transferSink) Ended(pid uint8, d mapxfer.Download) {
	s := m.seats[pid]
	f := &DownloadEnded{Player: s.Player, Complete: d.Why == 0, Bytes: d.Bytes, Resent: d.Resent, Took: d.Took}
	if f.Complete {
		m.later(say{0, texts.Of("%s has downloaded the map: %.1f MB in %.1f s, %.0f KB/s.",
			s.Name, float64(d.Bytes)/1e6, d.Took.Seconds(), f.Speed()/1000)})
	} else {
		f.Why = d.Why.String()
	}
	m.fact(f)
}

func (m transferSink) Queued(pid uint8, place int) {
	m.later(say{w3gs.Only(pid), texts.Of("You are number %d in the queue for the map.", place)})
}

func (m transferSink) Ignored(pid uint8, why mapxfer.Why) {
	m.fact(&MapPacketIgnored{m.seats[pid].Player, why})
}

// Refused kicks a player who cannot get the map. If an admin can still allow the download, the player waits and is told
// where to find the map.
func (m transferSink) Refused(pid uint8, why mapxfer.Why) {
	name, wait := m.seats[pid].Name, m.cfg.Transfer.Wait
	switch {
	case why == mapxfer.WhyAsk:
		m.later(say{0, texts.Of("%s does not have the map. An admin can allow the download with %cdownload %[1]s", name, m.cfg.Trigger)})
	case wait > 0:
		m.later(say{0, texts.Of("%s does not have the map, and downloads are off. Within %v an admin can allow this one with %cdownload %[1]s", name, wait, m.cfg.Trigger)})
		if m.cfg.Map.Link != "" {
			m.later(say{w3gs.Only(pid), mapLink(m.Machine)})
		}
	default:
		m.later(kickLater{PID: pid, Why: texts.Of("does not have the map, and downloads are off")})
	}
}

func (m transferSink) Remove(pid uint8, why mapxfer.Why) {
	text := texts.Known(why.String())
	if why == mapxfer.WhyWaited || why == mapxfer.WhyDeclined {
		text = texts.Of("does not have the map: %v", text)
	}
	m.later(kickLater{PID: pid, Why: text})
}

// endsDownload reports whether a packet ends the receiver's time in the lobby, after which clients do not expect parts
// of the map.
func endsDownload(op w3gs.Op) bool {
	return op == w3gs.OpLeaveAck || op == w3gs.OpKickPlayer || op == w3gs.OpCountdownStart
}
