package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"w3host/control/people"
	"w3host/internal/testkit"
	"w3host/internal/tier"
	"w3host/protocol/w3gs"
	"w3host/storage"
)

// reads waits until a client reads a line that holds the text, and returns all
// lines up to it.
func reads(t *testing.T, c *testkit.Client, part string) (lines []string) {
	t.Helper()
	for {
		f, err := c.Take(patience)
		if err != nil {
			t.Fatalf("waiting for %q after %q: %v", part, lines, err)
		}
		var line w3gs.ChatFromHost
		if f.Op() != w3gs.OpChatFromHost || line.Decode(f.Body()) != nil {
			continue
		}
		if lines = append(lines, line.Text); strings.Contains(line.Text, part) {
			return lines
		}
	}
}

// saysUntil repeats a command until the client reads a text: a host hears of an
// admin a moment after the database, and answers commands only so often.
func saysUntil(t *testing.T, c *testkit.Client, command, part string) {
	t.Helper()
	for deadline := time.Now().Add(2 * patience); time.Now().Before(deadline); {
		c.Say(command)
		for {
			f, err := c.Take(500 * time.Millisecond)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			var line w3gs.ChatFromHost
			if f.Op() == w3gs.OpChatFromHost && line.Decode(f.Body()) == nil && strings.Contains(line.Text, part) {
				return
			}
		}
	}
	t.Fatalf("%q does not bring %q", command, part)
}

// An admin with a password commands after a login, and the password is nowhere:
// not in what others read, nor in any file of the host, nor in its log.
func TestLogin(t *testing.T) {
	tier.All(t, "waits for real time")
	t.Parallel()
	const password = "correct horse battery"
	h := startHost(t, "[lobby]\nowner = \"\"\n[log]\nlevel = \"debug\"\nkeep_journals = \"all\"\n")
	db := h.store(t)
	if err := db.AddAdmin(t.Context(), storage.Admin{Name: "Ann", Role: storage.RoleRoot}); err != nil {
		t.Fatal(err)
	}
	hash, err := people.HashPassword(password)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.SetPassword(t.Context(), "ann", hash, "test"); err != nil {
		t.Fatal(err)
	}
	bob := h.dial(t)
	if _, err := bob.Join(1, 0, "Bob"); err != nil {
		t.Fatal(err)
	}
	ann := h.dial(t)
	if _, err := ann.Join(1, 0, "Ann"); err != nil {
		t.Fatal(err)
	}
	ann.Say("!say too early")
	ann.Say("!login")
	reads(t, ann, "The password is missing")
	for _, slip := range []string{"login ", "Login ", "!logn ", "!lgoin  "} {
		ann.Say(slip + password)
		reads(t, ann, "it may contain your password")
	}
	for _, slip := range []string{" !login ", ".login ", "/login ", "-login ", "！login ", "!login\t", "!login　", "!login"} {
		bob.Say(slip + password)
		reads(t, bob, "it may contain your password")
	}
	ann.Say("!login " + password + "x")
	reads(t, ann, "The password is wrong")
	ann.Say("! LOGIN  " + password)
	reads(t, ann, "You are logged in.")
	saysUntil(t, ann, "!checkadmin ann", "Ann (root) after a login")
	ann.Say("!lang zh")
	ann.Say("!login " + password)
	reads(t, ann, "你已登录")
	ann.Say("!start force")
	ann.Say("!say heard")
	for _, line := range reads(t, bob, "heard") {
		if strings.Contains(line, password) || strings.Contains(line, "login") || strings.Contains(line, "too early") {
			t.Errorf("Bob reads %q", line)
		}
	}
	for range 4 {
		ann.Say("!login wrong")
		reads(t, ann, "密码错误")
	}
	ann.Say("!login wrong")
	reads(t, ann, "密码错误次数过多：请等待")
	h.stop()
	root, files := filepath.Dir(h.config), 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if files++; bytes.Contains(bytes.ToLower(text), []byte(password)) {
			t.Errorf("the password is in %s", path)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files in %s: %v", files, root, err)
	}
	if text := h.log.String(); strings.Contains(strings.ToLower(text), password) || !strings.Contains(text, "login") {
		t.Error("the log holds the password, or nothing of the login")
	}
}
