package realmtest

import (
	"strings"

	"w3host/protocol/w3gs"
)

// Messages of the server, with {} for each argument as in its message files.
const (
	whereGame    = `{} {} using {} and {} currently in {} game "{}".`
	whereChannel = `{} {} using {} and {} currently in channel "{}".`
	whereNowhere = `{} {} using {}.`
	whereDND     = `{} {} refusing messages ({})`
	whereAway    = `{} away ({})`
	whereUnknown = `Unknown user.`
	whereSeen    = `User was last seen on: {}`
	whereOffline = `User is offline`
	wordIs       = `is`
	wordPrivate  = `private`
	whisperGone  = `That user is not logged on.`
	overQuota    = `Your message quota has been exceeded!`
	tooLong      = `Your line length quota has been exceeded!`
)

// Locales lists the server's locales. Their message files translate the messages of /whereis only in deDE and
// esES; the others use English. Locales with a year are the files shipped in that year. One build answers
// with blank lines in frFR, ruRU and zhCN.
var Locales = []string{
	"bgBG", "csCZ", "deDE", "enUS", "esES", "frFR", "itIT", "jpJA", "koKR", "nlNL", "plPL", "ptBR", "ruRU", "svSE",
	"zhCN", "zhTW", "esES 2014", "frFR 2014", Blank,
}

// Blank is a locale whose messages are all blank lines.
const Blank = "frFR, ruRU and zhCN of a build without their sentences"

// translations holds the messages of the message files by locale and English message.
var translations = map[string]map[string]string{
	"deDE": {
		whereGame:    `{} {} nutzt {} und {} ist momentan im {} Spiel "{}"`,
		whereChannel: `{} {} nutzt {} und {} ist momentan im Kanal "{}"`,
		whereNowhere: `{} {} nutzt {}.`,
		whereDND:     `{} {} lehnt Nachrichten ab ({}).`,
		whereAway:    `{} abwesend ({})`,
		whereUnknown: `Unbekannter Nutzer.`,
		whereSeen:    `Nutzer zuletzt gesehen am: {}`,
		whereOffline: `Nutzer ist offline.`,
		wordIs:       `ist`,
		wordPrivate:  `privat`,
		whisperGone:  `Dieser Nutzer ist nicht eingeloggt.`,
		overQuota:    `Maximale Nachrichtenanzahl überschritten!`,
		tooLong:      `Maximale Eingabelänge überschritten!`,
	},
	"esES": {
		whereGame:    `{} {} usando {} y {} actualmente dentro de {} juego "{}".`,
		whereChannel: `{} {} usando {} y {} actualmente dentro del canal "{}".`,
		whereNowhere: `{} {} usando {}.`,
		whereDND:     `{} {} denegando mensajes ({})`,
		whereAway:    `{} ausente ({})`,
		whereUnknown: `Usuario desconocido.`,
		whereSeen:    `Usuario última vez visto el: {}`,
		whereOffline: `El usuario está desconectado`,
		wordIs:       `está`,
		wordPrivate:  `privado`,
		whisperGone:  `Ese usuario no está conectado.`,
		overQuota:    `¡Su cuota de mensajes ha sido sobrepasada!`,
		tooLong:      `¡Su cuota de longitud de línea ha sido sobrepasada!`,
	},
	"esES 2014": {
		whereGame:    `{} {} está usando {} y {} actualmente dentro de {} juego "{}".`,
		whereChannel: `{} {} está usando {} y {} actualmente dentro del canal "{}".`,
		whereNowhere: `{} {} está usando {}.`,
		whereDND:     `{} {} denegando mensajes ({})`,
		whereAway:    `{} ausente ({}) `,
		whereUnknown: `Usuario desconocido.`,
		whereSeen:    `Usuario última vez viste el: {}`,
		whereOffline: `El usuario está desconectado`,
		wordIs:       `está`,
		wordPrivate:  `privado`,
	},
	"frFR 2014": {
		whereGame:    `{} {} utilisant {} et {} actuellement {} parties "{}".`,
		whereChannel: `{} {} utilisant {} et {} actuellement dans le canal "{}".`,
		whereNowhere: `{} {} utilisant {}.`,
		whereDND:     `{} {} refusant les méssages ({})`,
		whereAway:    `{} absent ({})`,
		whereUnknown: `Utilisateur inconnu.`,
		whereSeen:    `L'utilisateur a été vu la dernière fois le: {}`,
		whereOffline: `L'utilisateur est hors ligne`,
		wordIs:       `est`,
		whisperGone:  `Cet utilisateur n'est pas en ligne.`,
	},
}

// say returns a message in a locale.
func say(locale, sentence string, args ...string) string {
	if locale == Blank {
		return " "
	}
	if there, ok := translations[locale][sentence]; ok {
		sentence = there
	}
	for _, arg := range args {
		sentence = strings.Replace(sentence, "{}", "\x00"+arg+"\x00", 1) // an argument may contain {}
	}
	return strings.ReplaceAll(sentence, "\x00", "")
}

func title(p w3gs.Product) string {
	if p == w3gs.ProductROC {
		return "Warcraft III"
	}
	return "Warcraft III Frozen Throne"
}

// Answer is a possible answer to /whereis.
type Answer struct {
	What  string // description
	Text  string
	Error bool // sent as an error event instead of an info event
}

// Answers lists the possible answers about a user in a locale.
func Answers(locale, name, game, channel string) []Answer {
	is, w3 := say(locale, wordIs), title(w3gs.ProductTFT)
	return []Answer{
		{"in a game", say(locale, whereGame, name, is, w3, is, "", game), false},
		{"in a private game", say(locale, whereGame, name, is, w3, is, say(locale, wordPrivate), game), false},
		{"in a channel", say(locale, whereChannel, name, is, w3, is, channel), false},
		{"in neither", say(locale, whereNowhere, name, is, w3), false},
		{"remark: refuses messages", say(locale, whereDND, name, is, game), false},
		{"remark: away", say(locale, whereAway, name, game), false},
		{"no such account", say(locale, whereUnknown), true},
		{"not logged on", say(locale, whereSeen, "Sun Nov 22 20:00:00"), false},
		{"not logged on", say(locale, whereOffline), false},
	}
}

// where returns the answer to /whereis.
func (s *Server) where(name string) (answer []Answer) {
	u := s.find(name)
	if u == nil {
		if _, ok := s.accounts[strings.ToLower(name)]; ok {
			return []Answer{{"", say(s.locale, whereSeen, "Sun Nov 22 20:00:00"), false}}
		}
		return []Answer{{"", say(s.locale, whereUnknown), true}}
	}
	is := say(s.locale, wordIs)
	text := say(s.locale, whereNowhere, u.name, is, title(u.product))
	switch {
	case u.game != nil:
		private := ""
		if u.game.state == 0x11 {
			private = say(s.locale, wordPrivate)
		}
		text = say(s.locale, whereGame, u.name, is, title(u.product), is, private, u.game.Name)
	case u.channel != "":
		text = say(s.locale, whereChannel, u.name, is, title(u.product), is, u.channel)
	}
	answer = append(answer, Answer{"", text, false})
	switch {
	case u.dnd != "":
		answer = append(answer, Answer{"", say(s.locale, whereDND, u.name, is, u.dnd), false})
	case u.away != "":
		answer = append(answer, Answer{"", say(s.locale, whereAway, u.name, u.away), false})
	}
	return answer
}

// Speak sets the locale of the server's messages.
func (s *Server) Speak(locale string) { s.Locked(func() { s.locale = locale }) }
