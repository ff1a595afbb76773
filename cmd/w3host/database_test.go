package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"w3host/config"
	"w3host/internal/terminal"
	"w3host/migrations"
	"w3host/storage"
	"w3host/storage/storagetest"
)

// ask runs "w3host LINE" as a shell would, without quotes.
func ask(t *testing.T, line string) (code int, stdout, stderr string) {
	t.Helper()
	words, stdin := strings.Fields(line), ""
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "_", " ") // for words with spaces
	}
	var out, errs bytes.Buffer
	if n := len(words); n > 2 && words[n-2] == "<" {
		words, stdin = words[:n-2], words[n-1]+"\n"
	}
	code = run(t.Context(), words, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

// migrationNames are the steps of the schema, in order.
func migrationNames(dialect string) []string {
	_, names := migrations.For(dialect)
	return names
}

func TestDatabaseCommands(t *testing.T) {
	t.Setenv(config.EnvName("database.url"), "sqlite:"+filepath.Join(t.TempDir(), "data", "w3host.db"))
	steps := migrationNames("sqlite")
	latest := len(steps)
	type step struct {
		line string
		code int
		want string // a pattern for what it prints, where errors go for codes above 0
	}
	tests := []step{
		{"games", 1, `^w3host games: no database of w3host: there is no file /.*/data/w3host\.db; a host creates it when it starts \(w3host migrate up, or name another with --database or --config\)\n$`},
		{"ban Bob", 1, `there is no file`},
		{"migrate status", 1, `there is no file`},
		{"migrate down 1", 1, `there is no file`},
		{"migrate", 0, `^The schema is now at step \d+\.\n$`},
		{"games", 0, `^No games\.\n$`},
		{"ratings", 0, `^No ratings\.\n$`},
		{"ratings rebuild", 0, `^Rebuilt all ratings from 0 games\.\n$`},
		{"db rebuild results", 0, `^Recomputed the results of 0 games; 0 of them changed\.\n$`},
		{"db rebuild totals", 2, `unknown command "totals"`},
		{"ratings rebuild dota", 2, `unexpected argument`},
		{"ratings list dota --csv", 0, `^name,realm,category,mu,sigma,points,games,place,of\n`},
		{"ratings --limit 0", 2, `--limit must be 1 or more`},
		{"games --csv", 0, `^key,name,owner,realm,host,version,map_name,`},
		{"games --json --csv", 1, `choose either --json or --csv`},
		{"games --since yesterday", 2, `how long ago: 7d, 12h`},
		{"games --since 7d --until 2026-11-20 --map dota", 0, `^No games\.\n$`},
		{"game", 2, `missing argument: the key of a game, or last`},
		{"game last", 1, `^w3host game: no game has been played: not found\n$`},
		{"game 7", 1, `cannot look up game number 7 at the running host: no host answers`},
		{"game 7x", 2, `a game key looks like`},
		{"game 0190163d-8694-739b-aea5-966c26f8ad91", 1, `not found`},
		{"prune", 2, `no retention is configured: set database\.keep_chat`},
		{"hide", 0, `^Nobody is hidden\.\n$`},
		{"hide Zed", 0, `^Zed is hidden; w3host unhide shows the name again\.\n$`},
		{"hide zed", 1, `zed is hidden already: already there`},
		{"hide", 0, `^zed\n$`},
		{"unhide Zed", 0, `^Zed is shown again\.\n$`},
		{"unhide Zed", 1, `Zed is not hidden: not found`},
		{"unhide", 2, `name of a player`},
		{"db rebuild ladder", 0, `^There is no ladder\.\n$`},
		{"forget", 2, `missing argument: the name of a player`},
		{"forget Ann", 1, `nothing is stored about Ann: not found`},
		{"games --json", 0, `^\[\]\n$`},
		{"games --limit 0", 2, `^w3host games: --limit must be at least 1 \(see w3host games --help\)\n$`},
		{"games --limit x", 2, `limit.*see w3host games --help`},
		{"games all", 2, `unexpected argument "all"`},
		{"games --help", 0, `(?s)^w3host games lists.*--database URL`},
		{"stats", 2, `missing argument: the name of a player`},
		{"stats Ann Bob", 2, `unexpected argument "Bob"`},
		{"stats Ann", 1, `^w3host stats: no games of Ann: not found\n$`},

		{"bans", 0, `^No bans\.\n$`},
		{"ban", 2, `missing argument: a name, an address or a network`},
		{"ban Bob --for soon", 2, `--for "soon" is not a time such as 30m, 12h, 7d`},
		{"ban 10.0.0.0/99", 2, `not a network: write it like 192\.0\.2\.0/24`},
		{"ban 10.0.0.300", 2, `"10\.0\.0\.300" is not an address: .* like 192\.0\.2\.1, a network like 10\.0\.0\.0/24, and a player of that name as name:10\.0\.0\.300`},
		{"ban 10.0.0.", 2, `a network like 10\.0\.0\.0/24,`},
		{"ban 10.0.*", 2, `a network like 10\.0\.0\.0/16,`},
		{"ban 300.1.1.1", 2, `a network like 192\.0\.2\.0/24,`},
		{"ban A*", 2, `"A\*" is a pattern, which bans do not support: .*name:A\*`},
		{"ban ::ffff:10.0.0.0/104", 2, `IPv4 network in IPv6 form: write 10\.0\.0\.0/8 `},
		{"ban 10.0.0.1:6112", 2, `has a port: write 10\.0\.0\.1 `},
		{"unban 10.0.0.", 2, `a network like 10\.0\.0\.0/24,`},
		{"ban 0.0.0.0/0", 2, `0\.0\.0\.0/0 covers a large part of the internet; add --yes to confirm`},
		{"ban ::/0", 2, `add --yes`},
		{"ban 0.0.0.0/0 --yes --for 1h", 0, `^0\.0\.0\.0/0 is banned until`},
		{"unban 0.0.0.0/0", 0, `no longer banned`},
		{"ban name:A*", 0, `^A\* is banned\.\n$`},
		{"unban name:A*", 0, `^A\* is no longer banned\.\n$`},
		{"ban Bob --colour red", 2, `unknown flag --colour`},
		{"ban Bob --for 7d --reason rude_words", 0, `^Bob is banned until \d{4}-\d\d-\d\d \d\d:\d\d\.\n$`},
		{"ban bob", 1, `^w3host ban: bob is banned: already there\n$`},
		{"ban Bob --realm Europe", 0, `^Bob is banned on europe\.\n$`},
		{"ban 10.1.2.3/8", 0, `^10\.0\.0\.0/8 is banned\.\n$`},
		{"ban name:10.1.2.3", 0, `^10\.1\.2\.3 is banned\.\n$`},
		{"ban -- --help", 0, `^--help is banned\.\n$`},
		{"unban --help", 0, `w3host unban ends the bans`},
		{"unban -- --help", 0, `^--help is no longer banned\.\n$`},
		{"bans", 0, `(?s)^WHO +REALM +SINCE.*\nBob +everywhere +.*rude words\n$`},
		{"bans --json", 0, `(?s)"network": "10\.0\.0\.0/8".*"banned_at"`},
		{"bans --csv", 0, `(?s)^id,name,network,realm,.*,10\.0\.0\.0/8,,`},
		{"forget Bob", 1, `Bob is banned, and a ban needs the name; w3host unban first`},
		{"unban 10.1.2.3", 1, `no ban of 10\.1\.2\.3: not found; the banned network 10\.0\.0\.0/8 contains it; to lift that ban: w3host unban 10\.0\.0\.0/8\n$`},
		{"unban bob", 0, `^Bob is no longer banned on europe\.\nBob is no longer banned\.\n$|^Bob is no longer banned\.\nBob is no longer banned on europe\.\n$`},
		{"unban bob", 1, `no ban of bob: not found`},
		{"bans --all", 0, `(?s)Bob.*ended `},

		{"admin", 2, `choose add, remove, password or list`},
		{"admin make Ann", 2, `unknown command "make"`},
		{"admin add", 2, `missing argument: the name of a player`},
		{"admin add Ann --role king", 2, `there is no role "king": use one of trusted, admin, root \(see`},
		{"admin list", 0, `^No admins\.\n$`},
		{"admin add Ann --realm europe --role root", 0, `^Ann is root on europe\.\n$`},
		{"admin add Ann", 0, `^Ann is admin on the LAN\.\n$`},
		{"admin add Ann", 1, `Ann is admin on the LAN: already there`},
		{"admin list", 0, `(?s)^NAME +REALM +ROLE.*\nAnn +LAN +admin .*\nAnn +europe +root `},
		{"admin list --csv", 0, `^name,realm,role,added_by,added_at,network,password\nAnn,,admin,`},
		{"forget ann", 1, `ann is an admin; w3host admin remove first`},
		{"admin list --json", 0, `"role": "root"`},
		{"admin add Ann --from 10.1.2.3/8", 0, `^Ann from 10\.0\.0\.0/8 is admin on the LAN\.\n$`},
		{"admin add Ann --from home", 2, `"home" is not an address or a network`},
		{"admin add 192.168.1.0/24 --from 10.0.0.1", 2, `192\.168\.1\.0/24 is a network and needs no second one`},
		{"admin add 10.0.0.300", 2, `"10\.0\.0\.300" is not an address`},
		{"admin add 192.168.1.0/24 --role root", 0, `^192\.168\.1\.0/24 is root on the LAN\.\n$`},
		{"admin add ::/0", 2, `add --yes`},
		{"admin password Ann < short", 1, `the password is too short: use at least 8 characters`},
		{"admin password Zoe < long_enough", 1, `no admin Zoe on the LAN: not found`},
		{"admin password Ann < long_enough", 0, `^Ann now has a password; the role applies after !login in each game\.\n$`},
		{"admin password Ann", 1, `no password on standard input`},
		{"admin list", 0, `(?s)\n +LAN +root +192\.168\.1\.0/24 .*Ann +LAN +admin +password .*\nAnn +LAN +admin +10\.0\.0\.0/8 +password `},
		{"admin password ann --remove", 0, `^ann no longer has a password\.\n$`},
		{"admin password ann --remove", 1, `no password of ann: not found`},
		{"admin remove 192.168.1.0/24", 0, `^192\.168\.1\.0/24 is no longer an admin on the LAN\.\n$`},
		{"admin remove ann", 0, `^ann is no longer an admin on the LAN\.\n$`},
		{"admin remove ann", 1, `no admin ann on the LAN: not found`},

		{"migrate", 0, `^Nothing to do: the schema is at step \d+\.\n$`},
		{"migrate sideways", 2, `unknown command "sideways": use up, down or status`},
		{"migrate status", 0, `(?s)^STEP +FILE +STATE\n1 +00001_game_log\.sql +applied `},
		{"migrate down", 2, `missing argument: the number of the last step`},
		{"migrate down 99", 1, fmt.Sprintf(`^w3host migrate down: the last step is %[1]d: w3host migrate down %[1]d deletes the data that this step introduced\n$`, latest)},
	}
	for i, name := range slices.Backward(steps) {
		if i == 0 {
			tests = append(tests, step{"migrate down 2", 1, `^w3host migrate down: the last step is 1: w3host migrate down 1 deletes all games, bans and admins\n$`})
		}
		tests = append(tests, step{fmt.Sprintf("migrate down %d", i+1), 0, fmt.Sprintf(`^Undid step %d \(%s\)\.\n$`, i+1, regexp.QuoteMeta(name))})
	}
	tests = append(tests, []step{
		{"games", 1, fmt.Sprintf(`its schema is at step 0 of %d; a host, or migrate up, completes it`, latest)},
		{"migrate down 1", 1, `not found: there is no step left to undo\n$`},
		{"migrate status", 0, `00001_game_log\.sql +pending`},
		{"migrate up", 0, fmt.Sprintf(`^The schema is now at step %d\.\n$`, latest)},
		{"migrate status --json", 0, `"applied": true`},

		{"games --database mysql://x", 2, `"mysql:" is not known`},
		{"games --database sqlite:/dev/null/x.db", 1, `w3host games: .*`},
		{"games --database postgres://127.0.0.1:1/x?sslmode=disable", 1, `^w3host games: open the database: .*is the server running.*\n$`},
	}...)
	for _, tt := range tests {
		code, stdout, stderr := ask(t, tt.line)
		out := stdout
		if tt.code > 0 {
			out = stderr
			if stdout != "" || strings.Count(stderr, "\n") != 1 {
				t.Errorf("w3host %s prints %q and %q, want one line of error", tt.line, stdout, stderr)
			}
		}
		if code != tt.code || !regexp.MustCompile(tt.want).MatchString(out) {
			t.Errorf("w3host %s\nexit %d with %q\nwant %d with %s", tt.line, code, stdout+stderr, tt.code, tt.want)
		}
	}
}

// Only a host and "migrate up" create anything: a command that is run in the
// wrong folder says so and leaves it as it was.
func TestCommandsCreateNothing(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, args := range [][]string{
		{"games"},
		{"stats", "Ann"},
		{"ban", "Ann"},
		{"unban", "Ann"},
		{"bans"},
		{"admin", "list"},
		{"admin", "add", "Ann"},
		{"migrate", "status"},
		{"migrate", "down", "1"},
		{"health", "--listen", "127.0.0.1:1"},
		{"map", "list"},
		{"version"},
		{"help"},
	} {
		_, _, _ = shell(t, args...)
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("w3host %v: %v leaves %v", args, err, left)
		}
	}
	for name, database := range storagetest.Databases {
		t.Run(name, func(t *testing.T) {
			url := database(t)
			if code, _, stderr := shell(t, "migrate", "up", "--database", url); code != exitOK {
				t.Fatal(stderr)
			}
			for step := range slices.Backward(migrationNames("sqlite")) {
				if code, _, stderr := shell(t, "migrate", "down", strconv.Itoa(step+1), "--database", url); code != exitOK {
					t.Fatal(stderr)
				}
			}
			code, _, stderr := shell(t, "games", "--database", url)
			if code != exitFailed || !strings.Contains(stderr, "migrate up") {
				t.Errorf("games: exit %d, %s", code, stderr)
			}
			if code, stdout, stderr := shell(t, "migrate", "status", "--database", url); code != exitOK || strings.Contains(stdout, "applied") {
				t.Errorf("status: exit %d, %s%s", code, stdout, stderr)
			}
		})
	}
}

