package pages

import (
	"regexp"
	"testing"
)

var (
	listRole = regexp.MustCompile(`<(?:ol|ul)\b[^>]*\brole="[^"]*"[^>]*>`)
	logoLink = regexp.MustCompile(`<a class="logo"[^>]*>`)
	named    = regexp.MustCompile(`\baria-label="[^"]+"`)
)

// Lists keep the role of a list, without which their items have no meaning (axe: listitem), and the link of the logo has a
// name where its text is hidden (axe: link-name).
func TestAccessible(t *testing.T) {
	s := newSite(t, "Ann")
	for _, path := range everyPage {
		body := s.get(path).Body.String()
		if tag := listRole.FindString(body); tag != "" {
			t.Errorf("%s: the list %s has another role", path, tag)
		}
		for _, tag := range logoLink.FindAllString(body, -1) {
			if !named.MatchString(tag) {
				t.Errorf("%s: the link %s has no name on a narrow screen", path, tag)
			}
		}
	}
}
