package texts

import (
	"fmt"
	"slices"
	"strings"
)

// Language is a language in which the host can talk to players.
type Language uint8

// The languages of the host.
const (
	English Language = iota
	Chinese          // simplified Chinese
)

// tags are the BCP 47 tags of the languages.
var tags = [...]string{English: "en", Chinese: "zh"}

var catalogues = [...]map[string]string{Chinese: chinese()}

// Tags returns the tags of all languages, separated by commas.
func Tags() string { return strings.Join(tags[:], ", ") }

// ParseLanguage parses a language tag. It ignores case and a region, as in zh-CN. Its error can be shown to players.
func ParseLanguage(tag string) (Language, error) {
	name, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(tag)), "_", "-"), "-")
	if i := slices.Index(tags[:], name); i >= 0 {
		return Language(i), nil
	}
	return English, Of("the language %q is not available. Choose one of %s", tag, Tags())
}

// String returns the language's tag.
func (l Language) String() string {
	if int(l) < len(tags) {
		return tags[l]
	}
	return fmt.Sprintf("language %d", uint8(l))
}

// Own returns the language's name in the language itself.
func (l Language) Own() string { return [...]string{English: "English", Chinese: "中文"}[l] }

// MarshalText returns the language's tag.
func (l Language) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText parses a language tag.
func (l *Language) UnmarshalText(text []byte) (err error) {
	*l, err = ParseLanguage(string(text))
	return err
}
