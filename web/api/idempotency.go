package api

import (
	"bytes"
	"crypto/sha256"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"w3host/web"
	"w3host/web/access"
)

// Limits of the stored responses to requests with an Idempotency-Key: their number for each caller,
// their lifetime and their size.
const (
	answersKept = 256
	bytesKept   = 4 << 20 // of the bodies of one caller's answers
	answersFor  = 10 * time.Minute
	maxKey      = 128 // bytes of an Idempotency-Key
)

// answers stores responses by Idempotency-Key. A caller that repeats a request gets the stored
// response, and the action is not repeated. Each caller has its own entries, so that nobody can
// evict those of others; callers without a session or token have none.
type answers struct {
	mu sync.Mutex
	of map[access.Identity][]*kept // the oldest first
}

// kept is a stored response, or a request that is being answered.
type kept struct {
	key    string
	asked  [sha256.Size]byte // what was asked
	at     time.Time
	done   atomic.Bool // it is complete, and does not change any more
	status int
	header http.Header
	body   bytes.Buffer
}

// idempotent wraps a handler so that requests with the same Idempotency-Key run it only once.
func (s *answers) idempotent(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		from := web.Caller(r)
		if key == "" || r.Method != http.MethodPost || from.Role == access.Public {
			h(w, r)
			return
		}
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		switch {
		case len(key) > maxKey:
			web.WriteProblem(w, http.StatusUnprocessableEntity, "bad_key", "the Idempotency-Key is too long: 128 bytes at most")
			return
		case err != nil:
			web.WriteProblem(w, http.StatusRequestEntityTooLarge, "too_large", "the body has more than 64 KiB")
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(text))
		k, first := s.take(from.Identity, key, sha256.Sum256(append([]byte(r.URL.RequestURI()+"\x00"), text...)))
		switch {
		case k == nil:
			web.WriteProblem(w, http.StatusUnprocessableEntity, "key_reused", "this Idempotency-Key was sent with another request")
		case first:
			defer k.done.Store(true)
			to := &recorder{ResponseWriter: w, kept: k}
			h(to, r)
			_, _ = to.Write(nil) // an answer without a body
		case !k.done.Load():
			w.Header().Set("Retry-After", "1")
			web.WriteProblem(w, http.StatusConflict, "in_progress", "the first request with this Idempotency-Key has no answer yet")
		default:
			for name := range k.header {
				w.Header().Set(name, k.header.Get(name))
			}
			w.WriteHeader(k.status)
			_, _ = w.Write(k.body.Bytes()) // the reader is gone
		}
	}
}

// take returns the entry for a caller's key, and whether it is new. It returns nil if the key was
// used with a different request.
func (s *answers) take(who access.Identity, key string, asked [sha256.Size]byte) (k *kept, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for caller, list := range s.of {
		if list = slices.DeleteFunc(list, func(k *kept) bool { return now.Sub(k.at) > answersFor }); len(list) == 0 {
			delete(s.of, caller)
		} else {
			s.of[caller] = list
		}
	}
	list := s.of[who]
	if i := slices.IndexFunc(list, func(k *kept) bool { return k.key == key }); i >= 0 {
		if k = list[i]; k.asked != asked {
			return nil, false
		}
		return k, false
	}
	k = &kept{key: key, asked: asked, at: now, status: http.StatusInternalServerError} // if the handler panics
	s.of[who] = append(list[surplus(list):], k)
	return k, true
}

// surplus returns how many of the oldest entries must go to make room for a new one.
func surplus(list []*kept) int {
	n, bytes := len(list), 0
	for n > 0 && len(list)-n < answersKept-1 {
		if k := list[n-1]; k.done.Load() {
			bytes += k.body.Len()
		}
		if bytes > bytesKept {
			break
		}
		n--
	}
	return n
}

// recorder writes a response and stores it.
type recorder struct {
	http.ResponseWriter
	kept *kept
}

func (r *recorder) WriteHeader(status int) {
	r.kept.status, r.kept.header = status, r.Header().Clone()
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.kept.header == nil {
		r.WriteHeader(http.StatusOK)
	}
	r.kept.body.Write(p)
	return r.ResponseWriter.Write(p)
}

func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
