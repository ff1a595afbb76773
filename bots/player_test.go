package bots

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// What a client sends, as bytes, from the description of the packets.
func TestClientBytes(t *testing.T) {
	r := newRig(t, Options{NamePrefix: "b", LoadTime: time.Second, Actions: -1})
	want := func(step, hexBytes string) {
		t.Helper()
		b, err := hex.DecodeString(strings.ReplaceAll(hexBytes, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(r.out, b) {
			t.Errorf("%s: sent % x\nwant % x", step, r.out, b)
		}
		r.out = nil
	}
	want("join", "f7 1e 28 00  01 00 00 00  02 00 00 00  00  e0 17  01 00 00 00  62 31 00  01 00"+
		strings.Repeat(" 00", 16))
	r.toLobby()
	want("first pong and map", "f7 46 08 00 01 00 00 00   f7 42 0d 00 01 00 00 00 01 b8 0b 00 00")
	r.hear(&w3gs.PingFromHost{Tick: 0x01020304})
	want("pong", "f7 46 08 00 04 03 02 01")
	r.pass(greetAfter)
	if greeting := []byte{0x03, 2, 3, 12, 1, 0x10}; len(r.out) < 10 || r.out[1] != 0x28 || !bytes.Equal(r.out[4:10], greeting) {
		t.Errorf("greeting: % x", r.out) // to 2, 3 and 12, from 1, a lobby line
	}
	r.out = nil
	r.alarms[alarmStart] = 0 // the start is asked for in another test
	r.hear(&w3gs.CountdownStart{}, &w3gs.PlayerLeave{PID: 12, Reason: w3gs.LeaveLobby}, &w3gs.CountdownEnd{})
	r.pass(time.Second)
	want("loaded", "f7 23 04 00")
	r.hear(&w3gs.GameLoaded{PID: 1}, &w3gs.GameLoaded{PID: 2}, &w3gs.GameLoaded{PID: 3}, turn())
	if len(r.out) != 9 || !bytes.Equal(r.out[:5], []byte{0xf7, 0x27, 9, 0, 0}) {
		t.Errorf("answer to a turn: % x", r.out)
	}
	r.out = nil
	r.hear(&w3gs.IncomingAction{})
	want("answer to an empty turn with increment 0", "")
	r.leave(r.time)
	want("leave", "f7 21 08 00 07 00 00 00")
	r.hear(&w3gs.LeaveAck{})
	r.closed(nil)
	r.fine()
	if r.outcome != OutcomeLeft {
		t.Errorf("outcome %s", r.outcome)
	}
}

// Each row is a host that does one thing wrong.
func TestFaults(t *testing.T) {
	info := func(pid uint8, name string) *w3gs.PlayerInfo {
		return &w3gs.PlayerInfo{PID: pid, Name: name, Extra: []byte{0}}
	}
	slots := func(change func(t *w3gs.SlotTable)) func(r *rig) {
		return func(r *rig) {
			t := r.toLobby().table()
			change(&t)
			r.hear(&w3gs.SlotInfo{SlotTable: t})
		}
	}
	chat := func(c w3gs.Chat) *w3gs.ChatFromHost { return &w3gs.ChatFromHost{Chat: c} }
	rows := []struct {
		name  string
		does  func(r *rig)
		fault string
	}{
		{"packet before the answer to the join", func(r *rig) { r.hear(info(2, "two")) }, "before the answer to 0x1E"},
		{"0x04 twice", func(r *rig) { r.toLobby().hear(&w3gs.SlotInfoJoin{SlotTable: r.table(), PID: 1}) }, "a second time"},
		{"player id 0", func(r *rig) { r.hear(&w3gs.SlotInfoJoin{SlotTable: r.table()}) }, "player id 0"},
		{"introduced to itself", func(r *rig) { r.toLobby().hear(info(1, "me")) }, "introduced to itself"},
		{"introduced twice", func(r *rig) { r.toLobby().hear(info(2, "two")) }, "introduced twice"},
		{"name too long", func(r *rig) { r.toLobby().hear(info(4, "sixteen letters!")) }, "want 1 to 15 bytes"},
		{"introduced in the game", func(r *rig) { r.toGame().hear(info(4, "four")) }, "outside the lobby"},
		{"map check twice", func(r *rig) { r.toLobby().hear(&w3gs.MapCheck{Path: "x", Size: 1, HasSHA1: true}) }, "wanted once"},
		{"slots before the map check", func(r *rig) {
			r.hear(&w3gs.SlotInfoJoin{SlotTable: r.table(), PID: 1}, info(2, "two"), info(3, "three"), &w3gs.SlotInfo{SlotTable: r.table()})
		}, "before 0x3D"},
		{"slot of a stranger", slots(func(t *w3gs.SlotTable) { t.Slots[3].PID, t.Slots[3].Status = 9, w3gs.SlotOccupied }), "player 9 in the table was never introduced"},
		{"no slot for the bot", slots(func(t *w3gs.SlotTable) { t.Slots[0].PID = 0 }), "is in 0 slots"},
		{"colour taken twice", slots(func(t *w3gs.SlotTable) { t.Slots[1].Colour = 0 }), "colour 0 is taken twice"},
		{"another number of slots", slots(func(t *w3gs.SlotTable) { t.Slots = t.Slots[:3] }), "3 slots"},
		{"empty slot with a player", slots(func(t *w3gs.SlotTable) { t.Slots[2].Status = w3gs.SlotOpen }), "is empty and has player 3"},
		{"chat for others", func(r *rig) {
			r.toLobby().hear(chat(w3gs.Chat{To: []uint8{2}, From: 3, Flag: w3gs.ChatLobby, Text: "x"}))
		}, "not addressed"},
		{"chat from nobody", func(r *rig) {
			r.toLobby().hear(chat(w3gs.Chat{To: []uint8{1}, From: 9, Flag: w3gs.ChatLobby, Text: "x"}))
		}, "from player 9"},
		{"game chat in the lobby", func(r *rig) {
			r.toLobby().hear(chat(w3gs.Chat{To: []uint8{1}, From: 2, Flag: w3gs.ChatGame, Text: "x"}))
		}, "a line of the game in the lobby"},
		{"lobby chat in the game", func(r *rig) {
			r.toGame().hear(chat(w3gs.Chat{To: []uint8{1}, From: 2, Flag: w3gs.ChatLobby, Text: "x"}))
		}, "a line of the lobby in the game"},
		{"request for a slot", func(r *rig) { r.toLobby().hear(chat(w3gs.Chat{To: []uint8{1}, From: 2, Flag: w3gs.ChatTeam})) }, "flag 0x11"},
		{"own line comes back", func(r *rig) {
			r.toLobby().pass(greetAfter)
			for _, p := range r.said() {
				if q, ok := p.(*w3gs.ChatToHost); ok {
					q.To = []uint8{1}
					r.hear(chat(q.Chat))
				}
			}
		}, "own line came back"},
		{"0x0B without 0x0A", func(r *rig) { r.toLobby().hear(&w3gs.CountdownEnd{}) }, "without 0x0A"},
		{"slots between 0x0A and 0x0B", func(r *rig) { r.toLobby().hear(&w3gs.CountdownStart{}, &w3gs.SlotInfo{SlotTable: r.table()}) }, "between 0x0A and 0x0B"},
		{"virtual host stays", func(r *rig) { r.toLobby().hear(&w3gs.CountdownStart{}, &w3gs.CountdownEnd{}) }, "player 12 has no slot and is still there"},
		{"loaded before the start", func(r *rig) { r.toLobby().hear(&w3gs.GameLoaded{PID: 2}) }, "before 0x0B"},
		{"loaded twice", func(r *rig) { r.toLoading().hear(&w3gs.GameLoaded{PID: 2}, &w3gs.GameLoaded{PID: 2}) }, "loaded twice"},
		{"stranger has loaded", func(r *rig) { r.toLoading().hear(&w3gs.GameLoaded{PID: 9}) }, "player 9 is not in the game"},
		{"bot has loaded before it did", func(r *rig) { r.toLoading().hear(&w3gs.GameLoaded{PID: 1}) }, "has not loaded yet"},
		{"turn while the bot loads", func(r *rig) { r.toLoading().hear(turn()) }, "while the bot loads"},
		{"turn while others load", func(r *rig) {
			r.toLoading().pass(2 * time.Second)
			r.hear(&w3gs.GameLoaded{PID: 1}, &w3gs.GameLoaded{PID: 2}, turn())
		}, "while players [3] load"},
		{"leave while others load", func(r *rig) {
			r.toLoading().pass(2 * time.Second)
			r.hear(&w3gs.PlayerLeave{PID: 2, Reason: w3gs.LeaveDisconnect})
		}, "while players [2 3] load"},
		{"leave of a stranger", func(r *rig) { r.toGame().hear(&w3gs.PlayerLeave{PID: 9, Reason: 1}) }, "player 9 is not there"},
		{"leave of the bot", func(r *rig) { r.toGame().hear(&w3gs.PlayerLeave{PID: 1, Reason: 1}) }, "about the bot itself"},
		{"action of a stranger", func(r *rig) { r.toGame().hear(turn(action(9, 0x61))) }, "an action of player 9"},
		{"action after the leave", func(r *rig) {
			r.toGame().hear(&w3gs.PlayerLeave{PID: 2, Reason: 1}, turn(action(2, 0x61)))
		}, "an action of player 2"},
		{"action the bot never sent", func(r *rig) { r.toGame().hear(turn(action(1, 0x61))) }, "own action 0 where 1 was due"},
		{"increment too long", func(r *rig) { r.toGame().hear(&w3gs.IncomingAction{IncrementMillis: 501}) }, "increment 501ms"},
		{"increment 0 with actions", func(r *rig) { r.toGame().hear(&w3gs.IncomingAction{Actions: action(2, 0x61)}) }, "increment 0 with actions"},
		{"wrong crc", func(r *rig) {
			b := turn(action(2, 0x61)).AppendTo(nil)
			b[len(b)-1]++
			r.toGame().hearRaw(b)
		}, "checksum does not match"},
		{"overflow without a rest", func(r *rig) { r.toGame().hear(&w3gs.IncomingAction2{Actions: action(2, 0x61)}, turn()) }, "no actions after a 0x48"},
		{"leave inside a turn", func(r *rig) {
			r.toGame().hear(&w3gs.IncomingAction2{Actions: action(2, 0x61)}, &w3gs.PlayerLeave{PID: 3, Reason: 1})
		}, "between the 0x48 and the 0x0C"},
		{"lag screen for nobody", func(r *rig) { r.toGame().hear(&w3gs.StartLag{}) }, "names nobody"},
		{"lag screen for a stranger", func(r *rig) { r.toGame().hear(&w3gs.StartLag{Laggers: []w3gs.Lagger{{PID: 9}}}) }, "player 9 is not in the game"},
		{"lag screen in the lobby", func(r *rig) { r.toLobby().hear(&w3gs.StartLag{Laggers: []w3gs.Lagger{{PID: 2}}}) }, "not in the game"},
		{"on the screen twice", func(r *rig) {
			lag := &w3gs.StartLag{Laggers: []w3gs.Lagger{{PID: 2}}}
			r.toGame().hear(lag, lag)
		}, "on the screen already"},
		{"off the screen, never on", func(r *rig) { r.toGame().hear(&w3gs.StopLag{Lagger: w3gs.Lagger{PID: 2}}) }, "not on the screen"},
		{"turn under the lag screen", func(r *rig) {
			r.toGame().hear(&w3gs.StartLag{Laggers: []w3gs.Lagger{{PID: 2}}}, turn())
		}, "while the lag screen is up for [2]"},
		{"silence in the game", func(r *rig) {
			r.toGame().alarms = [alarms]time.Duration{}
			r.pass(66 * time.Second)
			r.hear(turn())
		}, "after 66 s of silence"},
		{"no pings in the lobby", func(r *rig) {
			r.toLobby().alarms = [alarms]time.Duration{}
			r.pass(91 * time.Second)
			r.hear(&w3gs.SlotInfo{SlotTable: r.table()})
		}, "after 91 s of silence"},
		{"0x1B unasked", func(r *rig) { r.toGame().hear(&w3gs.LeaveAck{}) }, "without a 0x21"},
		{"packet after 0x1B", func(r *rig) {
			r.toGame().leave(r.time)
			r.hear(&w3gs.LeaveAck{}, turn())
		}, "after 0x1B"},
		{"no answer to the goodbye", func(r *rig) { r.toGame().leave(r.time); r.pass(answerWithin + time.Second) }, "not answered with 0x1B"},
		{"unknown packet", func(r *rig) { r.toLobby().hear(&w3gs.Raw{ID: 0x77}) }, "not a packet that a host sends"},
		{"packet of a client", func(r *rig) { r.toLobby().hear(&w3gs.DropReq{}) }, "not a packet that a host sends"},
		{"no packet at all", func(r *rig) { r.toLobby().hearRaw([]byte{1, 2, 3, 4}) }, "first byte is not 0xF7"},
		{"download that nobody wants", func(r *rig) { r.toLobby().hear(&w3gs.StartDownload{From: 12}) }, "the bot has the map"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			r := newRig(t, Options{Actions: -1, NoStart: true})
			row.does(r)
			r.complains(row.fault)
		})
	}
}

// A host that does everything right, and the less usual things too.
func TestNoFaults(t *testing.T) {
	rows := []struct {
		name string
		does func(r *rig)
	}{
		{"plain game", func(r *rig) { r.toGame().hear(turn(), turn(action(2, 0x61)), turn()) }},
		{"overflow", func(r *rig) {
			r.toGame().hear(&w3gs.IncomingAction2{Actions: action(2, 0x61)}, &w3gs.IncomingAction2{Actions: action(3, 0x61)}, turn(action(2, 0x61)))
		}},
		{"lag screen with reset", func(r *rig) {
			lag, stop := &w3gs.StartLag{Laggers: []w3gs.Lagger{{PID: 2}, {PID: 3}}}, func(pid uint8) w3gs.Packet { return &w3gs.StopLag{Lagger: w3gs.Lagger{PID: pid}} }
			r.toGame().hear(lag, stop(2), stop(3), &w3gs.IncomingAction{}, lag, stop(3), stop(2), turn())
		}},
		{"lagger leaves", func(r *rig) {
			r.toGame().hear(&w3gs.StartLag{Laggers: []w3gs.Lagger{{PID: 2}}}, &w3gs.PlayerLeave{PID: 2, Reason: 1}, turn())
		}},
		{"load in game", func(r *rig) {
			r.toLoading().pass(2 * time.Second)
			r.hear(&w3gs.GameLoaded{PID: 1}, &w3gs.StartLag{Laggers: []w3gs.Lagger{{PID: 2}, {PID: 3}}}, &w3gs.IncomingAction{},
				&w3gs.GameLoaded{PID: 2}, &w3gs.StopLag{Lagger: w3gs.Lagger{PID: 2}},
				&w3gs.GameLoaded{PID: 3}, &w3gs.StopLag{Lagger: w3gs.Lagger{PID: 3}}, turn())
		}},
		{"leave while loading, told when the game runs", func(r *rig) {
			r.toLoaded().hear(&w3gs.PlayerLeave{PID: 2, Reason: 1}, turn())
		}},
		{"join and leave in the lobby", func(r *rig) {
			r.toLobby().hear(&w3gs.PlayerInfo{PID: 4, Name: "four", Extra: []byte{0}}, &w3gs.PlayerLeave{PID: 4, Reason: w3gs.LeaveLobby}, &w3gs.SlotInfo{SlotTable: r.table()})
		}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			r := newRig(t, Options{Actions: -1, NoStart: true})
			row.does(r)
			r.fine()
		})
	}
}

