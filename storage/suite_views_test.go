package storage_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/storage"
)

// dotaGame is a DotA game of Ann (colour 1, Sentinel) and Bob (colour 7, Scourge), which the Sentinel wins.
func dotaGame() (storage.GameKey, []storage.Record) {
	k, at := storage.NewGameKey(), time.Now().Add(-time.Hour)
	records := []storage.Record{storage.GameCreated{Game: k, At: at, Name: "dota", Version: "1.26", Map: storage.MapID{Name: "DotA Allstars v6.83", SHA1: [20]byte{9}}}}
	started := storage.GameStarted{Game: k, At: at}
	for i, name := range []string{"Ann", "Bob", "Cid"} {
		pid := uint8(i + 1)
		records = append(records, storage.PlayerJoined{Game: k, At: at, PID: pid, Name: name, Realm: "home"})
		started.Slots = append(started.Slots, storage.StartedSlot{Slot: uint8(i), PID: pid, Name: name, Realm: "home", Occupant: storage.OccupantPlayer, Team: []uint8{0, 1, 0}[i], Colour: []uint8{1, 7, 2}[i]})
	}
	records = append(records, started, storage.GameLoaded{Game: k, At: at})
	say := func(sender, pid uint8, name, value string) {
		records = append(records, storage.PlayerResult{Game: k, Source: storage.SourceDotA, Sender: sender, PID: pid, Name: name, Value: value})
	}
	for _, sender := range []uint8{1, 2} { // a second client repeats the report
		for _, line := range []string{"1 kills 12", "1 creep kills 90", "1 gold 3000", "1 hero H001", "1 item 2 I0AB", "1 id 2", "1 outcome won", "2 kills 3", "2 id 6", "2 outcome lost"} {
			pid, rest, _ := strings.Cut(line, " ")
			i := strings.LastIndexByte(rest, ' ')
			say(sender, pid[0]-'0', rest[:i], rest[i+1:])
		}
		tell := func(name, value string) {
			records = append(records, storage.MapResult{Game: k, Source: storage.SourceDotA, Sender: sender, Name: name, Value: value})
		}
		for i, event := range []string{"Tower010 1", "Tower011 7", "Rax110 1", "Courier7 1", "Tower012 1", "Level5 1"} {
			tell(fmt.Sprint("event ", i+1), event)
		}
		tell("Winner", "1")
		tell("m", "34")
		tell("s", "10")
	}
	say(1, 3, "kills", "1")
	say(2, 3, "kills", "99") // the clients disagree
	records = append(records, storage.PlayerResult{Game: k, Source: storage.SourceDotA, Sender: 1, PID: 2, Name: "deaths", Value: "50", Doubtful: true},
		storage.GameEnded{Game: k, At: at.Add(35 * time.Minute), How: storage.EndFinished, Played: 35 * time.Minute})
	return k, records
}

// testViews reads a game by the views for own queries, also after an upgrade of a log that had the game before.
func testViews(t *testing.T, db *storage.Store) {
	k, records := dotaGame()
	apply(t, db, records...)
	if _, err := db.UpdateLadder(t.Context(), storage.Ladder{Slug: "all"}, time.Now()); err != nil {
		t.Fatal(err)
	}
	raw := rawDB(t, urlOf(db))
	for _, when := range []string{"as written", "after an upgrade"} {
		got := answers(t, raw, `SELECT player, name, value FROM player_game_values WHERE name NOT LIKE 'item%' AND name NOT IN ('id', 'gold', 'creep kills')`,
			`SELECT CAST(gameid AS text), winner, min, sec FROM dota_games`,
			`SELECT colour, kills, deaths, creepkills, gold, hero, item1, item2, newcolour, towerkills, raxkills, courierkills FROM dota_players`,
			`SELECT name_key, result, CAST(points_before AS integer) FROM rating_history`)
		want := []string{
			"0|Ann|hero|H001", "0|Ann|kills|12", "0|Ann|outcome|won", "0|Bob|kills|3", "0|Bob|outcome|lost", "1|" + k.String() + "|1|34|10",
			"2|1|12|0|90|3000|H001||I0AB|2|2|1|1", "2|7|3|0|0|0||||7|1|0|0", "3|ann|W|0", "3|bob|L|0", "3|cid|W|0",
		}
		slices.Sort(want)
		same(t, when, got, want)
		for range 2 { // to the schema without these views, and without pages of maps
			if _, err := db.MigrateDown(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.MigrateUp(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// query is a statement in the documents.
var query = regexp.MustCompile("(?s)```sql\n(.*?)```")

// testDocumentedQueries runs the queries of docs/database.md.
func testDocumentedQueries(t *testing.T, db *storage.Store) {
	_, records := dotaGame()
	apply(t, db, records...)
	text, err := os.ReadFile("../docs/database.md")
	if err != nil {
		t.Fatal(err)
	}
	raw, ran := rawDB(t, urlOf(db)), 0
	for _, block := range query.FindAllStringSubmatch(string(text), -1) {
		for one := range strings.SplitSeq(block[1], ";\n") {
			switch one = strings.TrimSpace(one); {
			case !strings.HasPrefix(one, "SELECT"), strings.Contains(one, "<<=") && db.Kind() == "sqlite":
				continue
			case db.Kind() == "sqlite":
				one = strings.ReplaceAll(one, "now() - interval '7 days'", "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-7 days')")
			}
			ran++
			got := answers(t, raw, strings.TrimSuffix(one, ";"))
			if strings.Contains(one, "'kills'") && !slices.Contains(got, "0|Ann|home|12|1") || strings.Contains(one, "'ann'") && !slices.Contains(got, "0|Cid|1") {
				t.Errorf("%s: %q", one, got)
			}
		}
	}
	if ran < 7 {
		t.Errorf("only %d queries", ran)
	}
}
