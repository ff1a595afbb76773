package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"w3host/daemon/doctor"
	"w3host/internal/terminal"

	"github.com/spf13/cobra"
)

const doctorHelp = `w3host doctor checks whether this machine can run a host and suggests a remedy for
each fault. It changes nothing, and a host may run meanwhile.

With --realms it also logs on to each [[realm]], lists a lobby there for a moment and
checks which address the realm gives to players. That ends the session of a host that
uses the same account.

The exit code is 0 if there is no fault, 1 if there is one, 2 if the flags make no sense.`

func doctorCommand() *cobra.Command {
	var o serveOptions
	var realms bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "check the configuration, maps, ports and more, and suggest a remedy for each fault", Long: doctorHelp, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return examine(cmd.Context(), &o, realms, cmd.OutOrStdout())
		},
	}
	o.addTo(cmd)
	cmd.Flags().BoolVar(&realms, "realms", false, "log on to each realm and check which address it gives to players")
	return cmd
}

// examine loads the configuration like serve does and reports each of its faults as a finding; then it runs the checks
// with the values that could be read.
func examine(ctx context.Context, o *serveOptions, realms bool, stdout io.Writer) error {
	code := exitOK
	report := func(f doctor.Finding) {
		if f.Remedy == "" {
			fmt.Fprintf(hanging{stdout, 2}, "✓ %s: %s\n", f.What, terminal.Printable(f.Detail))
			return
		}
		code = exitFailed
		fmt.Fprintf(hanging{stdout, 2}, "✗ %s: %s\n", f.What, terminal.Printable(f.Detail))
		fmt.Fprintf(hanging{stdout, 6}, "    → %s\n", terminal.Printable(f.Remedy))
	}
	c, faults := o.load()
	for _, err := range faults.WrappedErrors() {
		report(doctor.Finding{What: "configuration", Detail: err.Error(), Remedy: "correct it; config.toml.example explains every key"})
	}
	if faults.ErrorOrNil() == nil {
		report(doctor.Finding{What: "configuration", Detail: cmp.Or(c.File, "defaults and environment, since there is no config.toml here")})
	}
	if err := doctor.Examine(ctx, c, realms, report); err != nil {
		return exitCode(exitFailed) // interrupted
	}
	return exit(code)
}
