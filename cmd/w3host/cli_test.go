package main

import (
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"w3host/config"
)

// everyCommand visits the commands with sub-commands, completion and help included.
func everyCommand(t *testing.T, visit func(cmd *cobra.Command, path []string)) {
	t.Helper()
	root := rootCommand()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		visit(cmd, strings.Fields(cmd.CommandPath())[1:])
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

var cliDocs = flag.String("cli-docs", "", "write a page and a man page of each command into this `folder`")

// TestCLIDocs makes the pages and man pages of a release: each command has both.
func TestCLIDocs(t *testing.T) {
	dir := cmp.Or(*cliDocs, t.TempDir())
	manual := filepath.Join(dir, "man")
	if err := os.MkdirAll(manual, 0o755); err != nil {
		t.Fatal(err)
	}
	root := rootCommand()
	root.Version = "" // changes with each build
	root.DisableAutoGenTag = true
	root.InitDefaultCompletionCmd()
	t.Setenv("SOURCE_DATE_EPOCH", "0") // man pages have a date
	if err := doc.GenMarkdownTree(root, dir); err != nil {
		t.Fatal(err)
	}
	if err := doc.GenManTree(root, &doc.GenManHeader{Source: "w3host", Manual: "w3host"}, manual); err != nil {
		t.Fatal(err)
	}
	everyCommand(t, func(cmd *cobra.Command, path []string) {
		if cmd.Name() == "help" {
			return
		}
		name := append([]string{"w3host"}, path...)
		for _, file := range []string{strings.Join(name, "_") + ".md", "man/" + strings.Join(name, "-") + ".1"} {
			if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.Contains(string(text), cmd.Short) {
				t.Errorf("%s does not say what the command does: %v", file, err)
			}
		}
	})
}

func TestHelpOfEveryCommand(t *testing.T) {
	names := regexp.MustCompile(`\[W3HOST_(\w+)\]`)
	everyCommand(t, func(cmd *cobra.Command, path []string) {
		code, stdout, stderr := shell(t, append(path, "--help")...)
		if code != exitOK || !strings.Contains(stdout, "Usage:") || stderr != "" {
			t.Errorf("%q --help exits with %d and prints %q, %q", path, code, stdout, stderr)
		}
		if cmd.HasParent() && !cmd.Parent().HasParent() {
			if code, stdout, _ := shell(t, "help"); code != exitOK || !strings.Contains(stdout, "\n  "+cmd.Name()+" ") {
				t.Errorf("help does not name %s, or exits with %d", cmd.Name(), code)
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%q: --%s has no help", path, f.Name)
			}
			for _, found := range names.FindAllStringSubmatch(f.Usage, -1) {
				if found[1] != "CONFIG" && !slices.ContainsFunc(config.Keys(), func(key string) bool { return config.EnvName(key) == "W3HOST_"+found[1] }) {
					t.Errorf("%q: --%s names W3HOST_%s, which is no setting", path, f.Name, found[1])
				}
			}
		})
	})
}

func TestVersion(t *testing.T) {
	want := "w3host " + programVersion() + "\n"
	for _, args := range []string{"version", "--version"} {
		if code, stdout, _ := shell(t, args); code != exitOK || stdout != want {
			t.Errorf("%s exits with %d and prints %q", args, code, stdout)
		}
	}
}

// What is mistyped is named, with what was probably meant.
func TestMistyped(t *testing.T) {
	for line, want := range map[string]string{
		"sevre":                        `w3host: unknown command "sevre"; did you mean serve? (see `,
		"dance":                        `w3host: unknown command "dance" (see `,
		"prune":                        `w3host: unknown command "prune"; did you mean db prune? (see `,
		"games --limit 3":              `w3host: unknown command "games"; did you mean game list? (see `,
		"play example.org":             `w3host: unknown command "play"; did you mean lan play? (see `,
		"hold --latency 80ms":          `w3host: unknown command "hold"; did you mean serve? (see `,
		"--pid-file x":                 `w3host: --pid-file needs --supervise (see `,
		"serve --fdstore x":            `w3host serve: --fdstore needs --supervise (see `,
		"serve --supervise a.w3z":      `w3host serve: --supervise cannot host a saved game`,
		"fdstore":                      `w3host fdstore: missing argument: the path of the socket (see `,
		"unban Bob":                    `w3host: unknown command "unban"; did you mean ban remove? (see `,
		"game last":                    `w3host game: unknown command "last": use list, show or rerun (see `,
		"game list --limmit 3":         "w3host game list: unknown flag --limmit; did you mean --limit? (see ",
		"game list --limit":            "w3host game list: --limit needs a value (see ",
		"game list --limit=many":       "w3host game list: --limit=many: write a whole number (see ",
		"lan list --timeout=":          "w3host lan list: --timeout=: write a time such as 500ms, 30s or 5m (see ",
		"ctl --game -1 say":            "w3host ctl: --game=-1: write a whole number, 0 or more (see ",
		"ctl --game 4294967297 unhost": "w3host ctl: --game=4294967297: the maximum is 4294967295 (see ",
		"lan lst":                      `w3host lan: unknown command "lst": use list, relay, play or watch (see `,
		"--latency fast":               `--latency=fast: `,
		"--lan=perhaps":                `--lan=perhaps: write true or false`,
	} {
		code, stdout, stderr := shell(t, strings.Fields(line)...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("w3host %s exits with %d and prints %q, %q; want %q", line, code, stdout, stderr, want)
		}
	}
}

// A flag may stand before the sub-command that it belongs to, a long one needs both dashes.
func TestFlagsBeforeCommands(t *testing.T) {
	if code, stdout, stderr := shell(t, "db", "migrate", "--json", "--database", "sqlite:"+t.TempDir()+"/x.db", "up"); code != exitOK {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	code, _, stderr := shell(t, "serve", "-listen", ":1")
	if code != exitUsage || !strings.Contains(stderr, "unknown flag -listen; did you mean --listen?") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// Each shell has a script, which asks the program what fits.
func TestCompletion(t *testing.T) {
	for _, name := range []string{"bash", "zsh", "fish", "powershell"} {
		if code, stdout, _ := shell(t, "completion", name); code != exitOK || !strings.Contains(stdout, "__complete") {
			t.Errorf("completion %s exits with %d: %q", name, code, stdout)
		}
	}
	for want, words := range map[string][]string{
		"replay":  {"re"},
		"--limit": {"game", "list", "--li"},
		"warn":    {"serve", "--log-level", "wa"},
		"root":    {"admin", "add", "--role", ""},
		"relay":   {"lan", ""},
		"w3g":     {"replay", "info", ""},
	} {
		if code, stdout, _ := shell(t, append([]string{"__complete"}, words...)...); code != exitOK || !strings.Contains(stdout, want) {
			t.Errorf("%q completes to %q, want %s", words, stdout, want)
		}
	}
}
