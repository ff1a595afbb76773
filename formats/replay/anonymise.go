package replay

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"w3host/protocol/w3gs"
)

// Anonymise writes a replay without the names of its players and, unless
// keepChat is set, without their chat. Names are also replaced in the game's
// name, in chat that is kept and in the texts of actions; lines that players typed for
// a map's triggers stay, because the game could not be watched without it.
func Anonymise(r *Reader, dst io.WriterAt, keepChat bool) error {
	a := newAnonymiser(r)
	start := a.start(r.Start)
	w, err := newCopy(dst, r.Program, &start)
	if err != nil {
		return err
	}
	for rec, err := range r.Records() {
		switch {
		case err != nil:
			return err
		case rec.Kind == KindChat && !keepChat:
			continue
		case rec.Kind == KindChat:
			rec.Chat.Text = a.text(rec.Chat.Text, maxText)
			rec.Body = rec.Chat.appendTo(nil)[1:]
		case rec.Kind == KindTurn || rec.Kind == KindTurnPart:
			a.turn(rec)
		}
		if err := w.copy(rec); err != nil {
			return err
		}
	}
	if r.Duration > 0 { // else the header was not finished
		w.time = r.Duration
	}
	return w.Close()
}

type anonymiser struct {
	rules  Rules
	byPID  map[uint8]string
	change [][2]string       // old and new names
	names  *strings.Replacer // old names by new ones
	masks  *strings.Replacer // old names by as many x
}

func newAnonymiser(r *Reader) *anonymiser {
	a := &anonymiser{rules: r.Rules(), byPID: map[uint8]string{}}
	full := r.names()
	for _, p := range r.Start.Players {
		name := fmt.Sprintf("Player %d", p.PID)
		a.byPID[p.PID] = name
		for _, old := range []string{p.Name, full[p.PID]} {
			a.add(old, name)
			bare, _, _ := strings.Cut(old, "#") // a battle tag
			a.add(bare, name)
		}
	}
	a.add(r.Start.Settings.HostName, "host")
	a.compile()
	return a
}

// compile makes the replacers of the names that were added. Where two names fit at the same place, the longer one
// counts. Each text is gone through once, so no new name is ever taken for an old one.
func (a *anonymiser) compile() {
	slices.SortStableFunc(a.change, func(x, y [2]string) int { return len(y[0]) - len(x[0]) })
	var names, masks []string
	for _, c := range a.change {
		names, masks = append(names, c[0], c[1]), append(masks, c[0], strings.Repeat("x", len(c[0])))
	}
	a.names, a.masks = strings.NewReplacer(names...), strings.NewReplacer(masks...)
}

// text replaces the names in a text. If it would get longer than most, the names are only made unreadable.
func (a *anonymiser) text(old string, most int) string {
	if fresh := a.names.Replace(old); len(fresh) <= most {
		return fresh
	}
	return a.masks.Replace(old)
}

func (a *anonymiser) add(old, name string) {
	if len(old) < 3 { // it would be found in other words
		return
	}
	a.change = append(a.change, [2]string{old, name})
	if escaped := strings.ReplaceAll(old, " ", `\ `); escaped != old { // as W3MMD writes it
		a.change = append(a.change, [2]string{escaped, strings.ReplaceAll(name, " ", `\ `)})
	}
}

func (a *anonymiser) start(s Start) Start {
	s.Players = slices.Clone(s.Players)
	for i := range s.Players {
		s.Players[i].Name = a.byPID[s.Players[i].PID]
	}
	s.GameName, s.Private = a.text(s.GameName, maxText), ""
	s.Settings.HostName = a.byPID[s.Players[0].PID]
	if strings.Contains(s.Settings.MapPath, ":") { // a path of somebody's computer
		s.Settings.MapPath = path.Base(strings.ReplaceAll(s.Settings.MapPath, `\`, "/"))
	}
	s.Metas = slices.Clone(s.Metas)
	for i := range s.Metas {
		if m := &s.Metas[i]; m.Kind == metaProfile {
			pid, _ := profile(m.Data)
			name := a.byPID[uint8(pid)]
			m.Data = append([]byte{1 << 3, byte(pid), 2<<3 | 2, byte(len(name))}, name...)
		}
	}
	return s
}

// turn replaces names in the texts of a turn's actions.
func (a *anonymiser) turn(rec *Record) {
	commands, changed := a.commands(rec.Commands, a.names)
	if len(commands) > maxCommands { // names of three letters have become longer
		commands, changed = a.commands(rec.Commands, a.masks)
	}
	if changed {
		body := binary.LittleEndian.AppendUint16(nil, uint16(2+len(commands)))
		body = append(body, rec.Body[2:4]...)
		rec.Body = append(body, commands...)
	}
}

// maxCommands is how many bytes of commands a turn can hold, beside its increment.
const maxCommands = 0xFFFF - 2

// commands makes the commands of a turn with the names in the texts of actions replaced.
func (a *anonymiser) commands(old []byte, names *strings.Replacer) (fresh []byte, changed bool) {
	for pid, data := range w3gs.Actions(old) {
		var block []byte
		for action := range a.rules.Actions(data) {
			text := action.Data
			if action.Known && action.HasText() {
				text = []byte(names.Replace(string(text)))
				changed = changed || !bytes.Equal(text, action.Data)
			}
			block = append(block, text...)
		}
		fresh = w3gs.AppendAction(fresh, pid, block)
	}
	return fresh, changed
}
