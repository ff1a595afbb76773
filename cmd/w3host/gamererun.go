package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"w3host/game"
)

const rerunHelp = `w3host game rerun re-executes a game from its journal (see log.keep_journals in the
configuration) and checks that the output is identical to that of the original game.

The exit code is 0 if it is, 1 if not or if the file cannot be read. A fault of the host
at the end of the journal occurs again and is printed.`

func rerunCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "rerun FILE", Short: "re-execute a game from its journal", Long: rerunHelp,
		ValidArgsFunction: completeFiles("journal", "gz"),
	}
	trace := cmd.Flags().Bool("trace", false, "print each input and its output")
	var c call
	check := func() error {
		if len(c.names) != 1 {
			return errors.New("name one journal file")
		}
		return nil
	}
	return c.runs(cmd, check, func() error {
		if err := rerun(c.names[0], *trace, c.stdout); err != nil {
			fmt.Fprintf(c.stderr, "%s: %v\n", cmd.CommandPath(), err) // may contain a stack trace
			return exitCode(exitFailed)
		}
		return nil
	})
}

func rerun(file string, trace bool, stdout io.Writer) (err error) {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := unzipped(f)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	out := bufio.NewWriter(stdout)
	defer func() { err = errors.Join(err, out.Flush()) }()
	inputs := 0
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%s: the same fault occurs at input %d: %v\n%s", file, inputs+1, fault, debug.Stack())
		}
	}()
	result, err := game.RunJournal(r, func(e *game.JournalItem, o *game.Out) {
		if e != nil {
			inputs++
		}
		if trace {
			traceEntry(out, e, o)
		}
	})
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	fmt.Fprintf(out, "%s: game %d %q, map %s, %d inputs in %v: %s\n", file, result.Config.ID, result.Config.Name,
		result.Config.Map.File, result.Inputs, result.Lasted.Round(time.Millisecond), rerunVerdict(&result))
	return nil
}

func rerunVerdict(r *game.Rerun) string {
	switch {
	case r.Checked && !r.Cut:
		return fmt.Sprintf("identical output (checksum %08x)", r.Sum)
	case r.Checked:
		return "identical output up to the last checksum; the journal ends after it without a final one"
	}
	return "the game runs, but the journal ends before its first checksum, so nothing can be compared"
}

// unzipped returns a reader for a journal that may be gzip-compressed. A truncated file ends early.
func unzipped(f *os.File) (io.Reader, error) {
	r := bufio.NewReader(f)
	if head, _ := r.Peek(2); len(head) < 2 || head[0] != 0x1F || head[1] != 0x8B {
		return r, nil
	}
	return gzip.NewReader(r)
}

func traceEntry(w io.Writer, e *game.JournalItem, o *game.Out) {
	if e == nil {
		fmt.Fprintln(w, "opened")
	} else {
		fmt.Fprintf(w, "%v %v, link %d", e.At, e.Input.Kind, e.Input.Link)
		if e.Input.Packet != nil {
			fmt.Fprintf(w, " %v", e.Input.Packet.Op())
		}
		fmt.Fprintln(w)
	}
	for i := range o.Ops {
		op := &o.Ops[i]
		fmt.Fprintf(w, "  %v", op.Kind)
		if op.To != 0 {
			fmt.Fprintf(w, " to %v", op.To)
		}
		if len(op.Frame) > 0 {
			fmt.Fprintf(w, ": % x", op.Frame)
		}
		fmt.Fprintln(w)
	}
	for i := range o.Facts {
		fmt.Fprintf(w, "  fact %d: %T\n", o.Facts[i].Seq, o.Facts[i].Fact)
	}
}
