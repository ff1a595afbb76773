package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var (
	codeSpan = regexp.MustCompile("`([^`\n]+)`")
	codeLine = regexp.MustCompile(`(?m)^[ >-]*(?: {4}|\t)(.*)$`)
	usedLine = regexp.MustCompile(`(?:^|bin/|cmd/|[ .][/\\]|\(|-u w3host )w3host((?: +[^ #|>&;()]+)*)`)
	plain    = regexp.MustCompile(`^[a-z]+$`)
	flagName = regexp.MustCompile(`^\[?--([a-z][a-z-]*)`)
)

// TestDocumentsUseRealCommands finds every command line of w3host in the code of the documents, and checks that its command and
// flags exist.
func TestDocumentsUseRealCommands(t *testing.T) {
	root := filepath.Join("..", "..")
	files := []string{"README.md", "CHANGELOG.md", "maps/README.md"}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		files = append(files, "docs/"+filepath.Base(page))
	}
	lines := 0
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		code := append(codeSpan.FindAllStringSubmatch(string(text), -1), codeLine.FindAllStringSubmatch(string(text), -1)...)
		for _, c := range code {
			for _, used := range usedLine.FindAllStringSubmatch(strings.ReplaceAll(c[1], "`", " "), -1) {
				lines++
				if fault := unknownIn(strings.Fields(used[1])); fault != "" {
					t.Errorf("%s: %q: %s", file, strings.TrimSpace(c[1]), fault)
				}
			}
		}
	}
	if lines < 100 {
		t.Errorf("only %d command lines found", lines)
	}
}

// unknownIn returns what is wrong with the arguments of a command line in a document, or "".
func unknownIn(args []string) string {
	cmd := rootCommand()
	cmd.InitDefaultHelpCmd()
	cmd.InitDefaultCompletionCmd()
	descending := true
	for _, arg := range args {
		if name := flagName.FindStringSubmatch(arg); name != nil {
			if cmd.Flag(name[1]) == nil && name[1] != "help" && name[1] != "version" {
				return cmd.CommandPath() + " has no flag --" + name[1]
			}
			descending = false // the next word may be the flag's value
			continue
		}
		if !descending || !plain.MatchString(arg) || !cmd.HasSubCommands() {
			descending = false
			continue
		}
		i := slices.IndexFunc(cmd.Commands(), func(sub *cobra.Command) bool { return sub.Name() == arg || sub.HasAlias(arg) })
		if i < 0 {
			return cmd.CommandPath() + " has no command " + arg
		}
		cmd = cmd.Commands()[i]
	}
	return ""
}
