package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/time/rate"
)

const (
	// tries is the maximum number of attempts to deliver an event. They take about two minutes, or
	// longer if the site sends Retry-After.
	tries = 8
	// mostWait is the maximum Retry-After that is respected.
	mostWait = 5 * time.Minute
	// mostAnswer is the number of bytes read from a response.
	mostAnswer = 4 << 10
)

// sender delivers events to one site.
type sender struct {
	hook     Hook
	opts     Options
	client   *http.Client
	stop     func()
	queue    chan Delivery
	lost     atomic.Uint64
	logLimit rate.Sometimes
}

// put queues an event, or drops it if the queue is full.
func (s *sender) put(t Delivery) {
	select {
	case s.queue <- t:
	default:
		s.miss(&t, errors.New("too many wait for this site"))
	}
}

// miss counts and logs an event that could not be delivered.
func (s *sender) miss(t *Delivery, err error) {
	n := s.lost.Add(1)
	s.logLimit.Do(func() {
		s.opts.Log.Warn().Str("webhook", s.hook.Label).Str("event", t.Type).Uint64("lost", n).Err(err).Msg("a webhook did not get an event")
	})
}

func (s *sender) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case t := <-s.queue:
			if err := s.deliver(ctx, t); err != nil && ctx.Err() == nil {
				s.miss(&t, err)
			}
		}
	}
}

// deliver sends an event until the site accepts it, rejects it for good, or all tries have failed.
// All tries carry the same id.
func (s *sender) deliver(ctx context.Context, t Delivery) error {
	body, err := s.hook.body(t)
	if err != nil {
		return err
	}
	id, wait := uuid.NewString(), s.opts.First
	for n := 1; ; n++ {
		asked, again, err := s.post(ctx, id, body)
		if err == nil || !again || n == tries {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(max(wait, asked)):
		}
		wait *= 2
	}
}

// post makes one attempt. If it fails, again reports whether another try may succeed, and asked is
// the Retry-After of the site.
func (s *sender) post(ctx context.Context, id string, body []byte) (asked time.Duration, again bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.hook.URL, bytes.NewReader(body))
	if err != nil {
		return 0, false, errors.New("the URL is none")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "w3host")
	at := strconv.FormatInt(time.Now().Unix(), 10)
	r.Header.Set("Webhook-Id", id)
	r.Header.Set("Webhook-Timestamp", at)
	if s.hook.Key != nil {
		r.Header.Set("Webhook-Signature", "v1,"+sign(s.hook.Key, id, at, body))
	}
	answer, err := s.client.Do(r)
	if err != nil {
		if named, ok := errors.AsType[*url.Error](err); ok { // which has the URL
			err = named.Err
		}
		return 0, true, err
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, mostAnswer) // so that the connection can be used again
	if answer.StatusCode >= 200 && answer.StatusCode < 300 {
		return 0, false, nil
	}
	again = answer.StatusCode >= 500 || answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusRequestTimeout
	return parseRetryAfter(answer.Header.Get("Retry-After")), again, fmt.Errorf("it answered %d", answer.StatusCode)
}

// parseRetryAfter parses a Retry-After header: seconds or a date. It returns 0 if there is none.
func parseRetryAfter(text string) time.Duration {
	if at, err := http.ParseTime(text); err == nil {
		return min(max(time.Until(at), 0), mostWait)
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, mostWait.Seconds()) * float64(time.Second))
	}
	return 0
}

// sign returns the signature of a message according to standardwebhooks.com.
func sign(key []byte, id, at string, body []byte) string {
	m := hmac.New(sha256.New, key)
	fmt.Fprintf(m, "%s.%s.%s", id, at, body)
	return base64.StdEncoding.EncodeToString(m.Sum(nil))
}
