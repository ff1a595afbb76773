package access

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	"w3host/internal/password"
)

// SessionFor is the maximum lifetime of a session, however often it is used.
const SessionFor = 30 * 24 * time.Hour

const (
	linkFor     = 10 * time.Minute
	sessionIdle = 12 * time.Hour
	// seenEvery is the minimum interval between updates of a session's Seen time in the file.
	seenEvery = 10 * time.Minute

	maxPassword = 256 // bytes
	tokenPrefix = "w3h_"
)

var (
	// ErrNotFound means that the account, token, session or link does not exist.
	ErrNotFound = errors.New("not found")
	// ErrWrong means that the name is unknown or the password does not match.
	ErrWrong = errors.New("name or password is wrong")
	// ErrSpent means that a one-time link was used before or has expired.
	ErrSpent = errors.New("this link was used before, or is older than ten minutes: w3host web link prints another")
)

// byLink is the identity of all visitors who logged in with a one-time link. No account can have
// this name.
var byLink = Identity{Name: "(link)", Role: Root, Via: "web"}

var goodName = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,39}$`)

// IsName reports whether name is a valid name for an account or token.
func IsName(name string) bool { return goodName.MatchString(name) }

func checkName(name string) error {
	if !IsName(name) {
		return fmt.Errorf("%q cannot be a name: up to 40 letters, digits, spaces and . _ @ -, a letter or digit first", name)
	}
	return nil
}

// Identity is an authenticated user of the web console or API.
type Identity struct {
	Name string // of the account or token; "(link)" for a visitor who came by one
	Role Role
	Via  string // "web", or "api" with a token
}

func (s state) clone() state {
	return state{slices.Clone(s.Accounts), slices.Clone(s.Tokens), slices.Clone(s.Sessions), slices.Clone(s.Links)}
}

func (s *state) account(name string) int {
	return slices.IndexFunc(s.Accounts, func(a Account) bool { return strings.EqualFold(a.Name, name) })
}

// shown returns a copy of a list with the hashes removed.
func shown[T any](list []T, hash func(*T) *string) []T {
	list = append([]T{}, list...)
	for i := range list {
		*hash(&list[i]) = ""
	}
	return list
}

// without removes the items for which gone returns true. If there are none, it returns an error
// that wraps ErrNotFound and begins with sentence.
func without[T any](list *[]T, gone func(T) bool, sentence string) error {
	n := len(*list)
	if *list = slices.DeleteFunc(*list, gone); len(*list) == n {
		return fmt.Errorf("%s: %w", sentence, ErrNotFound)
	}
	return nil
}

// Accounts returns all accounts, without password hashes.
func (s *Store) Accounts() ([]Account, error) {
	now, err := s.read()
	return shown(now.Accounts, func(a *Account) *string { return &a.Hash }), err
}

// SetAccount creates an account, or changes its role and password. An empty text keeps the
// password. A new password ends all sessions of the account.
func (s *Store) SetAccount(name string, role Role, text string, now time.Time) error {
	if err := checkName(name); err != nil {
		return err
	}
	if len(text) > maxPassword {
		return fmt.Errorf("the password is too long: %d bytes at most", maxPassword)
	}
	hash := ""
	if text != "" {
		var err error
		if hash, err = password.Hash(text); err != nil {
			return err
		}
	}
	return s.change(func(st *state) error {
		i := st.account(name)
		switch {
		case i < 0 && hash == "":
			return fmt.Errorf("no account %s: %w; a new one needs a password", name, ErrNotFound)
		case i < 0 && len(st.Accounts) >= maxAccounts:
			return fmt.Errorf("there are %d accounts, which is the most", maxAccounts)
		case i < 0:
			st.Accounts = append(st.Accounts, Account{Name: name, Role: role, Hash: hash, Made: now})
			return nil
		}
		st.Accounts[i].Role = role
		if hash != "" { // a person who knew the old one is out
			st.Accounts[i].Hash = hash
			_ = st.endSessions(name) // if there are any
		}
		return nil
	})
}

func (s *state) endSessions(account string) error {
	return without(&s.Sessions, func(o Session) bool { return strings.EqualFold(o.Account, account) }, account+" is not logged in")
}

// Sessions returns all valid sessions, without hashes.
func (s *Store) Sessions(now time.Time) ([]Session, error) {
	st, err := s.read()
	list := shown(st.Sessions, func(o *Session) *string { return &o.Hash })
	return slices.DeleteFunc(list, func(o Session) bool { return o.over(now) }), err
}

// EndSessions ends all sessions of an account, or those of all visitors by link for the name
// "(link)".
func (s *Store) EndSessions(account string) error {
	return s.change(func(st *state) error { return st.endSessions(account) })
}

// RemoveAccount removes an account and ends its sessions.
func (s *Store) RemoveAccount(name string) error {
	return s.change(func(st *state) error {
		_ = st.endSessions(name) // if there are any
		return without(&st.Accounts, func(a Account) bool { return strings.EqualFold(a.Name, name) }, "no account "+name)
	})
}

// Check verifies name and password. It takes the same time for an unknown name, so that names
// cannot be guessed.
func (s *Store) Check(name, text string) (Identity, error) {
	now, err := s.read()
	if err != nil {
		return Identity{}, err
	}
	i, hash := now.account(name), password.Dummy
	if i >= 0 {
		hash = now.Accounts[i].Hash
	}
	if len(text) > maxPassword {
		text = ""
	}
	ok, err := password.Matches(hash, text)
	switch {
	case err != nil:
		return Identity{}, err
	case !ok || i < 0:
		return Identity{}, ErrWrong
	}
	return Identity{Name: now.Accounts[i].Name, Role: now.Accounts[i].Role, Via: "web"}, nil
}

// AddLink creates a login code that works once, within linkFor.
func (s *Store) AddLink(now time.Time) (code string, err error) {
	code = rand.Text()
	return code, s.change(func(st *state) error {
		st.Links = slices.DeleteFunc(st.Links, func(l link) bool { return now.After(l.Expires) })
		st.Links = st.Links[max(len(st.Links)-maxLinks+1, 0):]
		st.Links = append(st.Links, link{Hash: hashOf(code), Expires: now.Add(linkFor)})
		return nil
	})
}

// RedeemCode uses up a login code and returns the identity of its bearer.
func (s *Store) RedeemCode(code string, now time.Time) (Identity, error) {
	known := func(l link) bool { return l.Hash == hashOf(code) && now.Before(l.Expires) }
	// A wrong code is refused without writing to the file, because anybody can try.
	if st, err := s.read(); err != nil || !slices.ContainsFunc(st.Links, known) {
		return Identity{}, errors.Join(err, ErrSpent)
	}
	return byLink, s.change(func(st *state) error {
		i := slices.IndexFunc(st.Links, known)
		if i < 0 {
			return ErrSpent
		}
		st.Links = slices.Delete(st.Links, i, i+1)
		return nil
	})
}

// NewSession opens a session for an identity that has been verified, and returns its id for the
// cookie. The oldest session of the account makes room beyond maxSessions.
func (s *Store) NewSession(who Identity, now time.Time) (id string, err error) {
	id = rand.Text()
	o := Session{Hash: hashOf(id), Account: who.Name, Made: now, Seen: now}
	return id, s.change(func(st *state) error {
		st.Sessions = slices.DeleteFunc(st.Sessions, func(o Session) bool { return o.over(now) })
		st.Sessions = append(st.Sessions, o)
		surplus := -maxSessions
		for _, other := range st.Sessions {
			if other.Account == o.Account {
				surplus++
			}
		}
		st.Sessions = slices.DeleteFunc(st.Sessions, func(other Session) bool {
			if other.Account != o.Account || surplus <= 0 {
				return false
			}
			surplus--
			return true
		})
		return nil
	})
}

func (o *Session) over(now time.Time) bool {
	return now.Sub(o.Seen) > sessionIdle || now.Sub(o.Made) > SessionFor
}

// Session returns the identity of a session, or false if it is unknown or expired.
func (s *Store) Session(id string, now time.Time) (Identity, bool) {
	st, err := s.read()
	if err != nil || id == "" {
		return Identity{}, false
	}
	same := func(o Session) bool { return o.Hash == hashOf(id) }
	i := slices.IndexFunc(st.Sessions, same)
	if i < 0 || st.Sessions[i].over(now) {
		return Identity{}, false
	}
	o := st.Sessions[i]
	who := byLink
	if o.Account != byLink.Name {
		a := st.account(o.Account)
		if a < 0 {
			return Identity{}, false
		}
		who.Name, who.Role = st.Accounts[a].Name, st.Accounts[a].Role
	}
	if now.Sub(o.Seen) > seenEvery {
		_ = s.change(func(st *state) error { // a full disk ends no session
			if i := slices.IndexFunc(st.Sessions, same); i >= 0 {
				st.Sessions[i].Seen = now
			}
			return nil
		})
	}
	return who, true
}

// End ends a session.
func (s *Store) End(id string) error {
	return s.change(func(st *state) error {
		st.Sessions = slices.DeleteFunc(st.Sessions, func(o Session) bool { return o.Hash == hashOf(id) })
		return nil
	})
}

// Tokens returns all tokens, without hashes.
func (s *Store) Tokens() ([]Token, error) {
	now, err := s.read()
	return shown(now.Tokens, func(t *Token) *string { return &t.Hash }), err
}

// AddToken creates a token and returns its text, of which only a hash is stored.
func (s *Store) AddToken(t Token) (text string, err error) {
	if err := checkName(t.Name); err != nil {
		return "", err
	}
	text = tokenPrefix + rand.Text()
	t.Hash = hashOf(text)
	return text, s.change(func(st *state) error {
		switch {
		case slices.ContainsFunc(st.Tokens, func(o Token) bool { return strings.EqualFold(o.Name, t.Name) }):
			return fmt.Errorf("there is a token %s already: remove it first, or take another name", t.Name)
		case len(st.Tokens) >= maxTokens:
			return fmt.Errorf("there are %d tokens, which is the most", maxTokens)
		}
		st.Tokens = append(st.Tokens, t)
		return nil
	})
}

// RemoveToken removes a token.
func (s *Store) RemoveToken(name string) error {
	return s.change(func(st *state) error {
		return without(&st.Tokens, func(t Token) bool { return strings.EqualFold(t.Name, name) }, "no token "+name)
	})
}

// Token returns the identity of a token, or false if it is unknown, expired or not valid for the
// address.
func (s *Store) Token(text string, from netip.Addr, now time.Time) (Identity, bool) {
	st, err := s.read()
	if err != nil || !strings.HasPrefix(text, tokenPrefix) {
		return Identity{}, false
	}
	i := slices.IndexFunc(st.Tokens, func(t Token) bool { return t.Hash == hashOf(text) })
	if i < 0 {
		return Identity{}, false
	}
	t := st.Tokens[i]
	here := len(t.Networks) == 0 || slices.ContainsFunc(t.Networks, func(p netip.Prefix) bool { return p.Contains(from) })
	if !here || !t.Expires.IsZero() && now.After(t.Expires) {
		return Identity{}, false
	}
	return Identity{Name: t.Name, Role: t.Role, Via: "api"}, true
}
