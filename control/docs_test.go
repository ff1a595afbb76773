package control

import (
	"flag"
	"fmt"
	stdmaps "maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"w3host/game"
	"w3host/game/command"
)

//go:generate go test -run TestDocs -update .

// docs/commands.md is what the tables say.
func TestDocs(t *testing.T) {
	const file = "../docs/commands.md"
	if flag.Lookup("update").Value.String() == "true" { // the flag of testkit.Scripts
		if err := os.WriteFile(file, []byte(docs()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != docs() {
		t.Error("docs/commands.md differs from the tables: go generate ./control")
	}
}

// docs is docs/commands.md: all commands, out of their tables.
func docs() string {
	var b strings.Builder
	b.WriteString(docsHead)
	b.WriteString("\n## In lobbies and games\n\n")
	for rest := game.Commands(); len(rest) > 0; {
		n := slices.IndexFunc(rest, func(s command.Spec[*game.Machine]) bool { return s.Group != rest[0].Group })
		if n < 0 {
			n = len(rest)
		}
		b.WriteString("### " + rest[0].Group + "\n\n" + tableHead)
		rows(&b, rest[:n], true)
		b.WriteString("\n")
		rest = rest[n:]
	}
	var outside command.Table[*target]
	for _, s := range everything[len(commands):] {
		if s.Phase.Has(command.Outside) {
			outside = append(outside, s)
		}
	}
	b.WriteString("## Of the host\n\nThese are for every way in. In a lobby or game, a command of the same name above comes first.\n" +
		"Without a game, these about people work, too: " + strings.Join(commandNames(outside), ", ") + ".\n\n")
	b.WriteString(tableHead)
	rows(&b, commands, false)
	return b.String()
}

const docsHead = `# Commands

This page is made from the tables of commands: ` + "`go generate ./control`" + `. A test holds it to them.

Commands come from the chat of lobbies and games (with ` + "`lobby.command_trigger`" + ` before them, ` + "`!`" + ` at first), from the
console of a host in the foreground of a terminal (without a terminal, from lines of standard input), and from
` + "`w3host ctl \"COMMAND\" [--game N] [--json]`" + `, which exits with 0 when it was done, 1 when it was refused and 2 when no host
answers. Console, socket and signals are root.

On a terminal, Tab completes commands, maps, players and games, and lists what is possible where it is not certain; arrow up
goes back; the log appears above the line that is being typed. The first Ctrl-C says which games it would end, a second
within a minute ends them; without games the first stops the host. ` + "`SIGHUP`" + ` is ` + "`reload`" + `, ` + "`SIGTERM`" + ` stops in order at once. A host
whose terminal is closed stops; for one that goes on, see [deployment.md](deployment.md).

` + "`reload`" + ` applies the sections lobby, game, votes, autohost, maps, transfer, limits and commands to what follows, such as the next
lobby or connection, and names each other key that has changed: those take a restart.

The level and further names of a command can be changed with ` + "`[commands.NAME]`" + ` in the configuration. Players may
give five commands at once and then one every two seconds (` + "`limits.command_burst`" + `); owners and admins as many as they like.

` + "`help`" + ` lists the groups below as far as they have commands for the caller, ` + "`help votes`" + ` the commands of one of them,
and ` + "`help kick`" + ` explains a command; the host's commands are the group ` + "`hosting`" + `. On the console ` + "`help`" + ` lists all.

The answer goes to the caller alone. Each change, also a refused one, is recorded with its caller, its target and the reason (` + "`audit`" + ` in the
game log). A player is named by a part of the name, a slot by its number from 1, a game by the number in ` + "`games`" + `.
A question to the database is answered within seconds, or refused.

Nobody else reads ` + "`login`" + ` with its password, in the chat of a LAN lobby or game. A line that may be a mistyped one is held
back as well, with a hint to its sender. Letters count in their plain form (` + "`！ｌｏｇｉｎ`" + `), and any sign before the first of
them as a trigger. So what is held back is ` + "`login`" + ` behind the wrong sign, behind spaces or a tab, or with the password glued
to it; a word behind a sign with up to two wrong letters before 8 letters or more; and ` + "`login`" + ` without a sign before 8
letters or more.

Five wrong passwords for a name from one address, and twenty from one address for all names, have to wait, two minutes for one
and half a minute for the other. When everybody together types more than thirty a minute, players who have typed a wrong one wait.

Lines of the host come from a player with its name or, in a full lobby and in the game, from another player with ` + "`[name]`" + ` before
them. So nobody can join with a name that looks like the host's, whatever signs and letters it is made of, and in what players
write others read no colours, line breaks, invisible characters or rows of spaces, and ` + "`(name?)`" + ` for such a beginning. The game
log keeps what was written.

A locked lobby is closed to admins who command it from elsewhere, by ` + "`eg`" + ` or a realm, too.

A place held for ` + "`NAME@REALM`" + ` is for that account and for nobody of another realm or of the LAN who is called like it. As
many places as the lobby has slots can be held beside those of the configuration.

` + "`ping`" + ` with a number, limits of ping and rating, ` + "`lobby.require_gproxy`" + ` and votes about players spare admins, trusted players, an owner
named in the configuration or by whoever opened the lobby, and players with a place that the configuration or an admin holds. ` + "`ping`" + `
with a number spares every owner and everybody with a held place. A player who owns the lobby by joining it first has to keep the
rules, and can be voted out.
`

const tableHead = "| command | also | who | where | what it does | for example |\n|---|---|---|---|---|---|\n"

// rows writes a table; the phases are shown where they differ.
func rows[T any](b *strings.Builder, t command.Table[T], phases bool) {
	for _, s := range t {
		who := strings.TrimPrefix(strings.TrimPrefix(s.Level.String(), "a "), "the ")
		if s.AskAnyone {
			who += "; anyone without arguments"
		}
		where := "everywhere"
		if phases && s.Phase != command.Always && s.Phase != command.Anywhere {
			where = s.Phase.String()
		}
		also := slices.Clone(s.Aliases)
		for _, form := range slices.Sorted(stdmaps.Keys(s.Forms)) {
			also = append(also, fmt.Sprintf("%s (%s %s)", form, s.Name, s.Forms[form]))
		}
		examples := ""
		if s.Examples != nil {
			examples = "`" + cell(strings.Join(s.Examples, "`, `")) + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s |\n", cell(s.Synopsis()), strings.Join(also, ", "), who, where, cell(s.Help), examples)
	}
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// Every command that docs/compared.md counts as there exists.
func TestComparedIsTrue(t *testing.T) {
	text, err := os.ReadFile("../docs/compared.md")
	if err != nil {
		t.Fatal(err)
	}
	claims := regexp.MustCompile("✓ `([a-z]+)`").FindAllStringSubmatch(string(text), -1)
	for _, claim := range claims {
		if everything.Find(claim[1]).Spec == nil {
			t.Errorf("there is no command %s", claim[1])
		}
	}
	if len(claims) < 60 {
		t.Errorf("only %d commands are claimed", len(claims))
	}
}