// The last game is the latest that was played, not the lobby that is open.
func TestLastGame(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "w3host.db")
	db, err := storage.Open(t.Context(), url, storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	played, open, at := storage.NewGameKey(), storage.NewGameKey(), time.Now()
	b := storage.Batch{HostID: storage.NewGameKey().String(), Run: storage.NewGameKey().String(), Records: []storage.SequencedRecord{
		{Seq: 1, Record: storage.GameCreated{Game: played, At: at, Name: "played"}},
		{Seq: 2, Record: storage.GameStarted{Game: played, At: at}},
		{Seq: 3, Record: storage.GameCreated{Game: open, At: at, Name: "a lobby that is open now"}},
	}}
	if err := errors.Join(db.Apply(t.Context(), b), db.Close()); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := ask(t, "game last --database "+url); code != 0 || !strings.HasPrefix(out, "played: ") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

func TestGamesAndStats(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "w3host.db")
	db, err := storage.Open(t.Context(), url, storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-time.Hour)
	k := storage.NewGameKeyAt(at)
	b := storage.Batch{HostID: storage.NewGameKey().String(), Run: storage.NewGameKey().String()}
	for i, r := range []storage.Record{
		storage.GameCreated{Game: k, At: at, Name: "fun\x1b[31m game", Map: storage.MapID{Name: "|cffff0000Dot|rA"}, Settings: storage.Settings{Unwatched: "it is private"}},
		storage.GameStarted{Game: k, At: at, Slots: []storage.StartedSlot{{PID: 1, Name: "Ann", Occupant: storage.OccupantPlayer}}},
		storage.GameLoaded{Game: k, At: at},
		storage.PlayerResult{Game: k, PID: 1, Source: storage.SourceW3MMD, Name: storage.ResultOutcome, Value: storage.OutcomeWon},
		storage.PlayerResult{Game: k, PID: 1, Source: storage.SourceDotA, Name: "kills", Value: "7"},
		storage.PlayerLeft{Game: k, At: at.Add(62 * time.Minute), PID: 1, Actions: 620},
		storage.GameEnded{Game: k, At: at.Add(62 * time.Minute), How: storage.EndFinished, Played: 62*time.Minute + 3*time.Second},
	} {
		b.Records = append(b.Records, storage.SequencedRecord{Seq: uint64(i + 1), Record: r})
	}
	if err := db.Apply(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	code, out, _ := ask(t, "games --player ANN --database "+url)
	if code != 0 || !strings.Contains(out, "DotA") || !strings.Contains(out, "1:02:03  finished") || strings.Contains(out, "\x1b") {
		t.Errorf("games: %d %q", code, out)
	}
	code, out, _ = ask(t, "stats ann --database "+url)
	for _, want := range []string{"Ann (LAN): 1 games", "won 1, lost 0", "played 1:02:00, 620 actions (10 a minute)", "DotA", "dota kills"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("stats: %d without %q: %s", code, want, out)
		}
	}
	for _, key := range []string{"last", k.String()} {
		code, out, _ = ask(t, "game "+key+" --database "+url)
		for _, want := range []string{`fun\u001b[31m game: finished`, "map      DotA", "watching not possible: it is private", "Players\nSLOT", "Timeline", "all have loaded", "Results", "kills"} {
			if code != 0 || !strings.Contains(out, want) || strings.Contains(out, "\x1b") {
				t.Errorf("game %s: %d without %q: %s", key, code, want, out)
			}
		}
	}
	for line, want := range map[string]int{"--map dot": 1, "--map footmen": 0, "--since 2h": 1, "--until 2h": 0, "--player ann --since 2h": 1, "--player bob": 0} {
		if _, out, _ = ask(t, "games --csv "+line+" --database "+url); strings.Count(out, "\n") != 1+want || strings.Contains(out, "\x1b") {
			t.Errorf("games %s, want %d: %q", line, want, out)
		}
	}
	_, out, _ = ask(t, "stats Ann --json --database "+url)
	var stats []storage.PlayerStats
	if err := json.Unmarshal([]byte(out), &stats); err != nil || len(stats) != 1 || stats[0].Won != 1 || len(stats[0].Values) != 1 {
		t.Errorf("stats --json: %v, %s", err, out)
	}
	_, out, _ = ask(t, "games --json --database "+url)
	var games []storage.Game
	if err := json.Unmarshal([]byte(out), &games); err != nil || len(games) != 1 || games[0].Key != k || games[0].Players != 1 {
		t.Errorf("games --json: %v, %s", err, out)
	}
}

// Nothing that a stranger calls themselves steers a terminal, in JSON either.
func TestPrintJSON(t *testing.T) {
	var out bytes.Buffer
	want := []storage.Admin{{Name: "x\u009b\u202e\U000e0041"}}
	if err := printJSON(&out, want); err != nil || terminal.Printable(strings.ReplaceAll(out.String(), "\n", "")) != strings.ReplaceAll(out.String(), "\n", "") {
		t.Errorf("JSON: %q, %v", out.String(), err)
	}
	var got []storage.Admin
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got[0].Name != want[0].Name {
		t.Errorf("JSON comes back as %+v, %v", got, err)
	}
}
