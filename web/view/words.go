package view

import (
	"fmt"
	"strconv"
	"time"

	"w3host/game"
	"w3host/texts"
)

// words translates texts into the language of a page.
type words struct{ language texts.Language }

func (w words) of(format string, args ...any) string {
	return texts.Sprintf(w.language, format, args...)
}

func (w words) in(t texts.Text) string { return t.In(w.language) }

// when returns text if the condition is true, and "" otherwise.
func when(condition bool, text string) string {
	if condition {
		return text
	}
	return ""
}

// stages holds the displayed names of the stages of a game.
var stages = [...]texts.Text{
	game.StageLobby: texts.Of("lobby"), game.StageCounting: texts.Of("starts"), game.StageLoading: texts.Of("loading"),
	game.StagePlaying: texts.Of("playing"), game.StageLagging: texts.Of("lagging"),
}

var audiences = [...]texts.Text{
	ToAll: texts.Of("all"), ToAllies: texts.Of("allies"), ToObservers: texts.Of("observers"), ToOne: texts.Of("private"),
	ByHost: texts.Of("as the host"),
}

// millis formats a duration in milliseconds, with one decimal place below 10 ms.
func millis(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if ms < 10 {
		return strconv.FormatFloat(ms, 'f', 1, 64)
	}
	return strconv.FormatFloat(ms, 'f', 0, 64)
}

// FileSize formats a number of bytes as kilobytes or, from a megabyte on, as megabytes.
func FileSize(n uint32) string {
	if n < 1e6 {
		return fmt.Sprintf("%.1f KB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// since formats a time since 1970 in milliseconds. The script of the page shows the time elapsed since then.
func since(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
