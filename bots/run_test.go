package bots

import (
	"hash/crc32"
	"testing"
	"time"
)

func crcOf(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

func runBots(t *testing.T, h *fakeHost, opts Options) Report {
	t.Helper()
	opts.Addr = h.addr
	opts.Players = h.players
	if opts.LoadTime == 0 {
		opts.LoadTime = 50 * time.Millisecond
	}
	if opts.Play == 0 {
		opts.Play = time.Second
	}
	if opts.Patience == 0 {
		opts.Patience = 10 * time.Second
	}
	report, err := Run(t.Context(), opts)
	if err != nil {
		t.Errorf("Run: %v", err)
	}
	return report
}

func TestGame(t *testing.T) {
	h := startFakeHost(t, &fakeHost{players: 4})
	r := runBots(t, h, Options{Actions: 20})
	t.Logf("%+v", r)
	for _, f := range r.Faults {
		t.Error(f)
	}
	if !r.OK {
		t.Error("not OK")
	}
}
