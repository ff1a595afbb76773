package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// The load uses two addresses, different from those of the measured players, because an address may have at
// most 128 connections.
var (
	client, dialer = from(2)
	quick, _       = from(3) // for repeated short requests
)

func from(last byte) (*http.Client, *net.Dialer) {
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, last)}}
	return &http.Client{Transport: &http.Transport{DialContext: d.DialContext, MaxIdleConnsPerHost: 64}}, d
}

func (w *window) request(ctx context.Context, i int, method, path string, body io.Reader) *http.Request {
	r, _ := http.NewRequestWithContext(ctx, method, w.url+path, body)
	r.Header.Set("Authorization", "Bearer "+w.tokens[i%len(w.tokens)])
	return r
}

// watch starts clients that load pages and follow their events, like browsers.
func (w *window) watch(ctx context.Context, burden *sync.WaitGroup) {
	for i := range watching {
		burden.Go(func() {
			for ctx.Err() == nil {
				if err := w.live(ctx, i); err != nil && ctx.Err() == nil {
					fmt.Fprintln(os.Stderr, "a watcher:", err)
					time.Sleep(time.Second)
				}
			}
		})
	}
}

func (w *window) live(ctx context.Context, i int) error {
	page, err := client.Do(w.request(ctx, i, "GET", []string{"/", "/games/" + strconv.Itoa(i/2%w.games+1)}[i%2], nil))
	if err != nil {
		return err
	}
	text, err := io.ReadAll(page.Body)
	_ = page.Body.Close()
	topic, after := topicOf.FindSubmatch(text), afterOf.FindSubmatch(text)
	if err != nil || topic == nil || after == nil {
		return fmt.Errorf("%s: %w: %.200s", page.Status, err, text)
	}
	stream, err := client.Do(w.request(ctx, i, "GET", "/events?topic="+url.QueryEscape(string(topic[1]))+"&after="+url.QueryEscape(string(after[1])), nil))
	if err != nil {
		return err
	}
	defer stream.Body.Close()
	if stream.StatusCode != http.StatusOK {
		return errors.New(stream.Status)
	}
	buffer := make([]byte, 4096)
	for {
		n, err := stream.Body.Read(buffer)
		if w.read[i%2].Add(int64(n)); err == io.EOF || bytes.Contains(buffer[:n], []byte("event: resync")) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// disturb starts the rest of the full load.
func (w *window) disturb(ctx context.Context, burden *sync.WaitGroup) {
	for i := range neverReading {
		if c, err := dialer.Dial("tcp", strings.TrimPrefix(w.url, "http://")); err == nil {
			fmt.Fprintf(c, "GET /events?topic=games:en HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n", w.tokens[i%len(w.tokens)])
			burden.Go(func() { <-ctx.Done(); _ = c.Close() })
		}
	}
	each := func(every time.Duration, do func(i int)) {
		burden.Go(func() {
			pace := rate.NewLimiter(rate.Every(every), 1)
			for i := 0; pace.Wait(ctx) == nil; i++ {
				do(i)
			}
		})
	}
	send := func(r *http.Request) {
		if answer, err := quick.Do(r); err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
		}
	}
	const loaders = 8
	for loader := range loaders {
		each(loaders*time.Second/loads, func(i int) {
			path := []string{"/", "/games/" + strconv.Itoa(1+i%w.games), "/public", "/history", "/static/app.js", "/players/bot-1"}[i%6]
			send(w.request(ctx, loader*2+i, "GET", path, nil))
		})
	}
	for i := range guessing {
		each(time.Millisecond, func(try int) {
			r, _ := http.NewRequestWithContext(ctx, "POST", w.url+"/login", strings.NewReader(fmt.Sprintf("name=guess%d-%d&password=wrong", i, try)))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			send(r)
		})
	}
	for i := range uploading {
		each(time.Millisecond, func(int) {
			r := w.request(ctx, i, "PUT", "/api/v1/maps/bench"+strconv.Itoa(i)+".w3x", bytes.NewReader(make([]byte, uploadSize)))
			r.Header.Set("If-Match", "*")
			send(r)
		})
	}
	each(time.Second, func(int) { _, _ = w.hosts[0].scrape() })
}
