package view

import (
	"fmt"
	"slices"
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
	Staff          // and lines to few
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

// ParseTopic reads a topic, in the one way in which String writes it.
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
