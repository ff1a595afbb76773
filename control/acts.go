package control

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"

	"w3host/game/command"
	"w3host/host"
	"w3host/lan"
	"w3host/texts"
)

// chatItems is the maximum number of items of a list shown in chat, where lines are short and few.
const chatItems = 10

// answerList answers with a list: one line per item on a terminal, one line for all items in chat.
func (d *target) answerList(c *call, items []texts.Text) {
	if d.trigger(c.Caller) == "" {
		for _, item := range items {
			c.Answer(item.In(c.Language))
		}
		return
	}
	if more := len(items) - chatItems; more > 0 {
		items = append(items[:chatItems], texts.Of("and %d more", more))
	}
	c.Answer(texts.Join(items, "; ").In(c.Language))
}

// trigger returns the prefix of commands for this caller: empty on the console and the control socket.
func (d *target) trigger(by *command.Caller) string {
	if !by.Via.Chat() {
		return ""
	}
	return d.opts.Trigger
}

func playerCount(n int) texts.Text { return texts.Count(n, "%d player", "%d players") }

// Describe returns the line of a lobby or game in a list.
func Describe(i *host.Info) texts.Text {
	state := texts.Of("lobby, %d of %d", i.Counts.Players(), i.Counts.Total)
	if i.Playing {
		state = texts.Of("game, %v, %v", playerCount(len(i.Players)), time.Since(i.Since).Round(time.Second))
	}
	if n := i.Watching(); n > 0 {
		state = texts.Of("%v, %v", state, texts.Count(n, "%d spectator", "%d spectators"))
	}
	text := texts.Of("#%d %q: %v, %s", i.ID, i.Name, state, i.Map)
	switch {
	case i.Apart:
		text = texts.Of("%v, in the old process", text)
	case !i.Public && !i.Playing:
		text = texts.Of("%v, not listed", text)
	}
	return text
}

func games(d *target, c *call) error {
	var items []texts.Text
	hidden, shown := 0, []Game{}
	for _, i := range d.host().Infos() {
		switch {
		case c.Level >= command.Admin || i.Public && !i.Playing:
			items = append(items, Describe(&i))
			shown = append(shown, GameOf(&i, d.opts.Seen(i.ID), c.Level >= command.Admin))
		case i.Playing:
			hidden++
		}
	}
	c.Give(func() any { return shown })
	if hidden > 0 {
		items = append(items, texts.Of("games running: %d", hidden))
	}
	if items == nil {
		items = append(items, texts.Of("No lobby is open and no game is running."))
	}
	d.answerList(c, items)
	d.gamesElsewhere(c)
	return nil
}

func oneGame(host int, id uint32) act {
	return func(d *target, c *call) error {
		if here, err := d.here(host, func() { d.gameElsewhere(c, host, id) }); !here {
			return err
		}
		i := d.host().Info(id)
		if i.ID == 0 {
			return noGame(id)
		}
		c.Give(func() any { return GameOf(&i, d.opts.Seen(i.ID), c.Level >= command.Admin) })
		answerGame(c, Describe(&i), namesOf(i))
		return nil
	}
}

// answerGame answers with a lobby or game and its players.
func answerGame(c *call, line texts.Text, players []string) {
	c.Answer(line.In(c.Language))
	if players != nil {
		answer(c, "Players: %s", strings.Join(players, ", "))
	}
}

// inGame runs a command in another lobby or game, in which the caller has no seat.
func inGame(host int, id uint32, line string) act {
	return func(d *target, c *call) error {
		plain := strings.TrimPrefix(line, d.opts.Trigger)
		if here, err := d.here(host, func() { d.pass(c, host, id, plain) }); !here {
			return err
		}
		by := *c.Caller
		by.PID = 0
		d.handle(request{by: &by, game: id, line: plain})
		return nil
	}
}

func unhost(id uint32) act {
	return func(d *target, c *call) error {
		i := d.host().Info(id)
		switch {
		case i.ID == 0:
			return noGame(id)
		case c.Level < command.Admin && !slices.Contains(d.owned, id):
			return cannot("lobby #%d is not yours", id)
		case d.host().EndApart(id):
			c.Target = i.Name
			answer(c, "The old process will end game #%d.", id)
			return nil
		case i.Playing || !d.host().CloseLobby(id, c.Name):
			return cannot("game #%d is already running: use eg %[1]d end to end it", id)
		}
		c.Target = i.Name
		answer(c, "Lobby #%d is closed.", id)
		return nil
	}
}

func unhostOnly(d *target, c *call) error {
	id, err := d.onlyLobby("unhost <id>")
	if err != nil {
		return err
	}
	return unhost(id)(d, c)
}

