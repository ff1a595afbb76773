package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// paintWithin is how long after the click the page of a hundred games has been painted, in a browser that keeps none of it.
const paintWithin = 300 * time.Millisecond

// With W3HOST_TEST_LONG=1, the pages of a host with a hundred games of ten players are painted in time.
func TestFirstPaint(t *testing.T) {
	if os.Getenv("W3HOST_TEST_LONG") != "1" {
		t.Skip("for W3HOST_TEST_LONG=1: a hundred games")
	}
	dir := t.TempDir()
	cmd := processCommand(t, dir, "--listen", "127.0.0.1:0", "--lan=false")
	cmd.Env = append(cmd.Env, "W3HOST_AUTOHOST_LOBBIES=100", "W3HOST_LOBBY_COUNTDOWN=0")
	host := start(t, cmd)
	said, _ := host.await("your window, once")["message"].(string)
	link := regexp.MustCompile(`http://\S+`).FindString(said)
	url, _, _ := strings.Cut(link, "/login")
	b := openBrowser(t, url)
	bots := processCommand(t, dir, "bots", "--addr", host.addr, "--players", "10", "--games", "100", "--minutes", "10")
	if err := bots.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bots.Process.Kill(); _ = bots.Wait() })
	b.do(chromedp.Navigate(link))
	b.wait(`document.querySelector("#once input").value !== ""`)
	b.do(chromedp.Click("#once button"))
	b.wait(`document.querySelectorAll("[data-rows=games] tr").length === 100`)
	for _, path := range []string{"/", "/games/1", "/public"} {
		var all []time.Duration
		for range 9 {
			b.do(chromedp.Navigate(b.url + "/static/icon.svg")) // so that no process of the browser has to start
			if _, err := chromedp.Call(b.ctx, network.ClearBrowserCache, cdp.Empty{}); err != nil {
				t.Fatal(err)
			}
			b.do(chromedp.Navigate(b.url + path))
			b.wait(`performance.getEntriesByName("first-contentful-paint").length === 1`)
			ms, err := chromedp.Run(b.ctx, chromedp.Evaluate[float64](`performance.getEntriesByName("first-contentful-paint")[0].startTime`))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, time.Duration(ms*float64(time.Millisecond)))
		}
		slices.Sort(all)
		took := fmt.Sprintf("%s: painted after %v (%v to %v)", path, all[len(all)/2].Round(time.Millisecond), all[0].Round(time.Millisecond), all[len(all)-1].Round(time.Millisecond))
		if t.Log(took); all[len(all)/2] > paintWithin {
			t.Error(took)
		}
	}
}
