package gproxy

import (
	"encoding/binary"
	"fmt"
	"time"
)

// extension handles a complete 0xF8 packet from the host.
func (p *Proxy) extension(packet []byte) error {
	body := packet[4:]
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(body[at:]) }
	switch op := packet[1]; {
	case op == 1 && len(body) == 8:
		p.Offered, p.Port, p.PID = true, binary.LittleEndian.Uint16(body), body[2]
		p.Key, p.Empties = u32(3), int(body[7])
		if p.Empties > 9 {
			return fmt.Errorf("%d empty actions, 9 at most", p.Empties)
		}
	case op == 2 && len(body) == 4 && p.State == Asking:
		if err := p.hostReceived(u32(0)); err != nil {
			return err
		}
		p.State = Linked
		p.Resumed++
		for _, packet := range p.backlog.packets {
			p.ToHost = append(p.ToHost, packet...)
		}
	case op == 3 && len(body) == 4:
		return p.hostReceived(u32(0))
	case op == 4 && len(body) == 4: // valid on an established connection as well
		p.queueLeave()
		p.State, p.Why = Over, fmt.Sprintf("rejected by the host: reason %d", u32(0))
	case op == 50 && (len(body) == 4 || len(body) == 8):
		if p.Version >= 2 && !p.Extended {
			p.Extended, p.Wait = true, time.Duration(u32(0))*time.Second
			p.queue(50, u32(0))
		}
	case op == 51 && len(body) == 4:
		p.Key = u32(0)
	default:
		return fmt.Errorf("packet 0xF8 %d of %d bytes", op, len(packet))
	}
	return nil
}

// hostReceived processes the host's count of received packets: it drops those from the backlog, and fails if the
// count is impossible.
func (p *Proxy) hostReceived(count uint32) error {
	if count > p.Sent {
		return fmt.Errorf("the host has %d packets of %d", count, p.Sent)
	}
	if acked := p.backlog.drop(count); count < acked && p.State == Asking {
		return fmt.Errorf("the host has only %d packets, and had %d", count, acked)
	}
	return nil
}

func (p *Proxy) acknowledge(now time.Duration) {
	p.ackedAt = now
	p.queue(3, p.Got)
}

// Connected reports a new connection to Port and queues the RECONNECT request in ToHost.
func (p *Proxy) Connected(now time.Duration) {
	p.State, p.heard = Asking, now
	p.ToHost = append(p.ToHost[:0], 0xF8, 2, 13, 0, p.PID)
	p.ToHost = binary.LittleEndian.AppendUint32(p.ToHost, p.Key)
	p.ToHost = binary.LittleEndian.AppendUint32(p.ToHost, p.Got)
}

// queue queues an extension packet with one u32 for the host.
func (p *Proxy) queue(op byte, v uint32) {
	p.ToHost = binary.LittleEndian.AppendUint32(append(p.ToHost, 0xF8, op, 8, 0), v)
}