// How a turn is cut into packets makes no difference to the state; everything
// else does.
func TestStateDependsOnWhatWasSeen(t *testing.T) {
	a, b := action(2, 0x61), action(3, 0x66)
	leave := func(pid uint8) w3gs.Packet { return &w3gs.PlayerLeave{PID: pid, Reason: w3gs.LeaveLost} }
	state := func(packets ...w3gs.Packet) uint32 {
		r := newRig(t, Options{Actions: -1, NoStart: true}).toGame()
		r.hear(packets...)
		r.fine()
		return r.state.checksum()
	}
	base := state(turn(a, b), turn())
	same := map[string]uint32{
		"seen again":     state(turn(a, b), turn()),
		"cut in two":     state(&w3gs.IncomingAction2{Actions: a}, turn(b), turn()),
		"an idle turn 0": state(turn(a, b), &w3gs.IncomingAction{}, turn()),
	}
	for name, s := range same {
		if s != base {
			t.Errorf("%s: %08x, want %08x", name, s, base)
		}
	}
	other := map[string]uint32{
		"order of actions":      state(turn(b, a), turn()),
		"action a turn later":   state(turn(a), turn(b)),
		"action missing":        state(turn(a), turn()),
		"turn missing":          state(turn(a, b)),
		"another increment":     state(turn(a, b), &w3gs.IncomingAction{IncrementMillis: 101}),
		"leave":                 state(turn(a, b), leave(3), turn()),
		"leave a turn later":    state(turn(a, b), turn(), leave(3)),
		"leave of another":      state(turn(a, b), leave(2), turn()),
		"leave before the turn": state(leave(3), turn(a), turn()),
	}
	seen := map[uint32]string{base: "base"}
	for name, s := range other {
		if twin, ok := seen[s]; ok {
			t.Errorf("%q and %q give the same state", name, twin)
		}
		seen[s] = name
	}
}

