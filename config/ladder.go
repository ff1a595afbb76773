package config

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Ladder is a [[ladder]] section: a table of ratings on the public site.
type Ladder struct {
	Name    string   `toml:"name"`
	Slug    string   `toml:"slug"` // last part of the address; "": made from the name
	Maps    []string `toml:"maps"` // names of maps, of which all versions count as one; none: all maps
	LAN     bool     `toml:"lan"`
	Carry   int      `toml:"carry_over"` // percent of a rating that players keep for the next season
	Seasons []string `toml:"seasons"`    // such as "2026-10-01 to 2026-12-31"; none: one season without end
}

const ladderSection = "ladder"

// slugs matches valid slugs.
var (
	slugs   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	noSlugs = regexp.MustCompile(`[^a-z0-9]+`)
)

// mostSlug is the maximum length of a slug in bytes.
const mostSlug = 40

// SlugOf makes a slug from a name. It returns "" if the name has no usable letters or digits.
func SlugOf(name string) string {
	slug := strings.Trim(noSlugs.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return strings.Trim(slug[:min(len(slug), mostSlug)], "-")
}

// Path returns the slug, or one made from the name.
func (l *Ladder) Path() string {
	if l.Slug != "" {
		return l.Slug
	}
	return SlugOf(l.Name)
}

// LadderSeason is a season from Begin, inclusive, to End, exclusive. Both are midnight in UTC.
type LadderSeason struct{ Begin, End time.Time }

// Spans parses the seasons. The last day of each belongs to it.
func (l *Ladder) Spans() (list []LadderSeason, err error) {
	var after time.Time
	for _, text := range l.Seasons {
		first, last, _ := strings.Cut(text, " to ")
		begin, err := time.Parse(time.DateOnly, strings.TrimSpace(first))
		end, endErr := time.Parse(time.DateOnly, strings.TrimSpace(last))
		if err != nil || endErr != nil || end.Before(begin) {
			return nil, fmt.Errorf("%q: must be the first and the last day of a season, for example \"2026-10-01 to 2026-12-31\"", text)
		}
		if begin.Before(after) {
			return nil, fmt.Errorf("%q: begins before the season above it has ended; write the seasons in their order", text)
		}
		after = end.AddDate(0, 0, 1)
		list = append(list, LadderSeason{begin, after})
	}
	return list, nil
}

// ladders validates the [[ladder]] sections.
func (v *validator) ladders(c *Config) {
	known := map[string]int{}
	for i := range c.Ladders {
		l := &c.Ladders[i]
		key := func(name string) string { return fmt.Sprintf("ladder %d: %s", i+1, name) }
		v.text(key("name"), l.Name, 1, 60)
		slug := l.Path()
		if !slugs.MatchString(slug) || len(slug) > mostSlug {
			v.fault(key("slug"), fmt.Sprintf("%q", slug), "must be small letters of a to z, digits and single hyphens, 40 at most, such as melee-1v1")
		}
		if other, twice := known[slug]; twice {
			v.fault(key("slug"), fmt.Sprintf("%q", slug), "ladder %d has the same; set another", other)
		}
		known[slug] = i + 1
		v.between(key("carry_over"), l.Carry, 0, 100)
		if l.LAN && !c.Public.LAN {
			v.fault(key("lan"), true, "counts names that no realm has confirmed, which the site shows only with public.lan = true")
		}
		if _, err := l.Spans(); err != nil {
			v.fault(key("seasons"), l.Seasons, "%v", err)
		}
	}
}
