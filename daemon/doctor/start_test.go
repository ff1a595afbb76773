package doctor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"w3host/config"
)

// TestUnstartable: the doctor warns of an entry whose lobbies nobody can start, and of no other.
func TestUnstartable(t *testing.T) {
	for text, want := range map[string]bool{
		"[lobby]\nautostart = -1\n[[autohost]]\nname = \"dota\"":                                      true,
		"[lobby]\nautostart = -1\n[[autohost]]\nname = \"dota\"\nowner = \"Bob\"":                     false,
		"[lobby]\nautostart = -1\nowner = \"first\"\n[[autohost]]\nname = \"dota\"":                   false,
		"[lobby]\nautostart = -1\n[[autohost]]\nname = \"dota\"\nautostart = 10":                      false,
		"[lobby]\nautostart = -1\n[[autohost]]\nname = \"dota\"\nstart_after = \"1m\"\nmin_players=2": false,
	} {
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		warned := false
		_ = Examine(ctx, c, false, func(f Finding) {
			if f.What == `start of "dota"` {
				warned = strings.Contains(f.Remedy, "autostart")
			}
			if f.What == "maps folder" { // the checks of entries are done
				stop()
			}
		})
		stop()
		if warned != want {
			t.Errorf("%s\nwarned: %v, want %v", text, warned, want)
		}
	}
}
