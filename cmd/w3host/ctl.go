package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"w3host/control"
	"w3host/internal/terminal"
)

const ctlHelp = `w3host ctl sends a command to the host on this machine and prints the answer.
"w3host ctl help" lists the commands; docs/commands.md explains them.

The exit code is 0 on success, 1 if the host refused the command, 2 if no host answers.`

// ctlCall holds the flags of one invocation of `w3host ctl`.
type ctlCall struct {
	call
	game         uint32
	socket, file string
}

func ctlCommand() *cobra.Command {
	var c ctlCall
	cmd := &cobra.Command{Use: `ctl "COMMAND"`, Short: "send a command to the host on this machine", Long: ctlHelp}
	fs := cmd.Flags()
	fs.Uint32Var(&c.game, "game", 0, "run the command in lobby or game `N`, like eg N COMMAND")
	c.addJSONFlag(fs, "print a JSON object: lines, refused, and data if the answer is a list")
	fs.StringVar(&c.socket, "socket", "", "control socket `FILE` of the host; otherwise the one of the configuration")
	configFlag(fs, &c.file)
	check := func() error {
		if strings.Join(c.names, "") == "" {
			return errors.New("the command is missing")
		}
		return nil
	}
	return c.runs(cmd, check, c.send)
}

// send sends the command to the host and prints the answer.
func (c *ctlCall) send() error {
	socket, err := controlSocket(c.socket, c.file)
	if err != nil {
		return err
	}
	answer, err := control.Send(c.ctx, socket, control.Order{Command: strings.Join(c.names, " "), Game: c.game})
	if err != nil {
		complain(c.cmd, err)
		return exitCode(exitUsage)
	}
	if c.json {
		err := printJSON(c.stdout, answer)
		if err == nil && answer.Refused != "" {
			err = exitCode(exitFailed) // the JSON contains the reason
		}
		return err
	}
	for _, text := range answer.Lines {
		fmt.Fprintln(c.stdout, terminal.Printable(text))
	}
	if answer.Refused != "" {
		return errors.New(answer.Refused)
	}
	return nil
}

// controlSocket returns the socket path from the --socket flag, or else from the configuration file.
func controlSocket(named, file string) (string, error) {
	if named != "" {
		return named, nil
	}
	c, err := settings(file)
	return c.ControlSocket(), err
}
