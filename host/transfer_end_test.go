package host_test

import (
	"testing"
	"time"

	"w3host/protocol/w3gs"
)

// TestTransferEndsWithTheLobby: nothing of the map comes behind the packet that
// ends a player's stay in the lobby, though parts of it wait for the socket.
func TestTransferEndsWithTheLobby(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  w3gs.Op
		do   func(f, owner *fetcher)
	}{
		{"leaves", w3gs.OpLeaveAck, func(f, _ *fetcher) { f.must(f.Tell(&w3gs.LeaveGame{Reason: w3gs.LeaveLobby})) }},
		{"is kicked", w3gs.OpKickPlayer, func(_, owner *fetcher) { owner.Say("!kick guest") }},
		{"the game starts", w3gs.OpCountdownStart, func(_, owner *fetcher) { owner.Say("!start now") }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newTransferRig(t, 4<<20, nil)
			owner := r.fetcher(t, "owner").haveAll()
			f := r.fetcher(t, "guest").have(0)
			f.hear(30*time.Second, func() bool { return f.file.Len() > 1<<20 })
			tc.do(f, owner)
			f.hear(30*time.Second, func() bool { return f.last == tc.end })
			had := f.file.Len()
			f.idle(200 * time.Millisecond)
			if more := f.file.Len() - had; more > 0 {
				t.Errorf("%d bytes of the map came behind %v", more, tc.end)
			}
		})
	}
}
