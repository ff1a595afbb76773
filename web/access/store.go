package access

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Limits of the file. The oldest sessions of an account, and the oldest links, make room for new
// ones.
const (
	maxAccounts = 200
	maxTokens   = 200
	maxSessions = 20 // of one account, which thus ends no session of another
	maxLinks    = 20
)

// lockWithin is the maximum time to wait while another program holds the lock. All requests wait
// meanwhile.
const lockWithin = 3 * time.Second

// Account is a person who logs in with a password.
type Account struct {
	Name string    `json:"name"`
	Role Role      `json:"role"`
	Hash string    `json:"hash,omitempty" hidden:"true"` // no answer of the API has it
	Made time.Time `json:"made"`
}

// Token gives a program access to the API.
type Token struct {
	Name     string         `json:"name"`
	Role     Role           `json:"role"`
	Hash     string         `json:"hash,omitempty"`
	Networks []netip.Prefix `json:"networks,omitempty"` // from which it counts; none: all
	Expires  time.Time      `json:"expires,omitzero"`   // zero: never
	Made     time.Time      `json:"made"`
}

// Session is a logged-in browser. Account is the name of byLink if it logged in with a link.
type Session struct {
	Hash    string    `json:"hash,omitempty" hidden:"true"` // no answer of the API has it
	Account string    `json:"account" doc:"Or (link): came by a link"`
	Made    time.Time `json:"made"`
	Seen    time.Time `json:"seen" doc:"To ten minutes"`
}

// link is a one-time login code.
type link struct {
	Hash    string    `json:"hash"`
	Expires time.Time `json:"expires"`
}

// state is the content of the file. It must not be modified after it has been shared.
type state struct {
	Accounts []Account `json:"accounts"`
	Tokens   []Token   `json:"tokens"`
	Sessions []Session `json:"sessions"`
	Links    []link    `json:"links"`
}

// Store reads and changes the file. Several processes may do so at the same time; a Store is safe
// for concurrent use.
type Store struct {
	path string
	lock *flock.Flock

	mu   sync.Mutex
	info fs.FileInfo // of the file that known was read from
	now  state
}

// Open returns a Store for a file, which need not exist.
func Open(path string) *Store { return &Store{path: path, lock: flock.New(path + ".lock")} }

// read returns the content of the file. It reads the file only if it has changed.
func (s *Store) read() (state, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reread()
}

func (s *Store) reread() (state, error) {
	info, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.info, s.now = nil, state{}
		return s.now, nil
	case err != nil:
		return state{}, err
	case s.info != nil && os.SameFile(info, s.info) && info.ModTime().Equal(s.info.ModTime()):
		return s.now, nil
	}
	text, err := os.ReadFile(s.path)
	if err != nil {
		return state{}, err
	}
	var read state
	if err := json.Unmarshal(text, &read); err != nil {
		return state{}, fmt.Errorf("%s is damaged (%w): remove it, and make the accounts again with w3host web account", s.path, err)
	}
	s.info, s.now = info, read
	return read, nil
}

// change applies how to the content of the file and writes it back, under the lock.
func (s *Store) change(how func(*state) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWithin)
	defer cancel()
	if _, err := s.lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return fmt.Errorf("%s.lock is held by another program: %w", s.path, err)
	}
	defer func() { _ = s.lock.Unlock() }()
	next, err := s.reread()
	if err != nil {
		return err
	}
	next = next.clone()
	if err := how(&next); err != nil {
		return err
	}
	text, err := json.MarshalIndent(next, "", "\t")
	if err != nil {
		return err
	}
	return s.replace(text)
}

// replace writes the file atomically.
func (s *Store) replace(text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(s.path), ".web") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), s.path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// hashOf returns the stored hash of a secret from rand.Text. It needs no salt, because the secret
// is random.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
