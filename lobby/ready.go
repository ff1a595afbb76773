package lobby

import "w3host/texts"

func (op Ready) apply(l *Lobby) *Refusal {
	return l.with(op.PID, func(p *player) *Refusal {
		switch {
		case p.ready && !op.Off:
			return Refuse(TooLate, "you are ready already")
		case !p.ready && op.Off:
			return Refuse(TooLate, "you are not ready as it is")
		}
		p.ready = !op.Off
		ready, all := l.ready()
		if op.Off {
			l.abort(texts.Of("%s is not ready", p.name))
			l.say(0, "%s is not ready: %d of %d are.", p.name, ready, all)
		} else {
			l.say(0, "%s is ready: %d of %d are.", p.name, ready, all)
		}
		return nil
	})
}

// ready counts the humans who are ready, and all.
func (l *Lobby) ready() (ready, all int) {
	for p := range l.seated {
		if p.fake {
			continue
		}
		if all++; p.ready {
			ready++
		}
	}
	return ready, all
}

// remindReady says now and then that somebody has to get ready.
func (l *Lobby) remindReady() {
	if l.now < l.auto.toldAt+reminder {
		return
	}
	l.auto.toldAt = l.now
	ready, all := l.ready()
	l.say(0, "Waiting to start: %d of %d are ready; type %sready.", ready, all, l.cfg.Trigger)
}

// waitsForReady reports whether the lobby starts by itself only when everybody
// is ready, and somebody is not.
func (l *Lobby) waitsForReady() bool {
	ready, all := l.ready()
	return l.auto.ready && ready < all
}
