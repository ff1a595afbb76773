package people

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"w3host/game/command"
	"w3host/storage"
	"w3host/storage/storagetest"
	"w3host/texts"
)

// today is a day, with an hour behind it.
var today = regexp.MustCompile(`20\d\d-\d\d-\d\d( \d\d:\d\d)?`)

// twoGames is a database with a game of Ann and Bob, and one of Ann.
func twoGames(t *testing.T) *storage.Store {
	t.Helper()
	db := storagetest.Open(t, storagetest.SQLite(t))
	day := time.Date(2026, 11, 20, 14, 5, 6, 0, time.UTC)
	played := func(names ...string) {
		k := storage.NewGameKey()
		records := []storage.Record{storage.GameCreated{Game: k, At: day, Map: storage.MapID{Name: "DotA"}}}
		var slots []storage.StartedSlot
		for i, name := range names {
			pid := uint8(i + 1)
			records = append(records, storage.PlayerJoined{Game: k, At: day, PID: pid, Name: name})
			slots = append(slots, storage.StartedSlot{Slot: uint8(i), PID: pid, Team: uint8(i), Name: name, Occupant: storage.OccupantPlayer})
		}
		records = append(records, storage.GameStarted{Game: k, At: day, Slots: slots},
			storage.PlayerResult{Game: k, At: day, Source: storage.SourceDotA, PID: 1, Name: "kills", Value: "3"},
			storage.GameEnded{Game: k, At: day, How: storage.EndFinished})
		apply(t, db, records...)
	}
	played("Ann", "Bob")
	played("Ann")
	return db
}

// apply stores records, as those of a host of their own.
func apply(t *testing.T, db *storage.Store, records ...storage.Record) {
	t.Helper()
	batch := storage.Batch{HostID: storage.NewGameKey().String(), Run: storage.NewGameKey().String()}
	for i, r := range records {
		batch.Records = append(batch.Records, storage.SequencedRecord{Seq: uint64(i + 1), Record: r})
	}
	if err := db.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
}

