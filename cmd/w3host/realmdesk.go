package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"w3host/command"
	"w3host/host"
	"w3host/storage"
)

// statsTimeout is how long somebody on a realm waits for statistics.
const statsTimeout = 5 * time.Second

// realmDesk obeys people on realms: its own commands, and those of the lobby or
// game that they are in.
type realmDesk struct {
	host *host.Host
	log  *storage.Store
}

// realmTrigger begins commands in the help; in whispers it may be left out.
const realmTrigger = "!"

type realmAct = command.Act[realmDesk]

// realmCommands is filled in by init, because help reads it.
var realmCommands command.Table[realmDesk]

func init() {
	realmCommands = command.Table[realmDesk]{
		{Name: "help", Usage: "[command]", Help: "what you may do, or how a command works", Phase: command.Always, Parse: func(a *command.Args) realmAct { return realmHelp(a.Rest()) }},
		{Name: "games", Help: "the lobbies and running games", Phase: command.Always, Parse: func(*command.Args) realmAct { return realmGames }},
		{Name: "stats", Usage: "[player]", Help: "a player's games on this realm; without a name, yours", Phase: command.Always, Parse: func(a *command.Args) realmAct { return realmStats(a.Rest()) }},
	}
}

// Do carries out a line of somebody who is in the lobby or game id, or in none.
func (d realmDesk) Do(_ context.Context, by *command.Caller, id uint32, line string) error {
	word, _, _ := strings.Cut(line, " ")
	if id != 0 && realmCommands.Find(word) == nil {
		d.host.ObeyIn(id, by, line)
		return nil
	}
	o := realmCommands.Run(d, command.Always, by, line, nil)
	if o.Name == "" && by.Via == command.ViaChannel {
		return nil // people begin lines with all sorts of signs
	}
	return o.Err
}

func realmHelp(topic string) realmAct {
	return func(d realmDesk, c *command.Call) error {
		if topic == "" {
			c.Reply(realmCommands.List(c.Level, command.Always, realmTrigger) + " and, in a lobby or game, its commands. Whisper " + confirmWord + " to confirm your name.")
			return nil
		}
		text, err := realmCommands.Help(topic, realmTrigger)
		if err == nil {
			c.Reply(text)
		}
		return err
	}
}

func realmGames(d realmDesk, c *command.Call) error {
	var lobbies []string
	playing := 0
	for _, g := range d.host.Games() {
		if g.Open() {
			lobbies = append(lobbies, g.Name())
		} else {
			playing++
		}
	}
	slices.Sort(lobbies)
	c.Reply(fmt.Sprintf("Lobbies: %s. Games running: %d.", cmp.Or(strings.Join(lobbies, ", "), "none"), playing))
	return nil
}

func realmStats(name string) realmAct {
	return func(d realmDesk, c *command.Call) error {
		if name == "" {
			name = c.Name
		}
		ctx, cancel := context.WithTimeout(context.Background(), statsTimeout)
		defer cancel()
		all, err := d.log.PlayerStats(ctx, name)
		if err != nil {
			return fmt.Errorf("no statistics of %s", name)
		}
		for _, s := range all {
			if strings.EqualFold(s.Realm, c.Realm) {
				c.Reply(fmt.Sprintf("%s: %d games, %d won, %d lost, %d left early.", s.Name, s.Games, s.Won, s.Lost, s.LeftEarly))
				return nil
			}
		}
		return fmt.Errorf("%s has played no game here under a confirmed name", name)
	}
}
