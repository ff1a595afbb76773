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

// Anonymise copies a replay to dst without the names of its players and, unless keepChat is set, without
// their chat. It also replaces the names in the game name, in kept chat and in texts inside actions. Lines
// that players typed for the map's triggers stay, because the game could not be replayed without them.
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
	if r.Duration > 0 { // 0 means that the header was never finished
		w.time = r.Duration
	}
	return w.Close()
}

type anonymiser struct {
	rules  Rules
	byPID  map[uint8]string
	change [][2]string       // pairs of old and new name
	names  *strings.Replacer // replaces old names by new ones
	masks  *strings.Replacer // replaces old names by the same number of x
}

func newAnonymiser(r *Reader) *anonymiser {
	a := &anonymiser{rules: r.Rules(), byPID: map[uint8]string{}}
	full := r.names()
	for _, p := range r.Start.Players {
		name := fmt.Sprintf("Player %d", p.PID)
		a.byPID[p.PID] = name
		for _, old := range []string{p.Name, full[p.PID]} {
			a.add(old, name)
			bare, _, _ := strings.Cut(old, "#") // a battle tag without its number
			a.add(bare, name)
		}
	}
	a.add(r.Start.Settings.HostName, "host")
	a.compile()
	return a
}

// compile builds the replacers for the added names. Longer names take precedence. Each text is scanned only
// once, so a new name is never mistaken for an old one.
func (a *anonymiser) compile() {
	slices.SortStableFunc(a.change, func(x, y [2]string) int { return len(y[0]) - len(x[0]) })
	var names, masks []string
	for _, c := range a.change {
		names, masks = append(names, c[0], c[1]), append(masks, c[0], strings.Repeat("x", len(c[0])))
	}
	a.names, a.masks = strings.NewReplacer(names...), strings.NewReplacer(masks...)
}

// text replaces the names in a text. If the result would exceed most bytes, it masks the names with x
// instead.
func (a *anonymiser) text(old string, most int) string {
	if fresh := a.names.Replace(old); len(fresh) <= most {
		return fresh
	}
	return a.masks.Replace(old)
}

func (a *anonymiser) add(old, name string) {
	if len(old) < 3 { // too short: it would match inside other words
		return
	}
	a.change = append(a.change, [2]string{old, name})
	if escaped := strings.ReplaceAll(old, " ", `\ `); escaped != old { // the spelling that W3MMD uses
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
	if strings.Contains(s.Settings.MapPath, ":") { // a path on the recording player's computer
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

// turn replaces the names in the texts of a turn's actions.
func (a *anonymiser) turn(rec *Record) {
	commands, changed := a.commands(rec.Commands, a.names)
	if len(commands) > maxCommands { // short names have been replaced by longer ones
		commands, changed = a.commands(rec.Commands, a.masks)
	}
	if changed {
		body := binary.LittleEndian.AppendUint16(nil, uint16(2+len(commands)))
		body = append(body, rec.Body[2:4]...)
		rec.Body = append(body, commands...)
	}
}

// maxCommands is the largest size in bytes of a turn's commands; its u16 length includes the increment.
const maxCommands = 0xFFFF - 2

// commands returns a copy of a turn's commands with the names replaced, and whether anything changed.
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