// TestTexts has every answer in both languages, in the singular and the plural.
func TestTexts(t *testing.T) {
	db := twoGames(t)
	rule := func() Warnings { return Warnings{Most: 2, Within: time.Hour, Ban: 24 * time.Hour} }
	ask := func(l texts.Language, line string) string {
		what, name, _ := strings.Cut(line, " ")
		name, from, _ := strings.Cut(name, " from ")
		name, why, _ := strings.Cut(name, ": ")
		text, err := Directory{DB: db, Rule: rule}.Ask(t.Context(), command.Query{What: what, Name: name, From: from, Reason: why, By: "Root", Language: l})
		text = today.ReplaceAllString(text, "DAY")
		if err != nil {
			text = "refused: " + texts.From(err).In(l)
		}
		return text
	}
	for _, tt := range []struct{ line, english, chinese string }{
		{"stats Zoe", "Zoe has not played here yet.", "Zoe 还没有在这里玩过。"},
		{
			"stats bob", "Bob: 1 game, 0 won, 0 lost, 0 drawn, left 0 early, dropped 0 times, ping 0 ms, last game DAY.",
			"Bob：共 1 局，胜 0，负 0，平 0，提前离开 0 次，掉线 0 次，延迟 0 毫秒，最近一局 DAY。",
		},
		{
			"stats ann", "Ann: 2 games, 0 won, 0 lost, 0 drawn, left 0 early, dropped 0 times, ping 0 ms, last game DAY.",
			"Ann：共 2 局，胜 0，负 0，平 0，提前离开 0 次，掉线 0 次，延迟 0 毫秒，最近一局 DAY。",
		},
		{"lastgame Zoe", "Zoe has not played here yet.", "Zoe 还没有在这里玩过。"},
		{
			"lastgame bob", "bob played DotA last, on DAY UTC, for 0 seconds.\nNo result: Ann, Bob.",
			"bob 最近一局是 DotA，DAY UTC，时长 0 秒。\n没有结果：Ann, Bob。",
		},
		{"rank Ann", "Ann has no rating on this map yet.", "Ann 在这张地图上还没有评分。"},
		{"statsdota ann", "Ann in 2 games of DotA, on average: kills 3.0.", "Ann 的 DotA 战绩（2 局），平均：kills 3.0。"},
		{"statsdota Bob", "Bob has not played DotA here.", "Bob 没有在这里玩过 DotA。"},
		{"alts Ann", "No other names were seen from Ann's addresses.", "Ann 的地址没有出现过其他名字。"},
		{"bans", "There are no bans.", "没有封禁。"},
		{"ban Bob", "Bob is banned permanently.", "refused: Bob 已经被封禁"},
		{"unban Zoe", "refused: Zoe is not banned. Type bans for a list", "refused: Zoe 没有被封禁：输入 bans 查看封禁列表"},
		{"ban 0.0.0.0/0", "refused: 0.0.0.0/0 covers a large part of the internet: use w3host ban add --yes to confirm", "refused: 0.0.0.0/0 涵盖了互联网的很大一部分：如果确实要这样，请用 w3host ban add --yes"},
		{"remarks Eve", "There are no warnings or notes about Eve.", "没有关于 Eve 的警告或备注。"},
		{"warn Eve: rude", "Eve is warned (1 of 2 before a ban).", "Eve 被警告并封禁（第 2 次，共 2 次），至 DAY UTC。"},
		{"warn Fay: rude", "Fay is warned (1 of 2 before a ban).", "Fay 被警告并封禁（第 2 次，共 2 次），至 DAY UTC。"},
		{"unwarn Fay", "refused: Fay has no warning that counts", "refused: Fay 没有有效的警告"},
		{"warn Gus: rude", "Gus is warned (1 of 2 before a ban).", "Gus 被警告并封禁（第 2 次，共 2 次），至 DAY UTC。"},
		{"warn Gus: again", "Gus is warned (1 of 2 before a ban).", "Gus 被警告并封禁（第 2 次，共 2 次），至 DAY UTC。"},
		{"note Hal: friend of Eve", "The note about Hal is saved.", "已记下关于 Hal 的备注。"},
		{"remarks hal", "DAY, note by Root: friend of Eve\nDAY, note by Root: friend of Eve", "DAY，Root 的备注：friend of Eve\nDAY，Root 的备注：friend of Eve"},
		{"remarks eve", "DAY, warned by Root (no longer counts): rude\nDAY, warned by Root (no longer counts): rude", "DAY，Root 的警告（已失效）：rude\nDAY，Root 的警告（已失效）：rude"},
		{"warn Ida: rude", "Ida is warned (1 of 2 before a ban).", "Ida 被警告并封禁（第 2 次，共 2 次），至 DAY UTC。"},
		{"unban Ida", "No longer banned: Ida.", "refused: Ida 没有被封禁：输入 bans 查看封禁列表"},
		{"warn Ida: once more", "Ida is warned (1 of 2 before a ban).", "Ida 被警告并封禁（第 2 次，共 2 次），至 DAY UTC。"},
		{"checkban Zoe", "Zoe is not banned.", "Zoe 没有被封禁。"},
		{"admins", "There are no admins.", "没有管理员。"},
		{"checkadmin Ann", "Ann is not an admin.", "Ann 不是管理员。"},
		{"addadmin Ann", "Ann is now an admin (admin).", "refused: Ann 已经是管理员（管理员）"},
		{"addadmin Ann from 10.0.0.0/8", "Ann from 10.0.0.0/8 is now an admin (admin).", "refused: Ann from 10.0.0.0/8 已经是管理员（管理员）"},
		{"addadmin 192.168.1.0/24", "192.168.1.0/24 is now an admin (admin).", "refused: 192.168.1.0/24 已经是管理员（管理员）"},
		{"addadmin Ann from home", `refused: "home" is not an address or a network: write it like 192.0.2.1 or 192.0.2.0/24`, `refused: "home" 不是地址也不是网段：请写成 192.0.2.1 或 192.0.2.0/24`},
		{
			"admins", "Admins: everyone from 192.168.1.0/24 (admin), Ann (admin), Ann (admin) from 10.0.0.0/8.",
			"管理员：来自 192.168.1.0/24 的所有人（管理员）, Ann（管理员）, Ann（管理员），来自 10.0.0.0/8。",
		},
		{"trusted", "Nobody is trusted.", "没有受信任的玩家。"},
		{"trust Ann", "refused: Ann is trusted already, or an admin", "refused: Ann 已经受信任，或是管理员"},
		{"trust Zoe@Home", "Zoe@Home is now trusted.", "refused: Zoe@Home 已经受信任，或是管理员"},
		{"trust 10.1.0.0/16", "10.1.0.0/16 is now trusted.", "refused: 10.1.0.0/16 已经受信任，或是管理员"},
		{"trust 0.0.0.0/1", "refused: 0.0.0.0/1 covers a large part of the internet: use w3host admin add --yes to confirm", "refused: 0.0.0.0/1 涵盖了互联网的很大一部分：如果确实要这样，请用 w3host admin add --yes"},
		{"trusted", "Trusted: everyone from 10.1.0.0/16, Zoe@home.", "受信任：来自 10.1.0.0/16 的所有人, Zoe@home。"},
		{"checkadmin Zoe", "Trusted: Zoe@home.", "受信任：Zoe@home。"},
		{"untrust Ann", "refused: Ann is not trusted. Type trusted for a list", "refused: Ann 不受信任：输入 trusted 查看列表"},
		{"untrust zoe", "refused: zoe is not trusted. Type trusted for a list", "refused: zoe 不受信任：输入 trusted 查看列表"},
		{"untrust zoe@home", "zoe@home is no longer trusted.", "refused: zoe@home 不受信任：输入 trusted 查看列表"},
		{"deladmin Zoe", "refused: Zoe is not an admin. Type admins for a list", "refused: Zoe 不是管理员：输入 admins 查看列表"},
		{"deladmin Ann", "Ann is no longer an admin.", "refused: Ann 不是管理员：输入 admins 查看列表"},
		{"lang Ann", "The host now talks to you in English.", "主机现在用中文与你交流。"},
	} {
		if got := ask(texts.English, tt.line); got != tt.english {
			t.Errorf("%s: %q, want %q", tt.line, got, tt.english)
		}
		if got := ask(texts.Chinese, tt.line); got != tt.chinese {
			t.Errorf("%s: %q, want %q", tt.line, got, tt.chinese)
		}
	}
	if l, found, err := (Directory{DB: db}).Language(t.Context(), "ann"); err != nil || !found || l != texts.Chinese {
		t.Errorf("the language of Ann: %v, %v, %v", l, found, err)
	}
}

func TestPassword(t *testing.T) {
	for _, bad := range []string{"", "short", " begins with a space", strings.Repeat("x", maxPassword+1), "密码密码"} {
		if hash, err := HashPassword(bad); err == nil {
			t.Errorf("%q is taken: %s", bad, hash)
		}
	}
}
