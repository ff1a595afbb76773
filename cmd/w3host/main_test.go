package main

import (
	"path/filepath"
	"strings"
	"testing"

	"w3host/internal/testkit"
	"w3host/storage"
)

func shell(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs testkit.Log // bots log from many goroutines
	code = run(t.Context(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// Every command finds the database where serve does: flag over environment
// over file.
func TestCommandsFindTheDatabase(t *testing.T) {
	dir := t.TempDir()
	url := func(name string) string { return "sqlite:" + filepath.Join(dir, name) }
	for _, name := range []string{"file", "environment", "flag"} {
		db, err := storage.Open(t.Context(), url(name), storage.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.AddBan(t.Context(), storage.Ban{Name: "of-the-" + name}); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	good, bad := filepath.Join(dir, "good.toml"), filepath.Join(dir, "bad.toml")
	for path, text := range map[string]string{
		good: "[database]\nurl = '" + url("file") + "'\n",
		bad:  "[database]\nurll = ''\n[game]\nlatency = 5\n",
	} {
		write(t, path, text)
	}
	expect := func(want string, args ...string) {
		t.Helper()
		code, stdout, stderr := shell(t, append([]string{"ban", "list"}, args...)...)
		if code != exitOK || !strings.Contains(stdout, want) {
			t.Errorf("w3host ban list %q exits with %d and prints %q, %q; want %s", args, code, stdout, stderr, want)
		}
	}
	expect("of-the-file", "--config", good)
	t.Setenv("W3HOST_CONFIG", good)
	expect("of-the-file")
	t.Setenv("W3HOST_DATABASE_URL", url("environment"))
	expect("of-the-environment")
	expect("of-the-flag", "--database", url("flag"))
	expect("of-the-flag", "--database", url("flag"), "--config", bad)

	code, _, stderr := shell(t, "ban", "list", "--config", bad)
	if code != exitUsage || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "database.urll") || !strings.Contains(stderr, "game.latency") {
		t.Errorf("with a broken file: exit %d: %q", code, stderr)
	}
}
