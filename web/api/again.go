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
)

// How many answers are kept for programs that send a request again because they got no answer,
// and how long.
const (
	answersKept = 256
	answersFor  = 10 * time.Minute
	maxKey      = 128 // bytes of an Idempotency-Key
)

// answers are those to requests with an Idempotency-Key: a caller that sends it again gets the same
// answer, and nothing is done a second time.
type answers struct {
	mu    sync.Mutex
	known []*kept // the oldest first
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
		if key == "" || r.Method != http.MethodPost {
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
		from := web.Caller(r)
		r.Body = io.NopCloser(bytes.NewReader(text))
		k, first := s.take(from.Via+"\x00"+from.Name+"\x00"+key, sha256.Sum256(append([]byte(r.URL.Path+"\x00"), text...)))
		switch {
		case k == nil:
			web.Fault(w, http.StatusUnprocessableEntity, "key_reused", "this Idempotency-Key was sent with another request")
		case first:
			defer k.done.Store(true)
			h(&recorder{ResponseWriter: w, kept: k}, r)
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

// take finds the answer for a key, or begins one; nil: the key stands for something else.
func (s *answers) take(key string, asked [sha256.Size]byte) (k *kept, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.known = slices.DeleteFunc(s.known, func(k *kept) bool { return now.Sub(k.at) > answersFor })
	if i := slices.IndexFunc(s.known, func(k *kept) bool { return k.key == key }); i >= 0 {
		if k = s.known[i]; k.asked != asked {
			return nil, false
		}
		return k, false
	}
	k = &kept{key: key, asked: asked, at: now, status: http.StatusOK}
	s.known = append(s.known[max(len(s.known)-answersKept+1, 0):], k)
	return k, true
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
