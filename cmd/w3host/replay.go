package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"w3host/formats/replay"
)

// replayCall holds the flags of the sub-commands of `w3host replay`.
type replayCall struct {
	call

	svg      string
	output   string
	keepChat bool
}

func replayCommand() *cobra.Command {
	c := &replayCall{}
	cmd := &cobra.Command{
		Use: "replay", Short: "read, check, repair and draw recorded games",
		Long: "w3host replay reads recorded games (.w3g) of 1.00 to 2.0.",
	}
	verb := func(use, short string, most int, do func() error) *cobra.Command {
		return c.runs(&cobra.Command{Use: use, Short: short, ValidArgsFunction: completeFiles("w3g", "part")}, func() error {
			switch {
			case len(c.names) == 0:
				return errors.New("name a replay file (.w3g)")
			case len(c.names) > most:
				return fmt.Errorf("this command accepts one replay, not %d", len(c.names))
			}
			return nil
		}, do)
	}
	info := verb("info FILE...", "show players, settings, chat and results", math.MaxInt, c.info)
	c.addJSONFlag(info.Flags(), "print JSON: one object for one file, an array for several")
	info.Flags().StringVar(&c.svg, "svg", "", "draw the game's timeline into an SVG `FILE`")
	verify := verb("verify FILE...", "check all checksums, lengths and records", math.MaxInt, c.verify)
	actions := verb("actions FILE", "list the actions, chat lines and leaves with their times", 1, c.actions)
	repair := verb("repair FILE", "repair a truncated file in place", 1, c.repair)
	repair.Flags().StringVar(&c.output, "output", "", "write to this `FILE`, which must not exist")
	anonymise := verb("anonymise FILE --output FILE", "remove names and chat", 1, c.anonymise)
	anonymise.Flags().StringVar(&c.output, "output", "", "write to this `FILE`, which must not exist")
	anonymise.Flags().BoolVar(&c.keepChat, "keep-chat", false, "keep the chat")
	return group(cmd, info, verify, actions, repair, anonymise)
}

// readReplay opens a replay and reads its header. The caller closes the file.
func readReplay(name string) (*replay.Reader, *os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, plainError(err)
	}
	if stat, err := f.Stat(); err == nil && stat.IsDir() {
		f.Close()
		return nil, nil, errors.New("this is a folder, not a replay")
	}
	r, err := replay.NewReader(f)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return r, f, nil
}

func (c *replayCall) verify() error {
	return c.each(func(name string) error {
		r, f, err := readReplay(name)
		if err != nil {
			return err
		}
		findings := replay.Verify(r)
		f.Close()
		broken := slices.ContainsFunc(findings, func(f replay.Finding) bool { return f.Fault })
		fmt.Fprintf(c.stdout, "%s: %s\n", name, either(broken, "BROKEN", "good"))
		for _, finding := range findings {
			fmt.Fprintf(c.stdout, "  %s: %s\n", either(finding.Fault, "fault", "note"), finding.Text)
		}
		return exit(either(broken, exitFailed, exitOK))
	})
}
