package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"w3host/control"
	"w3host/internal/terminal"
)

const ctlHelp = `w3host ctl gives a command to the host on this machine and prints the answer.
"w3host ctl help" lists the commands; docs/commands.md explains them.

The exit code is 0 when it was done, 1 when it was refused, 2 when no host answers.`

// ctlOptions are the flags of "w3host ctl".
type ctlOptions struct {
	game         uint
	json         bool
	socket, file string
}

func ctlCommand() *cobra.Command {
	var o ctlOptions
	cmd := &cobra.Command{
		Use: `ctl "COMMAND"`, Short: "give a command to the host on this machine", Long: ctlHelp,
		Args: func(_ *cobra.Command, words []string) error {
			if strings.Join(words, "") == "" {
				return usageError{errors.New("the command is missing")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, words []string) error { return o.send(cmd, strings.Join(words, " ")) },
	}
	fs := cmd.Flags()
	fs.UintVar(&o.game, "game", 0, "for lobby or game `N`, as eg N COMMAND")
	fs.BoolVar(&o.json, "json", false, "print a JSON object: lines, refused, and data where the answer lists something")
	fs.StringVar(&o.socket, "socket", "", "the host's socket `FILE`; otherwise the configuration's")
	configFlag(fs, &o.file)
	return cmd
}

// send passes a line to the host and prints the answer.
func (o *ctlOptions) send(cmd *cobra.Command, line string) error {
	if o.socket == "" {
		c, err := settings(o.file)
		if err != nil {
			return err
		}
		o.socket = c.ControlSocket()
	}
	answer, err := control.Send(cmd.Context(), o.socket, control.Order{Command: line, Game: uint32(o.game)})
	if err != nil {
		complain(cmd, err)
		return exitCode(exitUsage)
	}
	if o.json {
		if err := printJSON(cmd.OutOrStdout(), answer); err != nil {
			return err
		}
	}
	switch {
	case o.json && answer.Refused != "":
		return exitCode(exitFailed)
	case answer.Refused != "":
		err = errors.New(answer.Refused)
	}
	if !o.json {
		for _, text := range answer.Lines {
			fmt.Fprintln(cmd.OutOrStdout(), terminal.Printable(text))
		}
	}
	return err
}
