package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"w3host/config"
	"w3host/daemon/logging"
	"w3host/internal/terminal"
	"w3host/lan/play"
	"w3host/texts"
)

const lanPlayHelp = `w3host lan play shows the lobbies of a host on the Internet in the LAN game list of this
machine and of others on its network. Keep it running while you play: the game's connection
goes through it, and it reconnects after a network failure. No port has to be opened.

HOST is a name or an address, with :PORT if it is not 6112.`

// lanPlayCall holds the flags of `w3host lan play`.
type lanPlayCall struct {
	call
	onlyHere, debug bool
	language        string
}

func lanPlayCommand() *cobra.Command {
	var c lanPlayCall
	cmd := &cobra.Command{Use: "play HOST[:PORT]", Short: "play on a host on the Internet as if it were in the LAN", Long: lanPlayHelp}
	fs := cmd.Flags()
	fs.BoolVar(&c.onlyHere, "only-here", false, "show the lobbies only on this machine, not on its network")
	fs.StringVar(&c.language, "language", "", "`LANGUAGE` of the messages: en or zh; otherwise that of LANG")
	fs.BoolVar(&c.debug, "debug", false, "also log network events")
	return c.runs(cmd, func() error { return c.one("the name or address of the host") }, c.run)
}

func (c *lanPlayCall) run() error {
	language, err := texts.ParseLanguage(c.language)
	if c.language == "" {
		language, _ = texts.ParseLanguage(os.Getenv("LANG"))
	} else if err != nil {
		return usageError{err}
	}
	log := zerolog.Nop()
	if c.debug {
		log = logging.New(config.Log{Level: "debug"}, c.stderr)
	}
	var mu sync.Mutex
	return play.Run(c.ctx, play.Options{Host: withPort(c.names[0]), OnlyHere: c.onlyHere, Log: log, Say: func(t texts.Text) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(c.stdout, "%s  %s\n", time.Now().Format(time.TimeOnly), terminal.Printable(t.In(language)))
	}})
}
