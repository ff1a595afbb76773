package host

import (
	"time"

	"golang.org/x/time/rate"

	"w3host/w3gs"
)

// meterBurst is how many seconds' worth of packets may come at once: a client
// whose line hung for a while sends everything it has saved up.
const meterBurst = 10

// meter counts a player's packets against a rate. In a lobby acknowledgements
// of map parts come as fast as the line carries the map and are not counted.
type meter struct{ packets *rate.Limiter }

func newMeter(packets int) meter {
	return meter{rate.NewLimiter(rate.Limit(packets), packets*meterBurst)}
}

func (m meter) count(op w3gs.Op, lobby bool, now time.Duration) error {
	if lobby && (op == w3gs.OpMapPartOK || op == w3gs.OpMapSize) || m.packets.AllowN(time.Time{}.Add(now), 1) {
		return nil
	}
	return errFlood
}
