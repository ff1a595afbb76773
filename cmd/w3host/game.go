package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"w3host/control"
	"w3host/formats/w3map"
	"w3host/internal/terminal"
	"w3host/protocol/w3gs"
	"w3host/storage"
)

func gameCommand() *cobra.Command {
	return group(&cobra.Command{
		Use: "game", Short: "list the games of the log, show one, or re-execute its journal",
		Long: "w3host game reads the game log: the games that hosts have played, and the current ones.",
	}, gameListCommand(), gameShowCommand(), rerunCommand())
}

const gameShowHelp = `w3host game show prints everything in the game log about one game: its players, a timeline,
chat, lag and what the map reported.

KEY is in the last column of w3host game list, and in the log of the host as "key"; "last"
is the last game played. The number of a current lobby or game of the host on this machine,
as in its log (#1), works as well.`

func gameShowCommand() *cobra.Command {
	c, cmd := newDBCommand("show KEY|NUMBER|last", "show everything the log knows about one game", gameShowHelp)
	c.addJSONFlag(cmd.Flags(), "print a JSON object, with all details of desyncs")
	var game gameName
	check := func() error {
		if err := c.one("the key of a game, or last"); err != nil {
			return err
		}
		return game.parse(c.names[0])
	}
	return c.does(cmd, check, func(db *storage.Store) error {
		key, err := game.key(c)
		if err != nil {
			return err
		}
		g, err := db.Game(c.ctx, key)
		if err != nil {
			return err
		}
		if c.json {
			return printJSON(c.stdout, g)
		}
		return printGame(c.stdout, g)
	})
}

// gameName identifies a game on the command line: by its key, by its number at the host on this machine, or as the last
// game.
type gameName struct {
	known  storage.GameKey // zero means the last game played
	number uint64
}

func (n *gameName) parse(name string) (err error) {
	if name == "last" {
		return nil
	}
	if n.number, err = strconv.ParseUint(strings.TrimPrefix(name, "#"), 10, 32); err != nil || n.number == 0 {
		n.known, err = storage.ParseGameKey(name)
	}
	return err
}

func (n *gameName) key(c *dbCall) (storage.GameKey, error) {
	if n.number > 0 {
		return c.keyOf(uint32(n.number))
	}
	return n.known, nil
}

// keyOf asks the host on this machine for the key of its game with this number.
func (c *dbCall) keyOf(number uint32) (key storage.GameKey, err error) {
	socket, err := controlSocket("", c.file)
	if err != nil {
		return key, err
	}
	answer, err := control.Send(c.ctx, socket, control.Order{Game: number})
	if err != nil {
		return key, fmt.Errorf("cannot look up game number %d at the running host: %w", number, err)
	}
	if answer.Refused != "" {
		return key, fmt.Errorf("the host has no lobby or game #%d now; for a game that has ended use its key from w3host game list", number)
	}
	return storage.ParseGameKey(answer.Key)
}

func printGame(w io.Writer, g *storage.GameDetail) error {
	say := func(format string, args ...any) {
		fmt.Fprintln(w, terminal.Printable(fmt.Sprintf(format, args...)))
	}
	say("%s: %s", g.Name, gameState(g.Game))
	say("  key      %s", g.Key)
	say("  map      %s (%s)", w3map.Plain(g.MapName), g.MapPath)
	say("  version  %s, turns of %d ms", g.Version, g.LatencyMS)
	say("  host     %s", g.Host)
	say("  opened   %s, started %s, ended %s", local(g.CreatedAt), local(g.StartedAt), local(g.EndedAt))
	say("  length   %s in %d turns", minutes(g.PlayedMS), g.Turns)
	if g.Replay != "" {
		say("  replay   %s", g.Replay)
	}
	if g.UnratedReason != "" {
		say("  rating   none: %s", g.UnratedReason)
	}
	var settings storage.Settings
	if err := json.Unmarshal(g.Settings, &settings); err == nil && settings.Unwatched != "" {
		say("  watching not possible: %s", settings.Unwatched)
	}
	tables := []struct {
		title, heading string
		rows           [][]string
	}{
		{"Players", "SLOT\tTEAM\tNAME\tREALM\tADDRESS\tPING\tACTIONS\tLEFT", peopleRows(g)},
		{"Timeline", "TIME\tTURN\tWHO\tWHAT", timelineRows(g)},
		{"Chat", "TIME\tTURN\tTO\tWHO\tLINE", chatRows(g)},
		{"Results", "SOURCE\tABOUT\tNAME\tVALUE\tSAID BY\t", resultRows(g)},
		{"Desyncs", "TIME\tTURN\tHASH\tPLAYERS\tDROPPED", desyncRows(g)},
	}
	for _, t := range tables {
		if len(t.rows) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", t.title)
		if err := table(w, t.heading, t.rows); err != nil {
			return err
		}
	}
	return nil
}

func peopleRows(g *storage.GameDetail) (rows [][]string) {
	for _, p := range g.People {
		slot, team := "-", "-"
		if p.Slot >= 0 {
			slot, team = strconv.Itoa(p.Slot+1), strconv.Itoa(p.Team+1)
		}
		left := either(p.Fake, "fake player", leftReason(p))
		rows = append(rows, []string{slot, team, p.Called(), realmName(p.Realm), p.Address, fmt.Sprintf("%d ms", p.PingMS), fmt.Sprint(p.Actions), left})
	}
	for _, s := range g.Computers {
		rows = append(rows, []string{strconv.Itoa(int(s.Slot) + 1), strconv.Itoa(int(s.Team) + 1), "(computer)", "", "", "", "", ""})
	}
	return rows
}

