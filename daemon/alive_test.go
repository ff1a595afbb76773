package daemon

import "testing"

func TestOwnAddress(t *testing.T) {
	for listen, want := range map[string]string{
		"0.0.0.0:6112":          "127.0.0.1:6112",
		":6112":                 "127.0.0.1:6112",
		"[::]:6112":             "[::1]:6112",
		"[::ffff:0.0.0.0]:6112": "127.0.0.1:6112",
		"192.0.2.7:7000":        "192.0.2.7:7000",
		"games.example:6112":    "games.example:6112",
	} {
		if got, err := ownAddress(listen); got != want || err != nil {
			t.Errorf("%s: asks %s, %v; want %s", listen, got, err, want)
		}
	}
}
