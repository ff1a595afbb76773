package texts_test

import (
	"errors"
	"testing"

	"w3host/texts"
)

func TestIn(t *testing.T) {
	refusal := texts.Refuse(texts.NotYet, "%s has just left: wait %v", "Ann %d", 2)
	for _, tt := range []struct {
		text             texts.Text
		english, chinese string
	}{
		{texts.Of("%s is muted.", "Bob"), "Bob is muted.", "Bob 被禁言。"},
		{texts.Plain("Countdown stopped. 100 %d"), "Countdown stopped. 100 %d", "Countdown stopped. 100 %d"},
		{texts.Known("Countdown stopped."), "Countdown stopped.", "倒计时已停止。"},
		{texts.Known("100 %d"), "100 %d", "100 %d"},
		{texts.From(refusal), "Ann %d has just left: wait 2", "Ann %d 刚刚离开：请等待 2"},
		{texts.From(errors.New("EOF")), "EOF", "EOF"},
		{texts.Of("Waiting to start: %v", refusal.Text), "Waiting to start: Ann %d has just left: wait 2", "等待开始：Ann %d 刚刚离开：请等待 2"},
		{texts.Join([]texts.Text{texts.Of("team %d", 1), texts.Plain("%")}, " 5 % "), "team 1 5 % %", "队伍 1 5 % %"},
		{texts.Count(1, "%d game", "%d games"), "1 game", "1 局"},
		{texts.Count(0, "%d game", "%d games"), "0 games", "0 局"},
		{texts.Text{}, "", ""},
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
		`back\slash`: `no map has "back\slash" in its name`, `a "b" c`: `no map has "a "b" c" in its name`,
		"中文": `no map has "中文" in its name`, "a\tb\x00": `no map has "a b " in its name`,
	} {
		if got := texts.Of("no map has %q in its name", name).String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := texts.Of("%5s|%-5s|%.2s|%v", "ab", "cd", "efg", "h").String(); got != "   ab|cd   |ef|h" {
		t.Errorf("got %q", got)
	}
}
