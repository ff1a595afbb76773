package texts_test

import (
	"errors"
	"testing"
	"time"

	"w3host/texts"
)

func TestIn(t *testing.T) {
	refusal := texts.Refuse(texts.NotYet, "%s just left: wait %v", "Ann %d", 2)
	for _, tt := range []struct {
		text             texts.Text
		english, chinese string
	}{
		{texts.Of("%s is muted.", "Bob"), "Bob is muted.", "Bob 被禁言。"},
		{texts.Plain("Countdown stopped. 100 %d"), "Countdown stopped. 100 %d", "Countdown stopped. 100 %d"},
		{texts.Known("Countdown stopped."), "Countdown stopped.", "倒计时已停止。"},
		{texts.Known("100 %d"), "100 %d", "100 %d"},
		{texts.From(refusal), "Ann %d just left: wait 2", "Ann %d 刚刚离开：请等待 2"},
		{texts.From(errors.New("EOF")), "EOF", "EOF"},
		{texts.Of("Waiting to start: %v", refusal.Text), "Waiting to start: Ann %d just left: wait 2", "等待开始：Ann %d 刚刚离开：请等待 2"},
		{texts.Join([]texts.Text{texts.Of("team %d", 1), texts.Plain("%")}, " 5 % "), "team 1 5 % %", "队伍 1 5 % %"},
		{texts.Count(1, "%d game", "%d games"), "1 game", "1 局"},
		{texts.If(true, "%s is muted.", "%s can speak again.", "Bob"), "Bob is muted.", "Bob 被禁言。"},
		{texts.If(false, "%s is muted.", "%s can speak again.", "Bob"), "Bob can speak again.", "Bob 可以发言了。"},
		{texts.Count(0, "%d game", "%d games"), "0 games", "0 局"},
		{texts.Text{}, "", ""},
		{texts.Of("%s just left: wait %v", "Ann", 1900*time.Millisecond), "Ann just left: wait 1.9 seconds", "Ann 刚刚离开：请等待 1.9 秒"},
		{texts.Of("%s just left: wait %v", "Ann", 2*time.Second), "Ann just left: wait 2 seconds", "Ann 刚刚离开：请等待 2 秒"},
		{texts.Of("%s just left: wait %v", "Ann", time.Second), "Ann just left: wait 1 second", "Ann 刚刚离开：请等待 1 秒"},
		{texts.Of("%s just left: wait %v", "Ann", time.Minute+14*time.Second), "Ann just left: wait 1 minute 14 seconds", "Ann 刚刚离开：请等待 1 分钟 14 秒"},
		{texts.Of("%s just left: wait %v", "Ann", 25*time.Hour+time.Second), "Ann just left: wait 1 day 1 hour", "Ann 刚刚离开：请等待 1 天 1 小时"},
		{texts.Of("%s just left: wait %v", "Ann", time.Hour+time.Second), "Ann just left: wait 1 hour", "Ann 刚刚离开：请等待 1 小时"},
		{texts.Of("%s just left: wait %v", "Ann", time.Duration(0)), "Ann just left: wait 0 seconds", "Ann 刚刚离开：请等待 0 秒"},
		{texts.Sentence(texts.Of("the lobby is closed")), "The lobby is closed.", "房间已关闭。"},
		{texts.Sentence(texts.From(texts.Refuse(texts.TooLate, "the lobby is closed"))), "The lobby is closed.", "房间已关闭。"},
		{texts.Sentence(texts.From(refusal)), "Ann %d just left: wait 2.", "Ann %d 刚刚离开：请等待 2。"},
		{texts.Sentence(texts.Of("%s just left: wait %v", "ann", 2)), "ann just left: wait 2.", "ann 刚刚离开：请等待 2。"},
		{texts.Sentence(texts.From(errors.New("no map called echo"))), "No map called echo.", "No map called echo。"},
		{texts.Sentence(texts.From(errors.New("a.w3x: no map"))), "a.w3x: no map.", "a.w3x: no map。"},
	} {
		if got := tt.text.String(); got != tt.english {
			t.Errorf("in English: %q, want %q", got, tt.english)
		}
		if got := tt.text.In(texts.Chinese); got != tt.chinese {
			t.Errorf("in Chinese: %q, want %q", got, tt.chinese)
		}
	}
}

func TestParseLanguage(t *testing.T) {
	for tag, want := range map[string]texts.Language{"en": texts.English, " ZH ": texts.Chinese, "zh_CN": texts.Chinese, "en-GB": texts.English} {
		if got, err := texts.ParseLanguage(tag); err != nil || got != want {
			t.Errorf("%q: %v, %v", tag, got, err)
		}
	}
	for _, tag := range []string{"", "de", "zhen", "english"} {
		if _, err := texts.ParseLanguage(tag); err == nil {
			t.Errorf("%q is a language", tag)
		}
	}
}

// What players have typed is quoted as they typed it.
func TestQuotes(t *testing.T) {
	for name, want := range map[string]string{
		`back\slash`: `no map matches "back\slash"`, `a "b" c`: `no map matches "a "b" c"`,
		"中文": `no map matches "中文"`, "a\tb\x00": `no map matches "a b "`,
	} {
		if got := texts.Of("no map matches %q", name).String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := texts.Of("%5s|%-5s|%.2s|%v", "ab", "cd", "efg", "h").String(); got != "   ab|cd   |ef|h" {
		t.Errorf("got %q", got)
	}
}