// leftReason returns why a player left. A client that quits a running game reports the reason that the log stores as
// "lost", which says nothing about the result of the game.
func leftReason(p storage.GamePlayer) string {
	return either(p.LeftReason == w3gs.LeaveLost.String(), "quit", p.LeftReason)
}

// timelineRows returns all events except chat in chronological order.
func timelineRows(g *storage.GameDetail) [][]string {
	type event struct {
		at        time.Time
		turn      uint32
		who, what string
	}
	name := names(g)
	all := []event{{g.CreatedAt, 0, g.Owner, "the lobby opens"}, {g.StartedAt, 0, "", "loading begins"}, {g.LoadedAt, 0, "", "all have loaded"}}
	for _, p := range g.People {
		all = append(all, event{p.JoinedAt, 0, p.Called(), "joins"}, event{p.LeftAt, p.LeftTurn, p.Called(), "leaves: " + leftReason(p)})
	}
	for _, e := range g.Downloads {
		what := fmt.Sprintf("downloaded the map: %d bytes in %v", e.Bytes, e.Took)
		if !e.Complete {
			what = fmt.Sprintf("map download failed: %s (%d bytes in %v)", e.Detail, e.Bytes, e.Took)
		}
		all = append(all, event{e.At, 0, e.Name, what})
	}
	for _, e := range g.Links {
		what := "lost the connection: " + e.Reason
		if e.Resumed {
			what = fmt.Sprintf("reconnected after %v", e.Away)
		}
		all = append(all, event{e.At, e.Turn, name(int(e.PID)), what})
	}
	for _, e := range g.Saves {
		all = append(all, event{e.At, e.Turn, name(int(e.PID)), fmt.Sprintf("saved the game as %s at %s", e.File, clock(e.Played.Milliseconds()))})
	}
	for _, e := range g.Lags {
		all = append(all, event{e.At, e.Turn, name(int(e.PID)), fmt.Sprintf("lagged %v (%s, %d turns behind, ping %v)", e.Lasted, e.Cause, e.Behind, e.Ping)})
	}
	for _, e := range g.Drops {
		all = append(all, event{e.At, e.Turn, name(int(e.PID)), strings.TrimSpace("is dropped: " + e.Reason + " " + e.By)})
	}
	for _, e := range g.Dossiers {
		all = append(all, event{e.At, e.Turn, "", "desync"})
	}
	for _, e := range g.Audit {
		what := strings.TrimSpace(e.Action + " " + e.On + " " + e.Detail)
		if e.Refused != "" {
			what += " (refused: " + e.Refused + ")"
		}
		all = append(all, event{e.At, 0, e.Who, what})
	}
	all = append(all, event{g.EndedAt, g.Turns, "", strings.TrimSpace("the game ends: " + string(g.Ended) + " " + g.EndedDetail)})
	all = slices.DeleteFunc(all, func(e event) bool { return e.at.IsZero() })
	slices.SortStableFunc(all, func(a, b event) int { return a.at.Compare(b.at) })
	return mapped(all, func(e event) []string { return []string{timeOfDay(e.at), turn(e.turn), e.who, e.what} })
}

func chatRows(g *storage.GameDetail) [][]string {
	return mapped(g.Chat, func(l storage.ChatLine) []string {
		return []string{timeOfDay(l.At), turn(l.Turn), cmp.Or(l.To, string(l.Scope)), l.Name, l.Text}
	})
}

func resultRows(g *storage.GameDetail) (rows [][]string) {
	name := names(g)
	for _, r := range g.Results {
		doubt := either(r.Doubtful, "doubtful", either(r.Contradicted, "contradicted", ""))
		about := "the game"
		if r.PID >= 0 {
			about = name(r.PID)
		}
		rows = append(rows, []string{string(r.Source), about, r.Name, r.Value, name(int(r.Sender)), doubt})
	}
	return rows
}

func desyncRows(g *storage.GameDetail) (rows [][]string) {
	name := names(g)
	for _, d := range g.Dossiers {
		var groups []struct {
			Hash    string `json:"hash"`
			PIDs    []int  `json:"pids"`
			Dropped bool   `json:"dropped"`
		}
		if json.Unmarshal(d.Groups, &groups) != nil {
			continue
		}
		for _, group := range groups {
			who := strings.Join(mapped(group.PIDs, name), ", ")
			rows = append(rows, []string{timeOfDay(d.At), turn(d.Turn), group.Hash, who, either(group.Dropped, "yes", "no")})
		}
	}
	return rows
}

// names returns a lookup of player names by pid. A seat in the game takes precedence over a reused pid in the lobby.
func names(g *storage.GameDetail) func(pid int) string {
	known := map[int]string{}
	for _, p := range g.People {
		if _, ok := known[int(p.PID)]; !ok || p.Slot >= 0 {
			known[int(p.PID)] = p.Called()
		}
	}
	return func(pid int) string {
		if name, ok := known[pid]; ok {
			return name
		}
		return fmt.Sprintf("pid %d", pid)
	}
}

func timeOfDay(t time.Time) string {
	return either(t.IsZero(), "-", t.Local().Format(time.TimeOnly))
}

func turn(n uint32) string {
	return either(n == 0, "-", strconv.FormatUint(uint64(n), 10))
}
