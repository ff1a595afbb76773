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
	game         uint32
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
	fs.Uint32Var(&o.game, "game", 0, "for lobby or game `N`, as eg N COMMAND")
	fs.BoolVar(&o.json, "json", false, "print a JSON object: lines, refused, and data where the answer lists something")
	fs.StringVar(&o.socket, "socket", "", "the host's socket `FILE`; otherwise the configuration's")
	configFlag(fs, &o.file)
	return cmd
}

// send passes a line to the host and prints the answer.
func (o *ctlOptions) send(cmd *cobra.Command, line string) error {
	socket, err := controlSocket(o.socket, o.file)
	if err != nil {
		return err
	}
	answer, err := control.Send(cmd.Context(), socket, control.Order{Command: line, Game: o.game})
	if err != nil {
		complain(cmd, err)
		return exitCode(exitUsage)
	}
	if o.json {
		err := printJSON(cmd.OutOrStdout(), answer)
		if err == nil && answer.Refused != "" {
			err = exitCode(exitFailed) // the answer says why
		}
		return err
	}
	for _, text := range answer.Lines {
		fmt.Fprintln(cmd.OutOrStdout(), terminal.Printable(text))
	}
	if answer.Refused != "" {
		return errors.New(answer.Refused)
	}
	return nil
}

// controlSocket is the socket that is named, or else that of the configuration in a file.
func controlSocket(named, file string) (string, error) {
	if named != "" {
		return named, nil
	}
	c, err := settings(file)
	return c.ControlSocket(), err
}
