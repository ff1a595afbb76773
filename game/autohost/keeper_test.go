package autohost

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"w3host/internal/tier"
)

// evening is a time of the tests.
var evening = time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)

// expand knows one folder.
func expand(choice string) []string {
	if choice == "dota/" {
		return []string{"dota/a.w3x", "dota/b.w3x"}
	}
	return []string{choice}
}

func maps(names ...string) (list []Choice) {
	for _, n := range names {
		list = append(list, Choice{Map: n, Weight: 1})
	}
	return list
}

func keeper(maximum int, entries ...Entry) *Keeper {
	return New(entries, maximum, time.Minute, 1, expand, func(uint32, string) bool { return true })
}

// open carries out the next order.
func open(t *testing.T, k *Keeper, id uint32) Order {
	t.Helper()
	o, ok := k.Next(evening)
	if !ok {
		t.Fatalf("no lobby is wanted for %d", id)
	}
	k.Opened(o, id, o.Maps[0])
	return o
}

// Each entry has its lobby, the one with fewer first; no more games than the entry
// and the host allow.
func TestAlwaysALobbyForEachEntry(t *testing.T) {
	k := keeper(5,
		Entry{Name: "a", Lobbies: 2, MaxGames: 3, Maps: maps("x")},
		Entry{Name: "b {n}", Lobbies: 1, MaxGames: 9, Maps: maps("y")})
	var names []string
	for id := range uint32(3) {
		names = append(names, open(t, k, id+1).Name)
	}
	if want := []string{"a", "b 1", "a #2"}; !slices.Equal(names, want) {
		t.Errorf("opened %q, want %q", names, want)
	}
	if o, ok := k.Next(evening); ok {
		t.Errorf("%q is wanted beside the others", o.Name)
	}
	k.Started(1)
	k.Started(2)
	open(t, k, 4)
	open(t, k, 5)
	k.Started(4)
	if o, ok := k.Next(evening); ok {
		t.Errorf("%q is wanted, where the host may have five", o.Name)
	}
	k.Ended(2)
	if o := open(t, k, 6); o.Entry != "b {n}" || o.Name != "b 3" {
		t.Errorf("opened %+v: entry a has its three", o)
	}
}

// No more lobbies are missing than the entry may open beside its games.
func TestMissingBesideGames(t *testing.T) {
	k := keeper(9, Entry{Name: "a", Lobbies: 3, MaxGames: 4, Maps: maps("x")})
	for id := range uint32(3) {
		open(t, k, id+1)
		k.Started(id + 1)
	}
	if n := k.Missing(evening); n != 1 {
		t.Errorf("%d lobbies are missing, where one more game may be", n)
	}
}

func TestRotations(t *testing.T) {
	k := keeper(9, Entry{Name: "order", Lobbies: 1, MaxGames: 9, Maps: maps("x", "dota/", "y")})
	var played []string
	for id := range uint32(5) {
		played = append(played, open(t, k, id).Maps[0])
		k.Ended(id)
	}
	if got := strings.Join(played, " "); got != "x dota/a.w3x dota/b.w3x y x" {
		t.Errorf("in order: %s", got)
	}

	k = keeper(9, Entry{Name: "random", Lobbies: 1, MaxGames: 9, Rotation: AtRandom, Maps: []Choice{{"x", 6}, {"dota/", 2}, {"never", 0}}})
	count := map[string]int{}
	last := ""
	for id := range uint32(400) {
		m := open(t, k, id).Maps[0]
		if m == last {
			t.Fatalf("%s twice in a row", m)
		}
		last = m
		count[m]++
		k.Ended(id)
	}
	if count["never"] != 0 || count["x"] < 150 || count["dota/a.w3x"] < 50 || count["dota/b.w3x"] < 50 {
		t.Errorf("by weight: %v", count)
	}
}

// A map that cannot be hosted is skipped; when none can, the entry waits, and the
// others do not.
func TestFailingMaps(t *testing.T) {
	k := keeper(9, Entry{Name: "a", Lobbies: 1, MaxGames: 9, Maps: maps("bad", "good", "best")},
		Entry{Name: "b", Lobbies: 1, MaxGames: 9, Maps: maps("y")})
	o, _ := k.Next(evening)
	k.Opened(o, 1, "good")
	k.Ended(1)
	if o, _ = k.Next(evening); o.Maps[0] != "best" {
		t.Errorf("after the second map comes %q", o.Maps)
	}
	k.Failed(o, evening)
	if o := open(t, k, 2); o.Entry != "b" {
		t.Errorf("%+v", o)
	}
	if _, ok := k.Next(evening.Add(59 * time.Second)); ok {
		t.Error("the entry does not wait")
	}
	if o, ok := k.Next(evening.Add(time.Minute)); !ok || o.Entry != "a" {
		t.Error("the entry waits for ever")
	}
}

