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

// How many answers are kept of each caller, for programs that send a request again because they got no answer, and how
// long.
const (
	answersKept = 256
	bytesKept   = 4 << 20 // of the bodies of one caller's answers
	answersFor  = 10 * time.Minute
	maxKey      = 128 // bytes of an Idempotency-Key
)

// answers are those to requests with an Idempotency-Key: a caller that sends it again gets the same answer, and nothing is
// done a second time. Each caller has answers of their own, so that nobody pushes out another caller's; callers without a
// login or token have none.
type answers struct {
	mu sync.Mutex
	of map[access.Who][]*kept // the oldest first
}

// kept is an answer, or one that is being made.
type kept struct {
	key    string
	asked  [sha256.Size]byte // what was asked
	at     time.Time
	done   atomic.Bool // it is complete, and does not change any more
	status int
	header http.Header
	body   bytes.Buffer
}

// once has a handler do what a key stands for once.
func (s *answers) once(h http.HandlerFunc) http.HandlerFunc {
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
			web.Fault(w, http.StatusUnprocessableEntity, "bad_key", "the Idempotency-Key is too long: 128 bytes at most")
			return
		case err != nil:
			web.Fault(w, http.StatusRequestEntityTooLarge, "too_large", "the body has more than 64 KiB")
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(text))
		k, first := s.take(from.Who, key, sha256.Sum256(append([]byte(r.URL.RequestURI()+"\x00"), text...)))
		switch {
		case k == nil:
			web.Fault(w, http.StatusUnprocessableEntity, "key_reused", "this Idempotency-Key was sent with another request")
		case first:
			defer k.done.Store(true)
			to := &recorder{ResponseWriter: w, kept: k}
			h(to, r)
			_, _ = to.Write(nil) // an answer without a body
		case !k.done.Load():
			w.Header().Set("Retry-After", "1")
			web.Fault(w, http.StatusConflict, "in_progress", "the first request with this Idempotency-Key has no answer yet")
		default:
			for name := range k.header {
				w.Header().Set(name, k.header.Get(name))
			}
			w.WriteHeader(k.status)
			_, _ = w.Write(k.body.Bytes()) // the reader is gone
		}
	}
}

// take finds the answer for a caller's key, or begins one; nil: the key stands for something else.
func (s *answers) take(who access.Who, key string, asked [sha256.Size]byte) (k *kept, first bool) {
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

// surplus is how many of the oldest answers make room for one more.
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

// recorder writes an answer and keeps it.
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
