package w3gs

import (
	"fmt"
	"testing"
)

// Clients of 1.26 and 1.29 send the same to share with a player: the number of the slot, not of the colour.
func TestShareUnits(t *testing.T) {
	if got := fmt.Sprintf("% x", ShareUnits(5)); got != "50 05 7f 04 00 00" {
		t.Error(got)
	}
}
