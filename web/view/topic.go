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

// Topic is what a page watches.
type Topic struct {
	Page     Page
	Game     uint32 // of GamePage
	Language texts.Language
	Staff    bool // may read what is said to few
}

// String is the topic as ParseTopic reads it: "game:7:en:staff".
func (t Topic) String() string {
	name := string(t.Page)
	if t.Page == GamePage {
		name += ":" + strconv.Itoa(int(t.Game))
	}
	name += ":" + t.Language.String()
	if t.Staff {
		name += ":staff"
	}
	return name
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
	default:
		return bad()
	}
	rest, t.Staff = strings.CutSuffix(rest, ":staff")
	if t.Language, err = texts.ParseLanguage(rest); err != nil || t.String() != name {
		return bad()
	}
	return t, nil
}
