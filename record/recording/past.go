package recording

import (
	"time"

	"w3host/formats/replay"
	"w3host/past"
	"w3host/protocol/w3gs"
)

// writePast copies the turns and lines of the record from which a game goes on into the
// new replay.
func writePast(w *replay.Writer, p *past.Record) error {
	lines, turns := p.Lines, 0
	for f, err := range p.Packets() {
		if err != nil {
			return err
		}
		for ; len(lines) > 0 && int(lines[0].Turn) <= turns; lines = lines[1:] {
			l := &lines[0]
			if err := w.Chat(replay.Chat{PID: l.PID, Flag: w3gs.ChatGame, Scope: l.Scope, Text: l.Text}); err != nil {
				return err
			}
		}
		lasts, err := writePacket(w, f)
		if err != nil {
			return err
		}
		if lasts {
			err = writeSum(w, p, turns)
			turns++
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writePacket puts a packet into a file, and reports whether it is a turn that has a hash.
func writePacket(w *replay.Writer, f w3gs.Frame) (hashed bool, err error) {
	packet, err := w3gs.Decode(f, w3gs.FromHost)
	if err != nil {
		return false, err
	}
	switch packet := packet.(type) {
	case *w3gs.IncomingAction2:
		return false, w.Part(packet.Actions)
	case *w3gs.PlayerLeave:
		return false, w.Left(packet.PID, packet.Reason)
	case *w3gs.IncomingAction:
		if packet.IncrementMillis == 0 && len(packet.Actions) == 0 {
			return false, w.Empty()
		}
		if err := w.Turn(time.Duration(packet.IncrementMillis)*time.Millisecond, packet.Actions); err != nil || packet.IncrementMillis > 0 {
			return true, err
		}
		return false, w.NoChecksum()
	}
	return false, nil
}

// writeSum puts the hash of the turn that was written last into a file, if it is known.
func writeSum(w *replay.Writer, p *past.Record, turn int) error {
	if sum, known := p.Sum(turn); known {
		return w.Checksum(sum)
	}
	return w.NoChecksum()
}
