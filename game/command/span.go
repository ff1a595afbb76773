package command

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

const (
	day   = 24 * time.Hour
	month = 30 * day
	year  = 365 * day

	longestSpan = 10 * year
)

// spanUnits are the units of a duration in the singular. A month has 30 days.
var spanUnits = map[string]time.Duration{
	"m": time.Minute, "min": time.Minute, "minute": time.Minute, "h": time.Hour, "hr": time.Hour, "hour": time.Hour,
	"d": day, "day": day, "w": 7 * day, "week": 7 * day, "mo": month, "month": month, "y": year, "yr": year, "year": year,
}

// spanUnit returns the length of a unit in singular or plural, or 0 for other words.
func spanUnit(word string) time.Duration {
	word = strings.ToLower(word)
	if len(word) > 2 {
		word = strings.TrimSuffix(word, "s")
	}
	return spanUnits[word]
}

var (
	errNoSpan  = errors.New("not a duration")
	errTooLong = errors.New("longer than ten years")
)

// ParseSpan parses a duration such as 30m, 1d12h, "7 days" or "1 month", of at most 10 years.
func ParseSpan(text string) (time.Duration, error) {
	span, rest, err := cutSpan(text)
	if err == nil && rest != "" {
		err = errNoSpan
	}
	return span, err
}

// cutSpan parses the duration at the start of text and returns the remaining text.
func cutSpan(text string) (span time.Duration, rest string, err error) {
	part, rest, err := cutSpanWord(text)
	for err == nil {
		if span += part; span > longestSpan {
			return 0, text, errTooLong
		}
		text = rest
		part, rest, err = cutSpanWord(text)
	}
	if span == 0 || errors.Is(err, errTooLong) {
		return 0, text, err
	}
	return span, text, nil
}

// cutSpanWord parses one word such as 1d12h, or a number followed by its unit.
func cutSpanWord(text string) (span time.Duration, rest string, err error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	if next, after, _ := strings.Cut(strings.TrimSpace(rest), " "); spanUnit(next) != 0 && strings.Trim(word, "0123456789") == "" {
		word, rest = word+next, after
	}
	for word != "" {
		letters := strings.TrimLeft(word, "0123456789")
		n, err := strconv.Atoi(word[:len(word)-len(letters)])
		end := strings.IndexAny(letters, "0123456789")
		if end < 0 {
			end = len(letters)
		}
		unit := spanUnit(letters[:end])
		switch {
		case errors.Is(err, strconv.ErrRange) || unit != 0 && n > int((longestSpan-span)/unit):
			return 0, text, errTooLong
		case err != nil || unit == 0:
			return 0, text, errNoSpan
		}
		span, word = span+time.Duration(n)*unit, letters[end:]
	}
	if span == 0 {
		return 0, text, errNoSpan
	}
	return span, strings.TrimSpace(rest), nil
}

// looksLikeSpan reports whether a word starts with a number or is a unit. Such a word must be a duration, so that a
// mistyped one does not become the reason of a permanent ban.
func looksLikeSpan(word string) bool {
	digits := strings.TrimLeft(word, "+-.")
	return digits != "" && digits[0] >= '0' && digits[0] <= '9' || len(word) > 2 && spanUnit(word) != 0
}

// Span consumes the duration that comes next, if there is one, such as 30m, 1d12h or 7 days. A text that looks like a
// duration but is invalid is an error.
func (a *Args) Span() time.Duration {
	text := a.left
	if after, ok := strings.CutPrefix(strings.ToLower(text), "for "); ok && looksLikeSpan(strings.TrimSpace(after)) {
		text = text[len("for "):]
	}
	words := strings.Fields(text)
	if len(words) == 0 || !looksLikeSpan(words[0]) {
		return 0
	}
	span, rest, err := cutSpan(text)
	switch shown := words[0]; {
	case errors.Is(err, errTooLong):
		a.Fail("the longest time is 10 years; leave it out for a permanent ban")
	case err != nil:
		if strings.Trim(shown, "0123456789") == "" && len(words) > 1 {
			shown += " " + words[1]
		}
		a.Fail("%q is not a time such as 30m, 12h, 7d, 2 weeks or 1 month (a reason that begins with a number goes in quotes)", shown)
	default:
		a.left = rest
	}
	return span
}

// Reason returns all remaining words, without quotes around them.
func (a *Args) Reason() string {
	text := a.Rest()
	if inner := strings.Trim(text, `"`); len(inner) == len(text)-2 && !strings.Contains(inner, `"`) {
		return inner
	}
	return text
}
