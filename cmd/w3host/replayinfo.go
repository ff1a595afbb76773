package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"w3host/formats/replay"
	"w3host/protocol/w3gs"
)

// replayFacts is the JSON form of a replay. Its field names are stable, since other programs use them. Facts that a file
// does not contain are null.
type replayFacts struct {
	File        string         `json:"file"`
	Version     string         `json:"version"`
	Build       uint16         `json:"build"`
	Product     string         `json:"product"`
	Multiplayer bool           `json:"multiplayer"`
	DurationMS  int64          `json:"duration_ms"`
	GameName    string         `json:"game_name"`
	Host        string         `json:"host"`
	Map         string         `json:"map"`
	MapChecksum string         `json:"map_checksum"` // 8 hexadecimal digits
	MapSHA1     *string        `json:"map_sha1"`     // null before 1.23
	Settings    replaySettings `json:"settings"`
	Players     []playerFacts  `json:"players"`
	Chat        []chatFacts    `json:"chat"`
	Leaves      []leaveFacts   `json:"leaves"`
	Timeslots   int            `json:"timeslots"`
	Actions     int            `json:"actions"`
	Checksums   int            `json:"checksums"`
	WinnerTeam  *int           `json:"winner_team"`
	Warnings    []string       `json:"warnings"`
}

type replaySettings struct {
	Speed             string       `json:"speed"`
	Visibility        string       `json:"visibility"`
	Observers         string       `json:"observers"`
	TeamsTogether     bool         `json:"teams_together"`
	FixedTeams        bool         `json:"fixed_teams"`
	FullSharedControl bool         `json:"full_shared_control"`
	RandomHero        bool         `json:"random_hero"`
	RandomRaces       bool         `json:"random_races"`
	Flags             uint32       `json:"flags"`
	GameType          uint32       `json:"game_type"`
	Layout            w3gs.Layout  `json:"layout"`
	RandomSeed        uint32       `json:"random_seed"`
	Slots             []slotRecord `json:"slots"`
}

// slotRecord is a slot, with the numeric values of the protocol.
type slotRecord struct {
	PID      uint8           `json:"pid"`
	Status   w3gs.SlotStatus `json:"status"`
	Computer bool            `json:"computer"`
	Team     uint8           `json:"team"`
	Colour   uint8           `json:"colour"`
	Race     string          `json:"race"`
	AI       w3gs.AI         `json:"ai"`
	Handicap uint8           `json:"handicap"`
}

type playerFacts struct {
	PID         uint8               `json:"pid"`
	Name        string              `json:"name"`
	Team        *int                `json:"team"` // from 0; this and the next three are null for a player without a slot
	Colour      *uint8              `json:"colour"`
	Race        *string             `json:"race"`
	Handicap    *uint8              `json:"handicap"`
	Observer    bool                `json:"observer"`
	LeftMS      *int64              `json:"left_ms"`
	LeaveReason *replay.LeaveReason `json:"leave_reason"`
	Result      string              `json:"result"` // won, lost, draw or unknown
	APM         float64             `json:"apm"`
}

type chatFacts struct {
	MS    int64  `json:"ms"`
	PID   uint8  `json:"pid"`
	Name  string `json:"name"`
	Scope string `json:"scope"` // all, allies, observers, private N or loading
	Text  string `json:"text"`
}

type leaveFacts struct {
	MS      int64              `json:"ms"`
	PID     uint8              `json:"pid"`
	Name    string             `json:"name"`
	Reason  replay.LeaveReason `json:"reason"`
	Result  w3gs.LeaveReason   `json:"result"`
	Counter uint32             `json:"counter"`
}

func (c *replayCall) info() error {
	if len(c.names) > 1 && c.svg != "" {
		return usageError{errors.New("--svg works with a single replay")}
	}
	var last *replay.Summary
	err := describe(&c.call, func(name string) (replayFacts, error) {
		r, f, err := readReplay(name)
		if err != nil {
			return replayFacts{}, err
		}
		defer f.Close()
		last = replay.Summarise(r)
		return replayFactsOf(name, last), nil
	}, c.printReplay)
	if err == nil && c.svg != "" {
		if err := os.WriteFile(c.svg, last.SVG(), 0o644); err != nil {
			return failed(c.names[0], plainError(err))
		}
	}
	return err
}

func replayFactsOf(name string, s *replay.Summary) replayFacts {
	f := replayFacts{
		File: filepath.Base(name), Version: s.Version.String(), Build: s.Build, Product: productOf(s),
		Multiplayer: s.Flags&replay.Multiplayer != 0, DurationMS: s.Duration.Milliseconds(),
		GameName: s.Start.GameName, Host: s.Start.Players[0].Name,
		Map: s.Start.Settings.MapPath, MapChecksum: fmt.Sprintf("%08x", s.Start.Settings.Checksum),
		Settings: settingsOf(s), Players: mapped(s.Players, playerOf),
		Chat: mapped(s.Chat, func(l replay.ChatLine) chatFacts {
			return chatFacts{l.Time.Milliseconds(), l.PID, s.Name(l.PID), scopeOf(l.Chat), l.Text}
		}),
		Leaves: mapped(s.Leaves, func(l replay.LeaveLine) leaveFacts {
			return leaveFacts{l.Time.Milliseconds(), l.PID, s.Name(l.PID), l.Reason, l.Result, l.Counter}
		}),
		Timeslots: s.Turns, Actions: s.Actions, Checksums: s.Checksums,
		Warnings: mapped(s.Findings, func(f replay.Finding) string { return f.Text }),
	}
	if sum, ok := s.Start.Settings.SHA1(s.Program); ok {
		f.MapSHA1 = new(fmt.Sprintf("%x", sum))
	}
	if s.Winner != replay.NoTeam {
		f.WinnerTeam = &s.Winner
	}
	return f
}