func TestAnswersEveryTurnWithTheState(t *testing.T) {
	r := newRig(t, Options{Actions: -1, NoStart: true}).toGame()
	var sums []uint32
	for range 5 {
		r.hear(turn())
		sums = append(sums, only[*w3gs.Keepalive](r).Checksum)
	}
	if len(slices.Compact(slices.Clone(sums))) != 5 {
		t.Errorf("the same answer twice: %x", sums)
	}
	r.hear(turn(), turn(), turn())
	if n := len(r.said()); n != 3 {
		t.Errorf("%d answers to three turns in one read", n)
	}
}

func TestDesyncOnPurpose(t *testing.T) {
	good, bad := newRig(t, Options{Actions: -1}), newRig(t, Options{Actions: -1, Conduct: func(int, int) Conduct { return Conduct{Desync: true} }})
	good.toGame()
	bad.toGame()
	for n := 2; n < desyncTurn+3; n++ {
		good.hear(turn())
		bad.hear(turn())
		equal := only[*w3gs.Keepalive](good).Checksum == only[*w3gs.Keepalive](bad).Checksum
		if equal != (n < desyncTurn) {
			t.Errorf("turn %d: equal %v", n, equal)
		}
	}
}

// TestInterruptedWhileJoining: what answers the join of a bot that has left
// meanwhile is no fault of the host.
func TestInterruptedWhileJoining(t *testing.T) {
	r := newRig(t, Options{})
	r.leave(r.time)
	r.toLobby()
	r.hear(&w3gs.LeaveAck{})
	r.fine()
}
