package control

import (
	"time"

	"w3host/game/command"
	"w3host/texts"
)

// Callers below root may make the host say spokenBurst lines at once, and then as many again per spokenWithin; the same
// limit applies in games.
const (
	spokenBurst  = 10
	spokenWithin = 20 * time.Second
)

// speaker identifies a caller who makes the host say something, on any channel.
type speaker struct{ realm, name string }

// maySpeak applies the rate limit for lines that callers make the host say.
func (d *target) maySpeak(c *call) error {
	who, now := speaker{c.Realm, c.Name}, time.Now()
	if c.Level >= command.Root || d.spoken.Allow(now, who) {
		return nil
	}
	return texts.Refuse(texts.NotYet, "too many commands: wait %v", (d.spoken.Delay(now, who) + time.Second - 1).Truncate(time.Second))
}

// say sends text to all lobbies, and also to games if games is set.
func say(text string, games bool) act {
	return func(d *target, c *call) error {
		if err := d.maySpeak(c); err != nil {
			return err
		}
		heard := 0
		for _, i := range d.host().Infos() {
			if g := d.host().Game(i.ID); g != nil && (games || !i.Playing) && len(i.Players) > 0 {
				g.SayAll(c.Caller, text)
				heard += len(i.Players)
			}
		}
		if d.fleet() != nil {
			word := "say "
			if games {
				word = "saygames "
			}
			d.passToAll(c, word+text)
		} else if heard == 0 && !d.relayed {
			return cannot("no players are connected")
		}
		c.Target = playerCount(heard).String()
		answer(c, "Sent to %v.", playerCount(heard))
		return nil
	}
}

// whisper sends text to one player in any lobby or game of the fleet.
func whisper(part, text string) act {
	return func(d *target, c *call) error {
		if err := d.maySpeak(c); err != nil {
			return err
		}
		found := d.find(part)
		if len(found) == 0 && d.fleet() != nil {
			d.whisperElsewhere(c, part+" "+text)
			return nil
		}
		if len(found) == 0 {
			return cannot("no player matches %q", part)
		}
		if len(found) > 1 {
			names := make([]string, len(found))
			for i, p := range found {
				names[i] = p.Name
			}
			return cannot("%q could be %v: type more of the name", part, texts.Either(names))
		}
		p := found[0]
		g := d.host().Game(p.in)
		if g == nil {
			return noGame(p.in)
		}
		c.Target = p.Name
		g.Say(&command.Caller{PID: p.PID, Name: p.Name}, c.Name+" whispers: "+text)
		answer(c, "Sent to %s.", p.Name)
		return nil
	}
}
