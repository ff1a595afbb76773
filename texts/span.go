package texts

import "time"

// span formats a duration in words: its two largest units, or tenths of a second below ten seconds.
func span(d time.Duration) Text {
	if d < 10*time.Second && d%time.Second != 0 {
		return Of("%.1f seconds", d.Seconds())
	}
	var parts []Text
	for _, unit := range []struct {
		length time.Duration
		count  func(n int) Text
	}{
		{24 * time.Hour, func(n int) Text { return Count(n, "%d day", "%d days") }},
		{time.Hour, func(n int) Text { return Count(n, "%d hour", "%d hours") }},
		{time.Minute, func(n int) Text { return Count(n, "%d minute", "%d minutes") }},
		{time.Second, seconds},
	} {
		n := int(d / unit.length)
		d %= unit.length
		if n > 0 {
			parts = append(parts, unit.count(n))
		}
		if len(parts) == 2 || len(parts) == 1 && n == 0 {
			break
		}
	}
	if parts == nil {
		return seconds(0)
	}
	return Join(parts, " ")
}

func seconds(n int) Text { return Count(n, "%d second", "%d seconds") }