// productOf returns the game that recorded the replay. Header version 0 does not contain it; such replays are older than
// The Frozen Throne, except for its betas (version 300 and later).
func productOf(s *replay.Summary) string {
	switch {
	case s.Product != "":
		return s.Product
	case s.Version >= 300:
		return replay.ProductExpansion
	}
	return replay.ProductClassic
}

func playerOf(p *replay.PlayerSummary) playerFacts {
	f := playerFacts{
		PID: p.PID, Name: p.Name, Observer: p.Observer, Result: p.Result.String(), APM: math.Round(p.APM*10) / 10,
	}
	if p.Slot != nil {
		f.Team, f.Race, f.Handicap = &p.Team, new(raceName(p.Slot.Race)), &p.Slot.Handicap
		if p.Slot.Colour != replay.NoColour {
			f.Colour = &p.Slot.Colour
		}
	}
	if p.Leave != nil {
		f.LeftMS, f.LeaveReason = new(p.Leave.Time.Milliseconds()), &p.Leave.Reason
	}
	return f
}

func scopeOf(c replay.Chat) string {
	switch {
	case c.Flag == w3gs.ChatLobby:
		return "loading"
	case c.Scope == w3gs.ScopeAll:
		return "all"
	case c.Scope == w3gs.ScopeAllies:
		return "allies"
	case c.Scope == w3gs.ScopeObservers:
		return "observers"
	}
	return fmt.Sprintf("private %d", c.Scope-w3gs.ScopeSlot)
}

// visibility maps the words of w3gs to those used in this JSON since its first version.
var visibility = strings.NewReplacer("-", " ", "explored", "map explored")

func settingsOf(s *replay.Summary) replaySettings {
	flags := s.Start.Settings.Flags
	g := replaySettings{
		Speed: cmp.Or(w3gs.Speeds.Word(flags), "unknown"), Visibility: cmp.Or(visibility.Replace(w3gs.Visibilities.Word(flags)), "unknown"), Observers: "none",
		TeamsTogether: flags&w3gs.TeamsTogether != 0, FixedTeams: flags&w3gs.FixedTeams != 0,
		FullSharedControl: flags&w3gs.FullSharedControl != 0, RandomHero: flags&w3gs.RandomHero != 0,
		RandomRaces: flags&w3gs.RandomRaces != 0, Flags: uint32(flags), GameType: s.Start.GameType,
		Layout: s.Start.Layout, RandomSeed: s.Start.RandomSeed, Slots: slotRecords(s.Start.Slots),
	}
	switch {
	case flags&w3gs.Referees != 0:
		g.Observers = "referees"
	case flags&w3gs.ObserversOn == w3gs.ObserversOn:
		g.Observers = "full"
	case flags&w3gs.ObserversOnDefeat != 0:
		g.Observers = "on defeat"
	}
	return g
}

func slotRecords(slots []w3gs.Slot) []slotRecord {
	return mapped(slots, func(s w3gs.Slot) slotRecord {
		return slotRecord{s.PID, s.Status, s.Computer, s.Team, s.Colour, raceName(s.Race), s.AI, s.Handicap}
	})
}

// printReplay prints a replay as text.
func (c *replayCall) printReplay(f replayFacts) error {
	s := sheet{shown: plainText}
	row := s.row
	row("file", "%s", f.File)
	row("version", "%s, build %d, %s", f.Version, f.Build, f.Product)
	row("game", "%s, hosted by %s", f.GameName, f.Host)
	row("map", "%s, checksum %s", f.Map, f.MapChecksum)
	row("duration", "%s", clock(f.DurationMS))
	row("settings", "speed %s, visibility %s, observers %s", f.Settings.Speed, f.Settings.Visibility, f.Settings.Observers)
	row("recorded", "%d turns, %d actions, %d checksums", f.Timeslots, f.Actions, f.Checksums)
	winner := "unknown"
	if f.WinnerTeam != nil {
		winner = fmt.Sprintf("team %d", *f.WinnerTeam+1)
	}
	row("winner", "%s", winner)
	for _, p := range f.Players {
		text := p.Name
		switch {
		case p.Observer:
			text += ", observer"
		case p.Team == nil:
			text += ", without a slot"
		default:
			text += fmt.Sprintf(", team %d, %s, %s, %.0f actions per minute", *p.Team+1, *p.Race, p.Result, p.APM)
		}
		if p.LeftMS != nil {
			text += ", left at " + clock(*p.LeftMS)
		}
		row(fmt.Sprintf("player %d", p.PID), "%s", text)
	}
	for _, line := range f.Chat {
		row(clock(line.MS), "%s (%s): %s", line.Name, line.Scope, line.Text)
	}
	for _, warning := range f.Warnings {
		row("warning", "%s", warning)
	}
	return s.print(c.stdout)
}

// clock formats a time in the game as h:mm:ss.
func clock(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	return fmt.Sprintf("%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}
