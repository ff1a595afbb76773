package pages

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/game"
	"w3host/game/command"
	"w3host/protocol/w3gs"
	"w3host/texts"
	"w3host/web/view"
)

// hundred is a view of ten full lobbies and ninety games, whose health has been seen for five minutes.
func hundred() *view.View {
	v, n, now := view.New(), uint64(0), time.Duration(time.Now().UnixNano())
	for second := range 300 {
		now += time.Second
		for id := range uint32(100) {
			s := &game.Snapshot{
				Name: fmt.Sprintf("3v3 for all #%d", id), Stage: game.StagePlaying, Listed: true, Owner: "player 0",
				Map: game.Map{Name: fmt.Sprintf("Map %d of many", id%30), File: fmt.Sprintf("(%d)Map of many.w3x", id%30)},
			}
			if id < 10 {
				s.Stage, s.Waits = game.StageLobby, texts.Of("Waiting for %d more players.", 2)
			}
			for k := range uint8(10) {
				s.Slots = append(s.Slots, game.SnapshotSlot{
					Slot: w3gs.Slot{PID: k + 1, Status: w3gs.SlotOccupied, Team: k % 2, Colour: k, Download: 100}, Name: fmt.Sprintf("player %d of %d", k, id),
					Race: texts.Of("orc"), RTT: time.Duration(20*k+10) * time.Millisecond, Loaded: true,
				})
			}
			v.Meet([]uint32{id + 1})
			if second == 0 {
				v.Snapshot(now, id+1, s)
			}
			if id >= 10 {
				n++
				v.Fact(&view.Event{N: n, Game: id + 1, At: now, Kind: view.Turns, Late: view.Lateness{Turns: 10, Max: time.Duration(id+uint32(second)) % 60 * time.Millisecond}})
			}
		}
		v.Second()
	}
	return v
}

// A browser that is new fetches 60 KB at most for a page of a hundred lobbies and games with its code, pictures of maps apart.
func TestWeightOfPages(t *testing.T) {
	s, v := newSite(t, "Ann"), hundred()
	p := New(Options{Work: workNow})
	code := 0
	for name := range packedFiles() {
		r := httptest.NewRequest(http.MethodGet, "/"+name, nil)
		r.Header.Set("Accept-Encoding", "br, gzip")
		w := s.serve(r)
		z, err := gzip.NewReader(bytes.NewReader(w.Body.Bytes()))
		if err != nil || w.Header().Get("Content-Encoding") != "gzip" || w.Header().Get("Content-Type") == "" {
			t.Fatalf("%s: %v %v", name, err, w.Header())
		}
		if plain, err := io.ReadAll(z); err != nil || !bytes.Equal(plain, must(static.ReadFile(name))) {
			t.Errorf("%s: %v", name, err)
		}
		code += w.Body.Len()
	}
	for page, topic := range map[string]view.Topic{
		"games": {Page: view.GamesPage}, "game": {Page: view.GamePage, Game: 50}, "public": {Page: view.PublicPage},
	} {
		values, _ := v.Open(time.Duration(time.Now().UnixNano()), topic)
		f := &frame{Nav: page, Visitor: Visitor{Name: "Ann", Level: command.Root}, Packed: true, Now: time.Now(), Values: values, Data: []string{"one.w3x"}}
		if page == "game" {
			f.Data = gameData{ID: 50, Trigger: "!", Commands: slices.Repeat([]Proposal{{"kick", "PLAYER [REASON]", command.Owner}}, 120)}
		}
		packed := p.render(page, f)
		f.Packed = false
		t.Logf("%s: %d KB, %d KB packed, %d KB of code", page, len(p.render(page, f))/1000, len(packed)/1000, code/1000)
		if len(packed) < 1000 || len(packed)+code > 60_000 {
			t.Errorf("%s: %d bytes, and %d of code", page, len(packed), code)
		}
	}
}

// A page is made once a second for all who are shown the same, and packed for who takes it so.
func TestMadeOnce(t *testing.T) {
	s := newSite(t, "Ann")
	ask := func(encoding string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Encoding", encoding)
		return s.serve(r)
	}
	packed, plain := ask("gzip, br"), ask("br")
	z, err := gzip.NewReader(packed.Body)
	if err != nil || packed.Header().Get("Content-Encoding") != "gzip" || plain.Header().Get("Content-Encoding") != "" {
		t.Fatalf("%v: %v, %v", err, packed.Header(), plain.Header())
	}
	text, err := io.ReadAll(z)
	if err != nil || !strings.Contains(string(text), "Ann") || !strings.Contains(plain.Body.String(), "Ann") {
		t.Errorf("%v: %s", err, text)
	}
	for _, level := range []command.Level{command.Root, command.Owner} {
		s.visitor = Visitor{Name: "Rook", Level: level}
		if text := ask("br").Body.String(); !strings.Contains(text, "Rook") || strings.Contains(text, "/system") != (level == command.Root) {
			t.Errorf("another visitor, %v, is shown %s", level, text)
		}
	}
	m := made{fresh: madeFor}
	now, made := time.Now(), 0
	for i := range 500 {
		for range 3 {
			m.get(fmt.Sprint(i%(mostMade-1)), now, func() []byte { made++; return nil })
		}
	}
	if made != mostMade-1 {
		t.Errorf("%d pages are made %d times", mostMade-1, made)
	}
	m.get("0", now.Add(2*madeFor), func() []byte { made++; return nil })
	for i := range 10 * mostMade {
		m.get(fmt.Sprint(i), now, func() []byte { return nil })
	}
	if made != mostMade || len(m.kept) > mostMade {
		t.Errorf("%d are made, %d kept", made, len(m.kept))
	}
}

// Who asks for a page does not wait for another that is being made, of maps on a slow disk.
func TestMadeBeside(t *testing.T) {
	m := made{fresh: madeFor}
	now, begun, disk, other := time.Now(), make(chan struct{}), make(chan struct{}), make(chan struct{})
	defer close(disk)
	go m.get("games", now, func() []byte { close(begun); <-disk; return nil })
	<-begun
	go m.get("public", now, func() []byte { close(other); return nil })
	select {
	case <-other:
	case <-time.After(10 * time.Second):
		t.Error("it waits")
	}
}
