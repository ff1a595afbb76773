package survive

import (
	"testing"
	"time"

	"w3host/game"
	"w3host/hold"
)

// What an action costs more when its game outlives the process.
func BenchmarkInput(b *testing.B) {
	mem := hold.Of(make([]byte, 4096+1<<20))
	in := game.Input{Kind: game.Action, Link: 3, Bytes: 30, Data: make([]byte, 22)}
	for name, held := range map[string]bool{"journal": false, "ledger": true} {
		b.Run(name, func(b *testing.B) {
			l, enc, buf := BeginIn(mem), game.Journal{}, []byte(nil)
			for i := 0; b.Loop(); i++ {
				buf = enc.Append(buf[:0], time.Duration(i)*time.Microsecond, &in)
				if held {
					if l.end > 1<<19 {
						l.end = 0
					}
					l.Input(buf)
					l.Sum(7)
					l.Settled()
				}
			}
		})
	}
}
