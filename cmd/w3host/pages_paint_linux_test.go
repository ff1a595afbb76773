package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

const (
	// paintWithin is how long after the click the page of a hundred games has been painted, in a browser that keeps none of it.
	paintWithin = 300 * time.Millisecond
	// paintAnywhere is the same of a few games, on a machine that has other things to do.
	paintAnywhere = 5 * time.Second
)

// Pages are painted while their scripts have not come and no stream has begun.
func TestFirstPaint(t *testing.T) {
	b := browserAtGames(t, 3)
	host, err := url.Parse(b.url)
	if err != nil {
		t.Fatal(err)
	}
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(host); r.Out.Host = r.In.Host }}
	painted := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path.Ext(r.URL.Path) == ".js" || r.URL.Path == "/events" {
			select {
			case <-painted:
			case <-r.Context().Done():
				return
			}
		}
		pass.ServeHTTP(w, r)
	}))
	defer slow.Close()
	defer close(painted)
	b.url = slow.URL
	b.paints(2, paintAnywhere)
}

// With W3HOST_TEST_LONG=1, the pages of a host with a hundred games of ten players are painted in time.
func TestFirstPaintOfHundredGames(t *testing.T) {
	if os.Getenv("W3HOST_TEST_LONG") != "1" {
		t.Skip("for W3HOST_TEST_LONG=1: a hundred games")
	}
	browserAtGames(t, 100).paints(9, paintWithin)
}

// browserAtGames is a browser that has logged in at a host with so many games of ten players.
func browserAtGames(t *testing.T, games int) *browser {
	t.Helper()
	dir, count := t.TempDir(), strconv.Itoa(games)
	cmd := processCommand(t, dir, "--listen", "127.0.0.1:0", "--lan=false")
	cmd.Env = append(cmd.Env, "W3HOST_AUTOHOST_LOBBIES="+count, "W3HOST_LOBBY_COUNTDOWN=0")
	host := start(t, cmd)
	said, _ := host.await("web console (one-time login link)")["message"].(string)
	link := regexp.MustCompile(`http://\S+`).FindString(said)
	url, _, _ := strings.Cut(link, "/login")
	b := openBrowser(t, url)
	bots := processCommand(t, dir, "bots", "--addr", host.addr, "--players", "10", "--games", count, "--minutes", "10")
	if err := bots.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bots.Process.Kill(); _ = bots.Wait() })
	b.do(chromedp.Navigate(link))
	b.wait(`document.querySelector("#once input").value !== ""`)
	b.do(chromedp.Click("#once button"))
	b.wait(fmt.Sprintf(`document.querySelectorAll("[data-rows=games] tr").length === %d`, games))
	return b
}

// paints opens pages so many times each, with an empty cache: the median time until something is on the screen is not above the limit.
func (b *browser) paints(times int, limit time.Duration) {
	b.t.Helper()
	for _, path := range []string{"/", "/games/1", "/public"} {
		var all []time.Duration
		for range times {
			b.do(chromedp.Navigate(b.url + "/static/icon.svg")) // so that no process of the browser has to start
			if _, err := chromedp.Call(b.ctx, network.ClearBrowserCache, cdp.Empty{}); err != nil {
				b.t.Fatal(err)
			}
			b.run(fmt.Sprintf("void (location.href = %q)", b.url+path)) // without waiting for what the page loads behind
			b.wait(fmt.Sprintf(`location.pathname === %q && performance.getEntriesByName("first-contentful-paint").length === 1`, path))
			ms, err := chromedp.Run(b.ctx, chromedp.Evaluate[float64](`performance.getEntriesByName("first-contentful-paint")[0].startTime`))
			if err != nil {
				b.t.Fatal(err)
			}
			all = append(all, time.Duration(ms*float64(time.Millisecond)))
		}
		slices.Sort(all)
		took := fmt.Sprintf("%s: painted after %v (%v to %v)", path, all[len(all)/2].Round(time.Millisecond), all[0].Round(time.Millisecond), all[len(all)-1].Round(time.Millisecond))
		if b.t.Log(took); all[len(all)/2] > limit {
			b.t.Error(took)
		}
	}
}
