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
	b.WriteString("## Of the host\n\nThese work in every way in. In a lobby or game, a command of the same name above comes first. " +
		"These commands about people\nwork without a game, too: " + strings.Join(commandNames(outside), ", ") + ".\n\n")
	b.WriteString(tableHead)
	rows(&b, commands, false)
	return b.String()
}

const docsHead = `# Commands

A test keeps this page equal to the program's tables of commands (` + "`go generate ./control`" + `).

| way in | how |
|---|---|
| chat of a lobby or game | behind ` + "`lobby.command_trigger`" + `: ` + "`!kick bob`" + ` |
| console: the terminal of a host in the foreground | as it stands; as root |
| ` + "`w3host ctl \"COMMAND\" [--game N] [--json]`" + ` | as root; exit code 0 done, 1 refused, 2 no host answers |
| [web console](web.md), ` + "`/api/v1`" + ` | with the role of the account |
| [realm](realms.md#commands) | whispers to the host's account, or its channel with the trigger |

![A lobby's chat: commands and their answers](pictures/chat.svg)

- A player is named by a part of the name, a slot by its number from 1, a game by the number in ` + "`games`" + `.
- ` + "`help`" + ` lists the groups, ` + "`help votes`" + ` the commands of one, ` + "`help kick`" + ` explains a command with examples.
- ` + "`[commands.NAME]`" + ` in the configuration changes the level and further names of a command.
- Players may give five commands at once, then one every two seconds (` + "`limits.command_burst`" + `); owners and admins as many as they like.
- Answers go to the caller alone. The audit log records each change and each refusal.

![The console of a host: a lobby, and a game of ten players](pictures/console.svg)

**Console.** Tab completes, arrow up goes back. The first Ctrl-C says which games it would end, a second within a minute ends them. ` + "`SIGHUP`" + ` is ` + "`reload`" + `,
` + "`SIGTERM`" + ` stops in order. A host whose terminal is closed stops; [deployment.md](deployment.md) runs one permanently.

**reload** applies the sections lobby, game, votes, autohost, maps, transfer, limits and commands to the next lobby or connection, and names other changed keys, which
need a restart.

**login.** Nobody else reads the line, not even if it is mistyped: the host holds back everything that looks like ` + "`login`" + ` with a password, and tells its sender. Five wrong passwords
for a name from one address cost two minutes, twenty from one address half a minute.

**The host's lines** come from a player with its name or carry ` + "`[name]`" + `. Nobody can join with a name that looks like the host's, and players' lines cannot imitate it.

**Who is spared.** Admins, trusted players, owners named by the configuration or by whoever opened the lobby, and players with a held place are spared ` + "`ping`" + ` with a number,
limits of ping and rating, ` + "`lobby.require_gproxy`" + ` and votes about players. An owner who merely joined first is not, except from ` + "`ping`" + `.

**hold** for ` + "`NAME@REALM`" + ` means that account only. **lock** also keeps out admins who command from elsewhere (` + "`eg`" + `, a realm).

In the tables: "owner" includes admins and root; a comma and a place say where a command works, if not everywhere; further names are behind "also".
`

const tableHead = "| command | who | what it does |\n|---|---|---|\n"

// rows writes a table; the phases are shown where they differ.
func rows[T any](b *strings.Builder, t command.Table[T], phases bool) {
	for _, s := range t {
		who := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(s.Level.String(), "an "), "a "), "the ")
		if s.AskAnyone {
			who += "; to read: anyone"
		}
		if phases && s.Phase != command.Always && s.Phase != command.Anywhere {
			who += ", " + s.Phase.String()
		}
		also := slices.Clone(s.Aliases)
		for _, form := range slices.Sorted(stdmaps.Keys(s.Forms)) {
			also = append(also, strings.TrimSpace(form+" ("+s.Name+" "+strings.TrimSpace(s.Forms[form]))+")")
		}
		help := s.Help
		if also != nil {
			help += "; also " + strings.Join(also, ", ")
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", cell(s.Synopsis()), who, cell(help))
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
