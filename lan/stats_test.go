package lan

// stats are the counters at one time.
type stats struct{ Searches, Answers, Limited, Malformed, Other uint64 }

func (a *Advertiser) stats() stats {
	c := &a.counts
	return stats{c.searches.Load(), c.answers.Load(), c.limited.Load(), c.malformed.Load(), c.other.Load()}
}
