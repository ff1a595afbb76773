package view

import (
	"fmt"
	"strconv"
	"strings"

	"w3host/texts"
)

// Page is a kind of page.
type Page string

// Pages that live.
const (
	GamesPage  Page = "games"
	GamePage   Page = "game"
	PublicPage Page = "public"
)

// Topic names the stream that a page watches.
type Topic struct {
	Page     Page
	Game     uint32 // of GamePage
	Language texts.Language
	Reader   Reader // of GamePage
}

// Reader says how much the reader of a game's page may read.
type Reader uint8

// Readers, each of whom reads more than the one before.
const (
	Viewers Reader = iota
	Staff          // and what is said to few
	Admins         // and commands, and why connections broke: both may name addresses
)

var readers = [...]string{Viewers: "", Staff: ":staff", Admins: ":admin"}

// String is the topic as ParseTopic reads it: "game:7:en:staff".
func (t Topic) String() string {
	name := string(t.Page)
	if t.Page == GamePage {
		name += ":" + strconv.Itoa(int(t.Game))
	}
	return name + ":" + t.Language.String() + readers[t.Reader]
}

// ParseTopic reads a topic.
func ParseTopic(name string) (t Topic, err error) {
	bad := func() (Topic, error) { return Topic{}, fmt.Errorf("%q is no topic", name) }
	page, rest, _ := strings.Cut(name, ":")
	switch t.Page = Page(page); t.Page {
	case GamesPage, PublicPage:
	case GamePage:
		number, after, _ := strings.Cut(rest, ":")
		id, err := strconv.ParseUint(number, 10, 32)
		if err != nil {
			return bad()
		}
		t.Game, rest = uint32(id), after
		for r := Staff; r <= Admins && t.Reader == Viewers; r++ {
			if before, is := strings.CutSuffix(rest, readers[r]); is {
				rest, t.Reader = before, r
			}
		}
	default:
		return bad()
	}
	if t.Language, err = texts.ParseLanguage(rest); err != nil || t.String() != name {
		return bad()
	}
	return t, nil
}