// onlyLobby returns the only open lobby, or the caller's only lobby, for commands that name none. how tells the caller
// how to name one; it is part of the error if there are several.
func (d *target) onlyLobby(how string) (uint32, error) {
	open := d.owned
	if open == nil {
		for _, i := range d.host().Infos() {
			if !i.Playing {
				open = append(open, i.ID)
			}
		}
	}
	switch len(open) {
	case 1:
		return open[0], nil
	case 0:
		return 0, cannot("no lobby is open")
	}
	return 0, cannot("%d lobbies are open: say which one with %s", len(open), how)
}

// lobby returns the lobby that the caller is in or has named with eg, otherwise onlyLobby.
func (d *target) lobby(how string) (uint32, error) {
	if d.id != 0 {
		return d.id, nil
	}
	return d.onlyLobby(how)
}

// realms implements the command "realms".
func realms(d *target, c *call) error {
	if d.opts.Realms == nil {
		return cannot("there is no [[realm]] in the configuration")
	}
	online := d.opts.Realms.Online()
	var lines []texts.Text
	values := []Realm{}
	for _, name := range d.opts.Realms.Names() {
		value, line := Realm{Name: name, Online: online[name]}, texts.Of("%s: logged on", name)
		if at := d.opts.Realms.SeenAt(name); at.IsValid() {
			value.SeenAt, line = at.String(), texts.Of("%s: logged on, players are sent to %v", name, at)
		}
		if !value.Online {
			line = texts.Of("%s: not logged on", name)
		}
		values, lines = append(values, value), append(lines, line)
	}
	c.Give(func() any { return values })
	d.answerList(c, lines)
	return nil
}

// sendLAN parses the arguments of the command "sendlan": an address and a port.
func sendLAN(a *args) act {
	text, port := a.Word("address"), lan.DefaultPort
	addr, err := netip.ParseAddr(text)
	if err != nil || !addr.Is4() || addr.IsUnspecified() || addr.IsMulticast() {
		a.Fail("%q is not the address of a player: use four numbers, like 10.8.0.5", text)
	}
	if !a.Empty() {
		port = a.Number("port", 1, 65535)
	}
	to := netip.AddrPortFrom(addr, uint16(port))
	return func(d *target, c *call) error {
		id, err := d.lobby("eg <id> sendlan <address>")
		if err != nil {
			return err
		}
		if d.opts.LAN == nil {
			return cannot("this host announces nothing on the LAN: set lan.enabled")
		}
		switch err := d.opts.LAN.ShowTo(id, to); {
		case errors.Is(err, lan.ErrNotListed):
			return cannot("lobby #%d is not in the list of games: it is private, or its game has started", id)
		case errors.Is(err, lan.ErrMulticast):
			return cannot("players of 1.30 to 2.0 find games by multicast alone: they can use w3host lan play")
		case err != nil:
			return cannot("lobby #%d is already announced to the maximum number of addresses", id)
		}
		answer(c, "Lobby #%d is announced to %v.", id, to)
		return nil
	}
}

// confirm implements the command "sc", which confirms that a name in a lobby belongs to a realm account. The code is
// shown in the lobby and whispered on the realm, or the other way round.
func confirm(code string) act {
	return func(d *target, c *call) error {
		switch {
		case c.Via == command.ViaChannel:
			return cannot("Please whisper it: everybody reads what is said in a channel.")
		case c.Via == command.ViaWhisper && c.Realm != "":
			return confirmAccount(d, c, code)
		case c.PID == 0 || d.game == nil:
			return cannot("Type sc in the lobby, or whisper it to the host's account on your realm.")
		}
		if err := d.game.Redeem(c.PID, c.Name, code); err != nil || code == "" {
			return err
		}
		answer(c, "Thank you, %s.", c.Name)
		return nil
	}
}

func confirmAccount(d *target, c *call, code string) error {
	if code == "" {
		if code = d.host().CodeFor(c.Realm, c.Name); code == "" {
			return cannot("Too many codes are in use. Please try again in a few minutes.")
		}
		answer(c, "Type this in the lobby within five minutes: %ssc %s", d.opts.Trigger, code)
		return nil
	}
	if !d.host().Prove(c.Realm, c.Name, code) {
		return cannot("Nobody under your name was shown this code. If you are in the lobby, type %ssc there to see yours.", d.opts.Trigger)
	}
	answer(c, "Thank you, %s.", c.Name)
	return nil
}

func maps(pattern string) act {
	return func(d *target, c *call) error {
		files, err := d.opts.Maps.List(pattern)
		if err != nil {
			return err
		}
		switch {
		case len(files) > 0:
		case pattern == "":
			return cannot("there are no maps")
		default:
			return cannot("no map matches %q", pattern)
		}
		c.Give(func() any { return files })
		items := make([]texts.Text, len(files))
		for i, file := range files {
			items[i] = texts.Plain(file)
		}
		d.answerList(c, items)
		return nil
	}
}
