package session

import (
	"slices"
	"strings"

	"w3host/protocol/w3gs"
	"w3host/realm/bncs"
)

// place is the answer in a line of the realm to the question where somebody is.
type place uint8

const (
	another   place = iota // nothing: the line is about something else
	unknown                // something that is not understood, so it proves nothing
	elsewhere              // not in the game
	inGame                 // in a game of the name that was asked for
)

// gameSentence is how a PvPGN server says that somebody is in a game, as its own message
// files have it: behind the name, the title of the player's game, the word for a private
// game or nothing, and the game's name. All translations that the server ships or has
// shipped are here; its other locales answer in English, or in one build with a blank line.
// docs/realm-answers.md lists them.
type gameSentence struct {
	behindName, behindTitle, private, behindPrivate, end string
}

var gameSentences = []gameSentence{
	{" is using ", " and is currently in ", "private", ` game "`, `".`},
	{" ist nutzt ", " und ist ist momentan im ", "privat", ` Spiel "`, `"`},
	{" ist nutzt ", " und ist momentan im ", "privat", ` Spiel "`, `"`},
	{" está usando ", " y está actualmente dentro de ", "privado", ` juego "`, `".`},
	{" está está usando ", " y está actualmente dentro de ", "privado", ` juego "`, `".`},
	{" est utilisant ", " et est actuellement ", "private", ` parties "`, `".`},
}

// The server's titles of the two products, the same in each language.
const (
	titleROC = "Warcraft III"
	titleTFT = "Warcraft III Frozen Throne"
)

// absent are the beginnings of the sentences about somebody who is not logged on. They do
// not say who that is.
var absent = []string{
	"Unknown user.", "User was last seen on", "User is offline",
	"Unbekannter Nutzer.", "Nutzer zuletzt gesehen am: ", "Nutzer ist offline.",
	"Usuario desconocido.", "Usuario última vez vist", "El usuario está desconectado",
	"Utilisateur inconnu.", "L'utilisateur a été vu la dernière fois le: ", "L'utilisateur est hors ligne",
}

// notLoggedOn are the server's answers to a whisper to somebody who has gone.
var notLoggedOn = []string{
	"That user is not logged on.", "Dieser Nutzer ist nicht eingeloggt.", "Ese usuario no está conectado.",
	"Cet utilisateur n'est pas en ligne.",
}

// tooMuch are its answers to a line over the quota.
var tooMuch = []string{
	"Your message quota has been exceeded!", "Maximale Nachrichtenanzahl überschritten!",
	"¡Su cuota de mensajes ha sido sobrepasada!",
}

// remarks are the sentences that may follow the answer, with text of the player's own.
// They answer nothing.
var remarks = []string{
	" is refusing messages (", " away (", " is away (", " is unavailable (",
	" ist lehnt Nachrichten ab (", " abwesend (", " está denegando mensajes (", " ausente (",
	" est refusant les méssages (", " absent (",
}

// read says what a line means for the question whether a name is in a game of a product.
// It compares whole sentences, byte for byte: names of games and channels and remarks are
// text of players, and may hold quotes and pieces of the sentence.
func read(line, name, game string, product w3gs.Product) place {
	switch {
	case strings.TrimSpace(line) == "": // one build has no sentences for some locales
		return unknown
	case begins(line, absent):
		return elsewhere
	}
	if len(line) <= len(name) || !sameName(line[:len(name)], name) || line[len(name)] != ' ' {
		return another
	}
	line = line[len(name):]
	if begins(line, remarks) {
		return another
	}
	title := titleTFT
	if product == w3gs.ProductROC {
		title = titleROC
	}
	understood := false
	for _, s := range gameSentences {
		rest, ok := strings.CutPrefix(line, s.behindName)
		if !ok {
			continue
		}
		understood = true
		for _, private := range []string{"", s.private} {
			if rest == title+s.behindTitle+private+s.behindPrivate+game+s.end {
				return inGame
			}
		}
	}
	if understood {
		return elsewhere
	}
	return unknown
}

func begins(line string, with []string) bool {
	return slices.ContainsFunc(with, func(s string) bool { return strings.HasPrefix(line, s) })
}

// sameName compares as realms do.
func sameName(a, b string) bool { return bncs.LowerASCII(a) == bncs.LowerASCII(b) }
