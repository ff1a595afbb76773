package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"w3host/texts"
)

// Page is a kind of page with live updates.
type Page string

// Pages with live updates.
const (
	GamesPage  Page = "games"
	GamePage   Page = "game"
	PublicPage Page = "public"
)

// Topic identifies the stream of patches that an open page receives.
type Topic struct {
	Page     Page
	Game     uint32 // used only by GamePage
	Language texts.Language
	Reader   Reader // used only by GamePage
}

// Reader is the level of detail that the reader of a game's page may see.
type Reader uint8

// Readers, from the least to the most detail.
const (
	Viewers Reader = iota
	Staff          // also chat that not all players receive
	Admins         // also commands and the causes of lost connections, which may contain IP addresses
)

var readers = [...]string{Viewers: "", Staff: ":staff", Admins: ":admin"}

// String returns the topic in the form that ParseTopic reads, such as "game:7:en:staff".
func (t Topic) String() string {
	name := string(t.Page)
	if t.Page == GamePage {
		name += ":" + strconv.Itoa(int(t.Game))
	}
	return name + ":" + t.Language.String() + readers[t.Reader]
}

// ParseTopic parses a topic. It accepts only the exact form that String returns.
func ParseTopic(name string) (t Topic, err error) {
	page, rest, _ := strings.Cut(name, ":")
	if t.Page = Page(page); t.Page == GamePage {
		number, language, _ := strings.Cut(rest, ":")
		id, _ := strconv.ParseUint(number, 10, 32)
		rest, _, _ = strings.Cut(language, ":")
		t.Game, t.Reader = uint32(id), Reader(max(slices.Index(readers[:], language[len(rest):]), 0))
	}
	t.Language, err = texts.ParseLanguage(rest)
	if err != nil || t.String() != name || !slices.Contains([]Page{GamesPage, GamePage, PublicPage}, t.Page) {
		return Topic{}, fmt.Errorf("%q is no topic", name)
	}
	return t, nil
}
