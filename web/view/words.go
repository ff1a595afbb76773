package view

import (
	"fmt"
	"strconv"
	"time"

	"w3host/game"
	"w3host/texts"
)

// words are those of a page's language.
type words struct{ language texts.Language }

func (w words) of(format string, args ...any) string {
	return texts.Sprintf(w.language, format, args...)
}

func (w words) in(t texts.Text) string { return t.In(w.language) }

// when returns a text that is shown under a condition only.
func when(condition bool, text string) string {
	if condition {
		return text
	}
	return ""
}

// stages are the words of pages for the stages of a game.
var stages = [...]texts.Text{
	game.StageLobby: texts.Of("lobby"), game.StageCounting: texts.Of("starts"), game.StageLoading: texts.Of("loading"),
	game.StagePlaying: texts.Of("playing"), game.StageLagging: texts.Of("lagging"),
}

var audiences = [...]texts.Text{
	ToAll: texts.Of("all"), ToAllies: texts.Of("allies"), ToObservers: texts.Of("observers"), ToOne: texts.Of("private"),
	ByHost: texts.Of("as the host"),
}

// millis is a short time in milliseconds, with one place where that says something.
func millis(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if ms < 10 {
		return strconv.FormatFloat(ms, 'f', 1, 64)
	}
	return strconv.FormatFloat(ms, 'f', 0, 64)
}

// Megabytes is the size of a map.
func Megabytes(n uint32) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// since is a time since 1970 for clocks that a page runs.
func since(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
