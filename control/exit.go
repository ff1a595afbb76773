package control

import (
	"fmt"
	"strings"
	"time"

	"w3host/game/autohost"
	"w3host/host"
	"w3host/texts"
)

// secondWithin a minute Ctrl-C ends the games that the first one has named.
const secondWithin = time.Minute

// mostNamed games are named, others counted.
const mostNamed = 5

func exit(a *args) act {
	how := ""
	if !a.Empty() {
		how = a.OneOf("nice", "force")
	}
	return func(d *target, c *call) error {
		var lobbies []uint32
		playing := 0
		for _, i := range d.host().Infos() {
			if i.Playing {
				playing++
			} else {
				lobbies = append(lobbies, i.ID)
			}
		}
		switch {
		case how == "force" || playing == 0:
			answer(c, "The host is shutting down.")
			d.sayRestart(c)
			d.opts.Stop()
		case how == "":
			return cannot("%v running: exit nice waits until they have ended, exit force ends them now", texts.Count(playing, "%d game is", "%d games are"))
		default:
			d.host().Keep(func(k *autohost.Keeper) { k.Disable(true) })
			for _, id := range lobbies {
				d.host().CloseLobby(id, texts.Of("the host is shutting down").String())
			}
			d.exiting = true
			answer(c, "The host will stop once %v ended. Use enable to cancel.", texts.Count(playing, "%d game has", "%d games have"))
			d.sayRestart(c)
		}
		return nil
	}
}

// sayRestart warns who stops a host that may be back at once.
func (d *target) sayRestart(c *call) {
	if d.opts.Contained {
		answer(c, "The container engine may start it again: to stop it for good, stop its container (docker compose stop w3host).")
	}
}

// loss says which games a stop would end; empty if there are none, or if it was said
// within secondWithin.
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
	return fmt.Sprintf("This would end %s with %s: %s. Press Ctrl-C again within a minute to end them now; exit nice stops the host after the last one.",
		counted(len(running), "game"), counted(players, "player"), strings.Join(names, ", "))
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
