package spectate

import (
	"fmt"
	"time"

	"w3host/protocol/w3gs"
	"w3host/texts"
)

// loaded starts to send the recorded game.
func (c *Client) loaded(now time.Duration, out *Out) {
	out.send(&w3gs.GameLoaded{PID: c.recording.Seat})
	if !c.recording.Version.Reforged() {
		c.othersLoaded(out)
	}
	c.enter(watching, never)
	c.heardAt = now
	c.pace.begin(now)
	c.feed(now, out)
}

// answer processes the hash of the oldest unanswered turn.
func (c *Client) answer(now time.Duration, hash uint32, out *Out) error {
	if c.waiting == 0 {
		if c.state == finishing {
			return nil
		}
		return errForged
	}
	for !c.recording.parts[c.answered].answered {
		c.answered++
	}
	p := &c.recording.parts[c.answered]
	c.answered++
	c.waiting--
	c.heardAt = now
	c.pace.answered(now)
	switch {
	case !p.hashed:
	case p.hash == hash:
		c.compared, c.differ = c.compared+1, 0
	default:
		if c.differ++; c.differ == 1 {
			c.from = c.answered - 1
		}
		if c.differ == apart && c.state == watching {
			at, turn := c.recording.parts[c.from].at, c.recording.turnOf(c.from)
			c.say(texts.Of("Your game came out differently at %s.", texts.Clock(at)), out)
			c.enter(finishing, now+afterEnd)
			c.why = fmt.Errorf("%w from turn %d on, at %s", errDiffers, turn, texts.Clock(at))
			return nil
		}
	}
	c.feed(now, out)
	return nil
}

// Compared returns the number of hashes that matched those of the players.
func (c *Client) Compared() int { return c.compared }

// At returns the game time that the client has reached.
func (c *Client) At() time.Duration {
	if c.answered < len(c.recording.parts) {
		return c.recording.parts[c.answered].at
	}
	return c.recording.time
}

// feed sends the packets that the speed and the client's answers allow.
func (c *Client) feed(now time.Duration, out *Out) {
	if c.state != watching {
		return
	}
	c.pace.advance(now)
	t := c.recording
	for c.maySend() && t.parts[c.sent].at <= c.pace.allowed && t.parts[c.sent].from <= now && len(out.Frames) < MostBytes {
		out.Frames = append(out.Frames, t.frame(c.sent)...)
		if t.parts[c.sent].answered {
			c.waiting++
		}
		c.sent++
	}
	if c.sent < len(t.parts) {
		c.pace.hold(t.parts[c.sent].at)
	} else if (t.over || t.ended) && c.waiting == 0 {
		c.say(texts.Of("The record of this game ends here, at %s.", texts.Clock(t.time)), out)
		c.enter(finishing, now+afterEnd)
	}
}

// maySend reports whether a part is available and the client has answered enough turns.
func (c *Client) maySend() bool {
	t := c.recording
	return c.sent < len(t.parts) && c.waiting < c.pace.turns && (c.waiting == 0 || t.begin(c.sent)-t.begin(c.answered) < MostBytes)
}
