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
		{"game list", 1, `^w3host game list: no database of w3host: there is no file /.*/data/w3host\.db; a host creates it when it starts \(w3host db migrate up, or name another with --database or --config\)\n$`},
		{"ban add Bob", 1, `there is no file`},
		{"db migrate status", 1, `there is no file`},
		{"db migrate down 1", 1, `there is no file`},
		{"db migrate", 0, `^The schema is now at step \d+\.\n$`},
		{"game list", 0, `^No games\.\n$`},
		{"player top", 0, `^No ratings\.\n$`},
		{"db rebuild ratings", 0, `^Rebuilt all ratings from 0 games\.\n$`},
		{"db rebuild results", 0, `^Recomputed the results of 0 games; 0 of them changed\.\n$`},
		{"db rebuild totals", 2, `unknown command "totals"`},
		{"db rebuild ratings dota", 2, `unexpected argument`},
		{"player top dota --csv", 0, `^name,realm,category,mu,sigma,points,games,place,of\n`},
		{"player top --limit 0", 2, `--limit must be at least 1`},
		{"game list --csv", 0, `^key,name,owner,realm,host,version,map_name,`},
		{"game list --json --csv", 1, `choose either --json or --csv`},
		{"game list --since yesterday", 2, `how long ago: 7d, 12h`},
		{"game list --since 7d --until 2026-11-20 --map dota", 0, `^No games\.\n$`},
		{"game show", 2, `missing argument: the key of a game, or last`},
		{"game show last", 1, `^w3host game show: no game has been played: not found\n$`},
		{"game show 7", 1, `cannot look up game number 7 at the running host: no host answers`},
		{"game show 7x", 2, `a game key looks like`},
		{"game show 0190163d-8694-739b-aea5-966c26f8ad91", 1, `not found`},
		{"db prune", 2, `no retention is configured: set database\.keep_chat`},
		{"player hide", 0, `^Nobody is hidden\.\n$`},
		{"player hide Zed", 0, `^Zed is hidden; w3host player unhide shows the name again\.\n$`},
		{"player hide zed", 1, `zed is hidden already: already there`},
		{"player hide", 0, `^zed\n$`},
		{"player unhide Zed", 0, `^Zed is shown again\.\n$`},
		{"player unhide Zed", 1, `Zed is not hidden: not found`},
		{"player unhide", 2, `name of a player`},
		{"db rebuild ladder", 0, `^There is no ladder\.\n$`},
		{"player forget", 2, `missing argument: the name of a player`},
		{"player forget Ann", 1, `nothing is stored about Ann: not found`},
		{"game list --json", 0, `^\[\]\n$`},
		{"game list --limit 0", 2, `^w3host game list: --limit must be at least 1 \(see w3host game list --help\)\n$`},
		{"game list --limit x", 2, `limit.*see w3host game list --help`},
		{"game list all", 2, `unexpected argument "all"`},
		{"game list --help", 0, `(?s)^w3host game list lists.*--database URL`},
		{"player stats", 2, `missing argument: the name of a player`},
		{"player stats Ann Bob", 2, `unexpected argument "Bob"`},
		{"player stats Ann", 1, `^w3host player stats: no games of Ann: not found\n$`},

		{"ban list", 0, `^No bans\.\n$`},
		{"ban add", 2, `missing argument: a name, an address or a network`},
		{"ban add Bob --for soon", 2, `--for "soon" is not a time such as 30m, 12h, 7d`},
		{"ban add 10.0.0.0/99", 2, `not a network: write it like 192\.0\.2\.0/24`},
		{"ban add 10.0.0.300", 2, `"10\.0\.0\.300" is not an address: .* like 192\.0\.2\.1, a network like 10\.0\.0\.0/24, and a player of that name as name:10\.0\.0\.300`},
		{"ban add 10.0.0.", 2, `a network like 10\.0\.0\.0/24,`},
		{"ban add 10.0.*", 2, `a network like 10\.0\.0\.0/16,`},
		{"ban add 300.1.1.1", 2, `a network like 192\.0\.2\.0/24,`},
		{"ban add A*", 2, `"A\*" is a pattern, which bans do not support: .*name:A\*`},
		{"ban add ::ffff:10.0.0.0/104", 2, `IPv4 network in IPv6 form: write 10\.0\.0\.0/8 `},
		{"ban add 10.0.0.1:6112", 2, `has a port: write 10\.0\.0\.1 `},
		{"ban remove 10.0.0.", 2, `a network like 10\.0\.0\.0/24,`},
		{"ban add 0.0.0.0/0", 2, `0\.0\.0\.0/0 covers a large part of the internet; add --yes to confirm`},
		{"ban add ::/0", 2, `add --yes`},
		{"ban add 0.0.0.0/0 --yes --for 1h", 0, `^0\.0\.0\.0/0 is banned until`},
		{"ban remove 0.0.0.0/0", 0, `no longer banned`},
		{"ban add name:A*", 0, `^A\* is banned\.\n$`},
		{"ban remove name:A*", 0, `^A\* is no longer banned\.\n$`},
		{"ban add Bob --colour red", 2, `unknown flag --colour`},
		{"ban add Bob --for 7d --reason rude_words", 0, `^Bob is banned until \d{4}-\d\d-\d\d \d\d:\d\d\.\n$`},
		{"ban add bob", 1, `^w3host ban add: bob is banned: already there\n$`},
		{"ban add Bob --realm Europe", 0, `^Bob is banned on europe\.\n$`},
		{"ban add 10.1.2.3/8", 0, `^10\.0\.0\.0/8 is banned\.\n$`},
		{"ban add name:10.1.2.3", 0, `^10\.1\.2\.3 is banned\.\n$`},
		{"ban add -- --help", 0, `^--help is banned\.\n$`},
		{"ban remove --help", 0, `w3host ban remove ends the bans`},
		{"ban remove -- --help", 0, `^--help is no longer banned\.\n$`},
		{"ban list", 0, `(?s)^WHO +REALM +SINCE.*\nBob +everywhere +.*rude words\n$`},
		{"ban list --json", 0, `(?s)"network": "10\.0\.0\.0/8".*"banned_at"`},
		{"ban list --csv", 0, `(?s)^id,name,network,realm,.*,10\.0\.0\.0/8,,`},
		{"player forget Bob", 1, `Bob is banned, and a ban needs the name; w3host ban remove first`},
		{"ban remove 10.1.2.3", 1, `no ban of 10\.1\.2\.3: not found; the banned network 10\.0\.0\.0/8 contains it; to lift that ban: w3host ban remove 10\.0\.0\.0/8\n$`},
		{"ban remove bob", 0, `^Bob is no longer banned on europe\.\nBob is no longer banned\.\n$|^Bob is no longer banned\.\nBob is no longer banned on europe\.\n$`},
		{"ban remove bob", 1, `no ban of bob: not found`},
		{"ban list --all", 0, `(?s)Bob.*ended `},

		{"admin", 0, `(?s)Usage:.*add .*list `},
		{"admin make Ann", 2, `unknown command "make"`},
		{"admin add", 2, `missing argument: the name of a player`},
		{"admin add Ann --role king", 2, `there is no role "king": use one of trusted, admin, root \(see`},
		{"admin list", 0, `^No admins\.\n$`},
		{"admin add Ann --realm europe --role root", 0, `^Ann is root on europe\.\n$`},
		{"admin add Ann", 0, `^Ann is admin on the LAN\.\n$`},
		{"admin add Ann", 1, `Ann is admin on the LAN: already there`},
		{"admin list", 0, `(?s)^NAME +REALM +ROLE.*\nAnn +LAN +admin .*\nAnn +europe +root `},
		{"admin list --csv", 0, `^name,realm,role,added_by,added_at,network,password\nAnn,,admin,`},
		{"player forget ann", 1, `ann is an admin; w3host admin remove first`},
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

		{"db migrate", 0, `^Nothing to do: the schema is at step \d+\.\n$`},
		{"db migrate sideways", 2, `unknown command "sideways": use up, down or status`},
		{"db migrate status", 0, `(?s)^STEP +FILE +STATE\n1 +00001_game_log\.sql +applied `},
		{"db migrate down", 2, `missing argument: the number of the last step`},
		{"db migrate down 99", 1, fmt.Sprintf(`^w3host db migrate down: the last step is %[1]d: w3host db migrate down %[1]d deletes the data that this step introduced\n$`, latest)},
	}
	for i, name := range slices.Backward(steps) {
		if i == 0 {
			tests = append(tests, step{"db migrate down 2", 1, `^w3host db migrate down: the last step is 1: w3host db migrate down 1 deletes all games, bans and admins\n$`})
		}
		tests = append(tests, step{fmt.Sprintf("db migrate down %d", i+1), 0, fmt.Sprintf(`^Undid step %d \(%s\)\.\n$`, i+1, regexp.QuoteMeta(name))})
	}
	tests = append(tests, []step{
		{"game list", 1, fmt.Sprintf(`its schema is at step 0 of %d; a host, or w3host db migrate up, completes it`, latest)},
		{"db migrate down 1", 1, `not found: there is no step left to undo\n$`},
		{"db migrate status", 0, `00001_game_log\.sql +pending`},
		{"db migrate up", 0, fmt.Sprintf(`^The schema is now at step %d\.\n$`, latest)},
		{"db migrate status --json", 0, `"applied": true`},

		{"game list --database mysql://x", 2, `"mysql:" is not known`},
		{"game list --database sqlite:/dev/null/x.db", 1, `w3host game list: .*`},
		{"game list --database postgres://127.0.0.1:1/x?sslmode=disable", 1, `^w3host game list: open the database: .*is the server running.*\n$`},
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
		{"game", "list"},
		{"player", "stats", "Ann"},
		{"ban", "add", "Ann"},
		{"ban", "remove", "Ann"},
		{"ban", "list"},
		{"admin", "list"},
		{"admin", "add", "Ann"},
		{"db", "migrate", "status"},
		{"db", "migrate", "down", "1"},
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
			if code, _, stderr := shell(t, "db", "migrate", "up", "--database", url); code != exitOK {
				t.Fatal(stderr)
			}
			for step := range slices.Backward(migrationNames("sqlite")) {
				if code, _, stderr := shell(t, "db", "migrate", "down", strconv.Itoa(step+1), "--database", url); code != exitOK {
					t.Fatal(stderr)
				}
			}
			code, _, stderr := shell(t, "game", "list", "--database", url)
			if code != exitFailed || !strings.Contains(stderr, "migrate up") {
				t.Errorf("games: exit %d, %s", code, stderr)
			}
			if code, stdout, stderr := shell(t, "db", "migrate", "status", "--database", url); code != exitOK || strings.Contains(stdout, "applied") {
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
	if code, out, errs := ask(t, "game show last --database "+url); code != 0 || !strings.HasPrefix(out, "played: ") {
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
	code, out, _ := ask(t, "game list --player ANN --database "+url)
	if code != 0 || !strings.Contains(out, "DotA") || !strings.Contains(out, "1:02:03  finished") || strings.Contains(out, "\x1b") {
		t.Errorf("games: %d %q", code, out)
	}
	code, out, _ = ask(t, "player stats ann --database "+url)
	for _, want := range []string{"Ann (LAN): 1 games", "won 1, lost 0", "played 1:02:00, 620 actions (10 a minute)", "DotA", "dota kills"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("stats: %d without %q: %s", code, want, out)
		}
	}
	for _, key := range []string{"last", k.String()} {
		code, out, _ = ask(t, "game show "+key+" --database "+url)
		for _, want := range []string{`fun\u001b[31m game: finished`, "map      DotA", "watching not possible: it is private", "Players\nSLOT", "Timeline", "all have loaded", "Results", "kills"} {
			if code != 0 || !strings.Contains(out, want) || strings.Contains(out, "\x1b") {
				t.Errorf("game %s: %d without %q: %s", key, code, want, out)
			}
		}
	}
	for line, want := range map[string]int{"--map dot": 1, "--map footmen": 0, "--since 2h": 1, "--until 2h": 0, "--player ann --since 2h": 1, "--player bob": 0} {
		if _, out, _ = ask(t, "game list --csv "+line+" --database "+url); strings.Count(out, "\n") != 1+want || strings.Contains(out, "\x1b") {
			t.Errorf("games %s, want %d: %q", line, want, out)
		}
	}
	_, out, _ = ask(t, "player stats Ann --json --database "+url)
	var stats []storage.PlayerStats
	if err := json.Unmarshal([]byte(out), &stats); err != nil || len(stats) != 1 || stats[0].Won != 1 || len(stats[0].Values) != 1 {
		t.Errorf("stats --json: %v, %s", err, out)
	}
	_, out, _ = ask(t, "game list --json --database "+url)
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