func TestVotes(t *testing.T) {
	k := keeper(9, Entry{Name: "v", Lobbies: 1, MaxGames: 9, Rotation: ByVote, Maps: maps("x", "dota/", "y")})
	open(t, k, 1)
	here := map[string]bool{"ann": true, "bob": true, "cid": true, "eve": true}
	k.seated = func(id uint32, name string) bool { return id == 1 && here[strings.ToLower(name)] }
	vote := func(who, part string) error {
		b, err := k.Ballot(1)
		if err != nil {
			return err
		}
		file, err := b.Find(part)
		if err != nil {
			return err
		}
		return k.Vote(1, who, file)
	}
	for _, v := range []string{"eve x", "ann x", "ANN b.w3x", "bob dota/b", "cid y"} {
		who, part, _ := strings.Cut(v, " ")
		if err := vote(who, part); err != nil {
			t.Error(err)
		}
	}
	for part, want := range map[string]string{"dota": "could be dota/a.w3x or dota/b.w3x", "z": "no map on the ballot", "x": "only players"} {
		if err := vote("dan", part); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", part, err)
		}
	}
	delete(here, "eve") // and with her, her vote
	if b, _ := k.Ballot(1); fmt.Sprint(b.List()) != "[{dota/b.w3x 2} {y 1} {x 0} {dota/a.w3x 0}]" {
		t.Errorf("ballot %v", b.List())
	}
	k.Started(1)
	if o := open(t, k, 2); o.Maps[0] != "dota/b.w3x" {
		t.Errorf("chosen %q", o.Maps)
	}
	if s := k.Status(evening)[0]; len(s.Votes) != 0 {
		t.Errorf("the votes stay: %v", s.Votes)
	}
}

// A folder of thousands of maps costs neither a vote nor the choice of the next map more
// than a look at each, and an answer names a few of them.
func TestManyMaps(t *testing.T) {
	const n = 100_000
	files := make([]string, n)
	for i := range files {
		files[i] = fmt.Sprintf("maps/map %d.w3x", i)
	}
	k := New([]Entry{{Name: "v", Lobbies: 1, MaxGames: 9, Rotation: ByVote, Maps: maps("*")}}, 9, time.Minute, 1,
		func(string) []string { return files }, func(uint32, string) bool { return true })
	begin := time.Now()
	open(t, k, 1)
	b, err := k.Ballot(1)
	if err != nil {
		t.Fatal(err)
	}
	_, few := b.Find("map 12")
	_, none := b.Find("nonsense")
	if took := time.Since(begin); took > 10*time.Second && tier.IsAll() { // the square of it takes a minute
		t.Errorf("%d maps take %v", n, took)
	}
	for _, err := range []error{few, none} {
		if err == nil || !strings.Contains(err.Error(), "and ") || len(err.Error()) > 500 {
			t.Errorf("answered with %.600v", err)
		}
	}
}

// SetNext is for one lobby, or for all that follow, also of an entry with one map.
func TestSetNext(t *testing.T) {
	k := keeper(9, Entry{Name: "r", Lobbies: 1, MaxGames: 9, Maps: maps("x", "y")}, Entry{Name: "s", Lobbies: 1, MaxGames: 9, Maps: maps("z")})
	open(t, k, 1)
	open(t, k, 2)
	if _, err := k.SetNext(7, "w", false); err == nil {
		t.Error("of several entries none was named")
	}
	for _, c := range []struct {
		always bool
		want   []string
	}{{false, []string{"w", "z", "z"}}, {true, []string{"w", "w", "w"}}, {false, []string{"w", "z"}}} {
		if _, err := k.SetNext(2, "w", c.always); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			k.Ended(2)
			if o := open(t, k, 2); o.Entry != "s" || o.Maps[0] != want {
				t.Errorf("always %v: %s plays %s, want %s", c.always, o.Entry, o.Maps[0], want)
			}
		}
	}
	if _, err := k.SetNext(1, "w", false); err != nil {
		t.Fatal(err)
	}
	k.Ended(1)
	if o := open(t, k, 1); o.Maps[0] != "w" {
		t.Errorf("the rotation plays %s", o.Maps[0])
	}
}

// Lobbies of an entry that is off, gone or out of its hours are not wanted, and
// none is opened.
func TestUnwanted(t *testing.T) {
	hours, err := ParseHours([]string{"18:00-02:00"})
	if err != nil {
		t.Fatal(err)
	}
	a := Entry{Name: "a", Lobbies: 1, MaxGames: 9, Maps: maps("x"), Hours: hours}
	b := Entry{Name: "b", Lobbies: 1, MaxGames: 9, Maps: maps("x")}
	k := keeper(9, a, b)
	open(t, k, 1)
	open(t, k, 2)
	k.Add(3) // of no entry
	if got := k.Unwanted(evening); got != nil {
		t.Errorf("in the evening: %v", got)
	}
	if got := k.Unwanted(evening.Add(12 * time.Hour)); !slices.Equal(got, []uint32{1}) {
		t.Errorf("in the morning: %v", got)
	}
	k.Configure([]Entry{a}, 9)
	if got := k.Unwanted(evening); !slices.Equal(got, []uint32{2}) {
		t.Errorf("without b: %v", got)
	}
	k.Turn(false)
	k.Ended(1)
	if _, ok := k.Next(evening); ok {
		t.Error("an entry that is off wants a lobby")
	}
	k.Turn(true)
	if o := open(t, k, 4); o.Name != "a #2" {
		t.Errorf("the count was lost: %q", o.Name)
	}
	k.Disable(true)
	k.Ended(4)
	if _, ok := k.Next(evening); ok {
		t.Error("a disabled host wants a lobby")
	}
}

