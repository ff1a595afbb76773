package host

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"w3host/game"
	"w3host/game/command"
	"w3host/protocol/w3gs"
	"w3host/record/journal"
)

// rerunFile runs a journal from the disk again.
func rerunFile(t *testing.T, file string) (game.Rerun, error) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return game.RunJournal(z, nil)
}

func journalRig(t *testing.T, keepAll bool) (r *rig, files func() []string) {
	dir := filepath.Join(t.TempDir(), "journals")
	r = newRig(t, func(o *Options) {
		o.Journal, o.Crashes = journal.Options{Dir: dir, KeepAll: keepAll}, filepath.Join(t.TempDir(), "crashes")
	})
	return r, func() []string {
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		return files
	}
}

// TestJournalOfAGame: a game over sockets can be run again from its journal, byte
// for byte, if an admin has asked for it; that of another game is not kept.
func TestJournalOfAGame(t *testing.T) { inBubble(t, testJournalOfAGame) }

func testJournalOfAGame(t *testing.T) {
	r, files := journalRig(t, false)
	g, players := r.play(3)
	_, others := r.play(2)
	players[1].Send(action([]byte{1, 2, 3}))
	if err := g.Command(&command.Caller{Name: "ctl", Level: command.Root, Via: command.ViaControl}, "journal"); err != nil {
		t.Fatal(err)
	}
	players[0].SayInGame("!end")
	others[0].SayInGame("!end")
	file, _ := r.logged("journal of the game kept; run it again with w3host game rerun")["file"].(string)
	wantFIN(t, others[0])
	r.shutDown()
	if list := files(); len(list) != 1 || list[0] != file {
		t.Fatalf("kept %q, the log names %q", list, file)
	}
	result, err := rerunFile(t, file)
	if err != nil || !result.Checked || !result.Over || result.Inputs < 20 {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestJournalOfACrash holds the input that the game crashed at.
func TestJournalOfACrash(t *testing.T) { inBubble(t, testJournalOfACrash) }

func testJournalOfACrash(t *testing.T) {
	r, files := journalRig(t, false)
	g, _ := r.play(2)
	g.call(func() { panic("injected") })
	file, _ := r.logged("game crashed; all other games go on")["journal"].(string)
	r.shutDown()
	if list := files(); len(list) != 1 || list[0] != file {
		t.Fatalf("kept %q, the log names %q", list, file)
	}
	if result, err := rerunFile(t, file); err != nil || result.Over {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestJournalOfAKilledHost is kept by the next start, and runs up to where it
// was cut.
func TestJournalOfAKilledHost(t *testing.T) { inBubble(t, testJournalOfAKilledHost) }

func testJournalOfAKilledHost(t *testing.T) {
	r, files := journalRig(t, true)
	_, players := r.play(2)
	players[0].SayInGame("!end")
	wantFIN(t, players[1])
	r.shutDown()
	list := files()
	if len(list) != 1 {
		t.Fatalf("kept %q", list)
	}
	whole, err := os.ReadFile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	part := filepath.Join(dir, "game-1.journal.gz.part")
	if err := os.WriteFile(part, whole[:len(whole)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	newRig(t, func(o *Options) { o.Journal.Dir = dir })
	synctest.Wait() // the new host renames what the last one left, beside its start
	if result, err := rerunFile(t, strings.TrimSuffix(part, ".part")); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) || !result.Cut {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestPacketsWithoutEffect: packets that the phase or the version ignores are in no journal, and so nobody can fill a
// disk with them.
func TestPacketsWithoutEffect(t *testing.T) { inBubble(t, testPacketsWithoutEffect) }

func testPacketsWithoutEffect(t *testing.T) {
	inputs := func(junk int) int {
		r, files := journalRig(t, true)
		g := r.lobby(2)
		players := []*client{r.join(g, "Ann", player), r.join(g, "Bob", player)}
		send := func(packets ...w3gs.Packet) {
			for range junk {
				for _, p := range packets {
					players[1].Send(p.AppendTo(nil))
				}
			}
			players[1].Say(fmt.Sprint("that was ", packets[0].Op()), players[0].PID)
			players[0].UntilText(fmt.Sprint("that was ", packets[0].Op()))
		}
		extra := &w3gs.PlayerExtra{Kind: w3gs.ExtraProfile, Data: make([]byte, 900)}
		send(&w3gs.PeerSet{}, &w3gs.DropReq{}, &w3gs.LoadedSelf{}, extra)
		r.begin(players...)
		r.inPlay(players...)
		for range junk {
			for _, p := range []w3gs.Packet{&w3gs.MapSize{Flag: w3gs.MapHave, Size: 1}, &w3gs.MapPartOK{}, &w3gs.DropReq{}, &w3gs.LoadedSelf{}, extra} {
				players[1].Send(p.AppendTo(nil))
			}
		}
		r.inPlay(players...)
		players[0].SayInGame("!end")
		wantFIN(t, players[0])
		r.shutDown()
		result, err := rerunFile(t, files()[0])
		if err != nil || !result.Checked || !result.Over {
			t.Errorf("%+v, %v", result, err)
		}
		return result.Inputs
	}
	without, with := inputs(0), inputs(100)
	if with > without+50 { // a few turns more or less
		t.Errorf("%d inputs in the journal, %d without packets that mean nothing", with, without)
	}
}
