package texts

import (
	"fmt"
	"time"
)

// Clock formats a time in the game as players read it: 8:20, or 1:08:20 from one hour on.
func Clock(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