func TestHours(t *testing.T) {
	h, err := ParseHours([]string{"22:30-01:00", " 9:00 - 12:00"})
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]bool{"22:29": false, "22:30": true, "00:59": true, "01:00": false, "09:00": true, "11:59": true, "12:00": false} {
		c, _ := time.Parse("15:04", at)
		if h.contain(c) != want {
			t.Errorf("%s: %v", at, !want)
		}
	}
	if all, _ := ParseHours([]string{"00:00-24:00"}); !all.contain(evening) {
		t.Error("the whole day")
	}
	for _, bad := range []string{"", "22", "22-7", "25:00-26:00", "7:00-7:00"} {
		if _, err := ParseHours([]string{bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// An entry at its most games has no lobby until one of them ends.
func TestMostGamesOfAnEntry(t *testing.T) {
	k := keeper(9, Entry{Name: "a", Lobbies: 1, MaxGames: 2, Maps: maps("x")})
	for id := range uint32(2) {
		open(t, k, id)
		k.Started(id)
	}
	if o, ok := k.Next(evening); ok {
		t.Errorf("%q is wanted beside two games", o.Name)
	}
	k.Ended(0)
	open(t, k, 3)
}

// TestRotationBesideChosenMaps: a map that is chosen for the next lobby neither skips a map of the rotation nor has one
// played twice in a row.
func TestRotationBesideChosenMaps(t *testing.T) {
	for _, tc := range []struct {
		rotation, next, broken, want string
		always                       bool
	}{
		{rotation: "a b", next: "w", want: "w a b a"},
		{rotation: "a b", next: "b", want: "b a b a"},
		{rotation: "a b", next: "a", want: "a b a b"},
		{rotation: "a b c", next: "c", want: "c a b c"},
		{rotation: "a b c", next: "b", want: "b a b c"},
		{rotation: "a b", next: "w", always: true, want: "w w w w"},
		{rotation: "a b c", next: "w", broken: "w", want: "a b c a"},
		{rotation: "a b c", next: "w", broken: "w a", want: "b c b c"},
		{rotation: "a b c", next: "c", broken: "a", want: "c b c b"},
	} {
		k := keeper(9, Entry{Name: "order", Lobbies: 1, MaxGames: 9, Maps: maps(strings.Fields(tc.rotation)...)})
		if _, err := k.SetNext(0, tc.next, tc.always); err != nil {
			t.Fatal(err)
		}
		var played []string
		for id := range uint32(4) {
			o, _ := k.Next(evening)
			intact := slices.DeleteFunc(slices.Clone(o.Maps), func(file string) bool { return slices.Contains(strings.Fields(tc.broken), file) })
			k.Opened(o, id, intact[0])
			played = append(played, intact[0])
			k.Ended(id)
		}
		if got := strings.Join(played, " "); got != tc.want {
			t.Errorf("rotation %s, next %s, broken %q: played %q, want %q", tc.rotation, tc.next, tc.broken, got, tc.want)
		}
	}
}

// TestRotationOfAFolder: maps that are added to a folder or removed from it do not move the rotation.
func TestRotationOfAFolder(t *testing.T) {
	folder := strings.Fields("b d f")
	k := New([]Entry{{Name: "order", Lobbies: 1, MaxGames: 9, Maps: maps("all/")}}, 9, time.Minute, 1,
		func(string) []string { return folder }, func(uint32, string) bool { return true })
	var played []string
	for id, files := range []string{"b d f", "b d f", "a b c d e f", "a b c d f", "a b c", "a b c"} {
		folder = strings.Fields(files)
		played = append(played, open(t, k, uint32(id)).Maps[0])
		k.Ended(uint32(id))
	}
	if got := strings.Join(played, " "); got != "b d e f a b" {
		t.Errorf("played %s", got)
	}
}

// TestClocked: a keeper needs the clock only where time alone opens or closes a lobby.
func TestClocked(t *testing.T) {
	k := keeper(9, Entry{Name: "a", Lobbies: 1, MaxGames: 9, Maps: maps("x")})
	want := func(when string, clocked bool) {
		t.Helper()
		if got := k.Clocked(evening); got != clocked {
			t.Errorf("%s: %v, want %v", when, got, clocked)
		}
	}
	want("at the beginning", false)
	o, _ := k.Next(evening)
	k.Failed(o, evening)
	want("after a failure", true)
	o, ok := k.Next(evening.Add(time.Minute))
	if !ok {
		t.Fatal("no lobby is wanted after the pause")
	}
	k.Opened(o, 1, "x")
	want("with a lobby", false)
	k.Turn(false)
	want("with an unwanted lobby", true)
	k.Configure([]Entry{{Name: "b", Lobbies: 1, MaxGames: 9, Maps: maps("x"), Hours: Hours{{0, day / 2}}}}, 9)
	want("with hours", true)
}
