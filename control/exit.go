package control

import (
	"fmt"
	"strings"
	"time"

	"w3host/host"
	"w3host/texts"
)

// secondWithin is the time in which a second Ctrl-C ends the games listed after the first one.
const secondWithin = time.Minute

// mostNamed is the number of games that the warning lists by name.
const mostNamed = 5

func exit(a *args) act {
	how := ""
	if !a.Empty() {
		how = a.OneOf("nice", "force")
	}
	return func(d *target, c *call) error {
		waiting, playing := 0, 0 // occupied lobbies, running games
		for _, i := range d.host().Infos() {
			switch {
			case i.Playing:
				playing++
			case len(i.Players) > 0 && d.opts.DrainLobbies > 0:
				waiting++
			}
		}
		switch {
		case how == "force" || playing == 0 && (how == "" || waiting == 0):
			answer(c, "The host is shutting down.")
			d.sayRestart(c)
			d.opts.Stop()
		case how == "":
			return cannot("%v running: exit nice waits until they have ended, exit force ends them now", texts.Count(playing, "%d game is", "%d games are"))
		default:
			d.host().Drain(d.opts.DrainLobbies)
			d.exiting = true
			if playing > 0 {
				answer(c, "The host will stop once %v ended. Use enable to cancel.", texts.Count(playing, "%d game has", "%d games have"))
			}
			if waiting > 0 {
				answer(c, "%v may still start within %v. The host will stop after that. Use enable to cancel.", texts.Count(waiting, "%d lobby", "%d lobbies"), d.opts.DrainLobbies)
			}
			d.sayRestart(c)
		}
		return nil
	}
}

// sayRestart warns the caller if a container engine may restart the host.
func (d *target) sayRestart(c *call) {
	if d.opts.Contained {
		answer(c, "The container engine may start it again: to stop it for good, stop its container (docker compose stop w3host).")
	}
}

// loss returns the warning about games that a stop would end. It is empty if no game is running or if the warning was
// shown within secondWithin.
func (o *Operator) loss() string {
	o.warning.Lock()
	defer o.warning.Unlock()
	var running []host.Info
	players := 0
	for _, i := range o.opts.Host.Infos() {
		if i.Playing {
			running = append(running, i)
			players += len(i.Players)
		}
	}
	if len(running) == 0 || time.Since(o.warned) < secondWithin {
		return ""
	}
	o.warned = time.Now()
	var names []string
	for _, i := range running[:min(len(running), mostNamed)] {
		names = append(names, fmt.Sprintf("#%d %q (%v)", i.ID, i.Name, time.Since(i.Since).Round(time.Second)))
	}
	if more := len(running) - mostNamed; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("This would end %v with %v: %s. Press Ctrl-C again within a minute to end them now; exit nice stops the host after the last one.",
		texts.Count(len(running), "%d game", "%d games"), playerCount(players), strings.Join(names, ", "))
}
