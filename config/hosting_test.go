package config

import (
	"os"
	"strings"
	"testing"
)

// The configuration of docs/hosting.md is right.
func TestHostingPage(t *testing.T) {
	page, err := os.ReadFile("../docs/hosting.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```toml\n")
	text, _, _ = strings.Cut(text, "```")
	t.Setenv("W3HOST_REALM_HOME_PASSWORD", "secret") // in place of the file
	text = strings.ReplaceAll(text, "password_file = \"realm-password\"\n", "")
	c, err := Load(write(t, text), os.Environ())
	if err == nil {
		err = c.Validate()
	}
	if err != nil || len(c.Entries()) != 3 || len(c.Realms) != 1 {
		t.Errorf("%d entries, %d realms, %v", len(c.Entries()), len(c.Realms), err)
	}
}
