package texts

import (
	"fmt"
	"slices"
	"strings"
)

// Language is one that players can read the host in.
type Language uint8

// Languages.
const (
	English Language = iota
	Chinese          // simplified
)

// tags are the names of the languages, after BCP 47.
var tags = [...]string{English: "en", Chinese: "zh"}

var catalogues = [...]map[string]string{Chinese: chinese()}

// Tags lists the names of all.
func Tags() string { return strings.Join(tags[:], ", ") }

// ParseLanguage reads the name of a language. A region behind it, as in zh-CN, is
// ignored.
func ParseLanguage(tag string) (Language, error) {
	name, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(tag)), "_", "-"), "-")
	if i := slices.Index(tags[:], name); i >= 0 {
		return Language(i), nil
	}
	return English, Of("the language %q is not available. Choose one of %s", tag, Tags())
}

// String is the name.
func (l Language) String() string {
	if int(l) < len(tags) {
		return tags[l]
	}
	return fmt.Sprintf("language %d", uint8(l))
}

// Own returns the language's name for itself.
func (l Language) Own() string { return [...]string{English: "English", Chinese: "中文"}[l] }

// MarshalText is the name.
func (l Language) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads a name.
func (l *Language) UnmarshalText(text []byte) (err error) {
	*l, err = ParseLanguage(string(text))
	return err
}
