package session

import (
	"slices"
	"strings"

	"w3host/protocol/w3gs"
	"w3host/realm/bncs"
)

// place is what a line of the realm says about where a player is.
type place uint8

const (
	another   place = iota // the line is about something else
	unknown                // the line is not understood and proves nothing
	elsewhere              // not in the game
	inGame                 // in a game with the requested name
)

// gameSentence is the form of a PvPGN server's answer that a player is in a game, according to the server's message
// files: after the name, the title of the player's product, the word for a private game or nothing, and the game's name.
// It covers all translations that the server ships or has shipped; other locales get English or, in one build, an empty
// line. See docs/realm-answers.md.
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

// The server's titles of the two products, which are the same in all languages.
const (
	titleROC = "Warcraft III"
	titleTFT = "Warcraft III Frozen Throne"
)

// absent lists the beginnings of answers about players who are not logged on. They do not name the player.
var absent = []string{
	"Unknown user.", "User was last seen on", "User is offline",
	"Unbekannter Nutzer.", "Nutzer zuletzt gesehen am: ", "Nutzer ist offline.",
	"Usuario desconocido.", "Usuario última vez vist", "El usuario está desconectado",
	"Utilisateur inconnu.", "L'utilisateur a été vu la dernière fois le: ", "L'utilisateur est hors ligne",
}

// notLoggedOn lists the server's answers to a whisper to a player who has gone.
var notLoggedOn = []string{
	"That user is not logged on.", "Dieser Nutzer ist nicht eingeloggt.", "Ese usuario no está conectado.",
	"Cet utilisateur n'est pas en ligne.",
}

// tooMuch lists the server's answers to a line over the quota.
var tooMuch = []string{
	"Your message quota has been exceeded!", "Maximale Nachrichtenanzahl überschritten!",
	"¡Su cuota de mensajes ha sido sobrepasada!",
}

// remarks lists sentences that can follow the answer and contain text written by the player. They are ignored.
var remarks = []string{
	" is refusing messages (", " away (", " is away (", " is unavailable (",
	" ist lehnt Nachrichten ab (", " abwesend (", " está denegando mensajes (", " ausente (",
	" est refusant les méssages (", " absent (",
}

// parseWhereis parses a line as the answer to the question whether a player is in a game. It compares complete sentences byte by
// byte, because names of games and channels and players' remarks can contain any text, including parts of such
// sentences.
func parseWhereis(line, name, game string, product w3gs.Product) place {
	switch {
	case strings.TrimSpace(line) == "": // one build has no messages for some locales
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

// sameName compares names as realms do.
func sameName(a, b string) bool { return bncs.LowerASCII(a) == bncs.LowerASCII(b) }
