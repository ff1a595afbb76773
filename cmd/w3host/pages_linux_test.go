package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"w3host/formats/w3map/builtin"
	"w3host/internal/testkit"
	"w3host/internal/tier"
)

// browser is a headless Chromium, and what it complained of.
type browser struct {
	t   *testing.T
	ctx context.Context
	url string

	mu     sync.Mutex
	faults []string
}

// openBrowser starts Chromium.
func openBrowser(t *testing.T, url string) *browser {
	t.Helper()
	path := tier.Program(t, "chromium", "chromium")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	b := &browser{t: t, ctx: ctx, url: url}
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil { // which starts it, for as long as ctx lasts
		t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, func(ev any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch ev := ev.(type) {
		case *runtime.EventExceptionThrown:
			b.faults = append(b.faults, fmt.Sprintf("%+v", ev.ExceptionDetails))
		case *log.EventEntryAdded:
			b.faults = append(b.faults, ev.Entry.Text+" "+ev.Entry.URL)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// faultsOf tells what the page on the screen does wrong: wider than the screen, letters that
// are hard to read, controls without a name, ids that are there twice.
const faultsOf = `(() => {
  const faults = [], wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) faults.push("wider than the screen by " + wide);
  if (document.querySelectorAll("h1").length !== 1) faults.push(document.querySelectorAll("h1").length + " h1");
  const ids = new Set();
  for (const e of document.querySelectorAll("[id]")) { if (ids.has(e.id)) faults.push("twice: " + e.id); ids.add(e.id); }
  const rgb = c => (c.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const light = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const e = words.currentNode.parentElement;
    if (!words.currentNode.data.trim() || !e.checkVisibility() || e.closest("template, .sr, .skip, option")) continue;
    const style = getComputedStyle(e), a = light(rgb(e instanceof SVGElement ? style.fill : style.color)), b = light(behind(e)), contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) faults.push("contrast " + contrast.toFixed(1) + ": " + words.currentNode.data.trim().slice(0, 40));
  }
  for (const e of document.querySelectorAll("a, button, input:not([type=hidden]), select, summary, [tabindex='0']")) {
    if (!e.checkVisibility()) continue;
    const name = !e.matches("select") && e.textContent.trim() || e.getAttribute("aria-label") || document.getElementById(e.getAttribute("aria-labelledby"))?.textContent.trim() || e.placeholder || e.labels?.[0]?.textContent.trim() || e.querySelector("img[alt]")?.alt;
    if (!name) faults.push("no name: " + e.outerHTML.slice(0, 120));
  }
  return faults;
})()`

// visit opens a page, waits until it lives, and tells what is wrong with it on a wide screen and on a phone, light and dark, and
// which of its controls Tab does not show there.
func (b *browser) visit(name, path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.url + path))
	b.waitLive()
	for _, width := range []int64{1360, 390} {
		b.do(chromedp.EmulateViewport(width, 900))
		for _, theme := range []string{"light", "dark"} {
			found, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](fmt.Sprintf("document.documentElement.dataset.theme = %q; %s", theme, faultsOf)))
			if err != nil {
				b.t.Fatal(err)
			}
			look := fmt.Sprintf("%s-%d-%s", name, width, theme)
			for _, fault := range found {
				b.t.Errorf("%s: %s", look, fault)
			}
			b.picture(look)
			for _, control := range b.tabOrder() {
				b.t.Errorf("%s: Tab does not show %s", look, control)
			}
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, fault := range b.faults {
		b.t.Errorf("%s: %s", name, fault)
	}
	b.faults = nil
}

func (b *browser) waitLive() {
	b.t.Helper()
	b.wait(`!document.getElementById("conn") || document.getElementById("conn").dataset.state === "on"`)
}

// wait waits until an expression is true.
func (b *browser) wait(expression string) {
	b.t.Helper()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](expression))
		if err == nil && ok {
			return
		}
		if time.Since(began) > 30*time.Second {
			b.t.Fatalf("%s: %v; the page says:\n%s", expression, err, b.text(`document.querySelector("main")?.innerText ?? "nothing"`))
		}
	}
}

// picture keeps a picture of the page, for people to look at.
func (b *browser) picture(name string) {
	b.t.Helper()
	folder := os.Getenv("PICTURES")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *browser) prefer(name, value string) {
	b.t.Helper()
	b.run(fmt.Sprintf(`document.cookie = "%s=%s; path=/"`, name, value))
}

func (b *browser) run(script string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[any](script)); err != nil {
		b.t.Fatal(err)
	}
}

// Every page, light and dark, on a wide screen and on a phone, in both languages, of a host
// with bots: no fault in the console, no report of the policy, nothing wider than the screen.
func TestPagesInABrowser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "config.toml")
	_, built := builtin.Map()
	for name, data := range map[string][]byte{"one.w3x": built, "broken.w3x": []byte("no map")} {
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, "maps"), 0o755), os.WriteFile(filepath.Join(dir, "maps", name), data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	settings := "[host]\nlisten = \"127.0.0.1:0\"\ndata_dir = \"" + dir + "\"\n[lan]\nenabled = false\n[lobby]\nautostart = 3\nabandoned_after = \"1h\"\n" // the hostile player goes
	write(t, config, settings)
	host := startProcess(t, dir, "serve", "--config", config)
	link := regexp.MustCompile(`http://\S+`).FindString(host.await("web console")["message"].(string))
	url, _, _ := strings.Cut(link, "/login")
	b := openBrowser(t, url)
	bots := processCommand(t, dir, "bots", "--addr", host.addr, "--players", "3", "--minutes", "10", "--chat-every", "2s")
	if err := bots.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bots.Process.Kill(); _ = bots.Wait() })
	key, _ := host.await("lobby open")["key"].(string)
	b.do(chromedp.Navigate(link))
	b.wait(`document.querySelector("#once input").value !== ""`)
	b.picture("login")
	b.do(chromedp.Click("#once button"))
	b.wait(`location.pathname === "/"`)
	host.await("all have loaded")
	b.wait(`document.querySelectorAll("[data-rows=games] tr").length === 1`)
	b.operate(host)
	b.do(chromedp.Navigate(b.url + "/games/1"))
	b.waitLive()
	b.cuts()
	b.sameAsFresh()
	b.do(chromedp.Navigate(b.url + "/maps"))
	b.run(`document.querySelector("main footer button").click()`)
	b.wait(`document.querySelector("#toast").textContent.includes("one.w3x")`)
	b.upload(filepath.Join(dir, "maps", "one.w3x"), filepath.Join(dir, "maps", "broken.w3x"))
	b.do(chromedp.Navigate(b.url + "/"))
	b.wait(`document.querySelectorAll("[data-rows=lobbies] > article").length === 2`)
	pages := map[string]string{
		"games": "/", "game": "/games/1", "lobby": "/games/2", "public": "/public", "history": "/history", "record": "/history/" + key,
		"players": "/players", "player": "/players/bot-1", "bans": "/bans", "maps": "/maps", "system": "/system",
		"checks": "/checks", "autohost": "/autohost", "realms": "/realms", "audit": "/audit", "access": "/access",
	}
	for _, language := range []string{"en", "zh"} {
		b.prefer("lang", language)
		for name, path := range pages {
			b.visit(name+"-"+language, path)
		}
	}
	b.prefer("theme", "dark")
	b.do(chromedp.Navigate(b.url + "/"))
	b.wait(`document.documentElement.dataset.theme === "dark" && document.documentElement.lang === "zh-Hans"`)
	b.run(`fetch("/logout", { method: "POST" })`)
	b.wait(`location.pathname === "/login"`) // the page finds out that its session has ended
	b.mu.Lock()
	b.faults = slices.DeleteFunc(b.faults, func(fault string) bool { return strings.Contains(fault, "a status of 40") })
	b.mu.Unlock()
	b.visit("login-zh", "/login")
	b.visit("public-stranger", "/public")
}

// upload brings maps by the form of the page: one that is no map, and one that is.
func (b *browser) upload(good, bad string) {
	b.t.Helper()
	brought := filepath.Join(b.t.TempDir(), "brought.w3x")
	for _, file := range []string{bad, good} {
		data, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(brought, data, 0o600)
		}
		if err != nil {
			b.t.Fatal(err)
		}
		b.do(chromedp.Navigate(b.url + "/maps"))
		b.run(`document.querySelector("main details").open = true`)
		b.do(chromedp.SetUploadFiles("input[type=file]", []string{brought}), chromedp.Click("form[data-upload] button"))
		if file == bad {
			b.wait(`document.querySelector("#toast").textContent.includes("brought.w3x cannot be hosted")`)
		}
	}
	b.wait(`location.search === "?q=brought.w3x" && document.querySelectorAll("main article").length === 1`)
}

// hostileName is as long as names may be.
const hostileName = `<evil>&"'%s\n`

// places returns the content of a page's places, without the parts that change by themselves.
const places = `JSON.stringify([...document.querySelectorAll("main [data-p], main [data-f], main [data-chart]")].map(e =>
  [e.dataset.p || e.dataset.f || e.dataset.chart, e.querySelector("*") ? "" : e.dataset.since || e.textContent, e.dataset.state, e.getAttribute("href"), e.getAttribute("value"), e.hidden, e.dataset.points]))`

// cuts goes away from a page and comes back to it, thirty times.
func (b *browser) cuts() {
	b.t.Helper()
	random := rand.New(rand.NewPCG(27, 30))
	b.run(`Object.defineProperty(document, "hidden", { get: () => window.away, configurable: true })`) // a browser without a screen hides none
	for range 30 {
		for _, away := range []bool{true, false} {
			b.run(fmt.Sprintf(`window.away = %v; document.dispatchEvent(new Event("visibilitychange"))`, away))
			time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
		}
	}
	b.run(`delete document.hidden`)
}

// sameAsFresh compares the page, which has lived for a while, with one that another tab opens, until both show the same.
func (b *browser) sameAsFresh() {
	b.t.Helper()
	first, url := b.ctx, b.text("location.href")
	tab, shut := chromedp.NewContext(first)
	defer shut()
	if err := chromedp.Do(tab, chromedp.Navigate("about:blank")); err != nil { // which begins it, for as long as tab lasts
		b.t.Fatal(err)
	}
	b.run(`window.lived = true`)
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		b.ctx = tab
		b.do(chromedp.Navigate(url))
		b.waitLive()
		fresh := b.text(places)
		b.ctx = first
		live := b.text(places)
		if live == fresh {
			break
		}
		if time.Since(began) > 20*time.Second {
			b.t.Fatalf("the page that lived shows\n%s\na fresh one\n%s", live, fresh)
		}
	}
	b.wait(`window.lived`) // it was not loaded again meanwhile
}

// operate does by the page of a lobby what operators do, while a player with a hostile name is
// in it. What the page shows in the end is what a fresh one shows.
func (b *browser) operate(host *process) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.url + "/games/2"))
	b.waitLive()
	c := testkit.Dial(b.t, netip.MustParseAddrPort(host.addr))
	c.Conduct = testkit.Lobbyist
	go c.Listen() // ends with the test
	c.Send(testkit.JoinPacket(2, 0, hostileName))
	join := c.Until(0x04)
	c.PID = join[6+binary.LittleEndian.Uint16(join[4:])] // behind the slots
	b.wait(fmt.Sprintf(`document.querySelector("[data-rows=slots] bdi").textContent === %q`, hostileName))
	c.Say("<evil>\u202etext", 1, 2, 3)
	b.wait(`document.querySelector("#chat").textContent.includes("<evil>text")`)
	b.wait(`document.querySelector("evil") === null`)

	b.do(chromedp.SendKeys("#text", "hello from the page"), chromedp.Click("#say button"))
	c.UntilText("hello from the page")
	b.wait(`document.querySelector("#chat").textContent.includes("hello from the page")`)
	b.do(chromedp.SendKeys("#text", "!frobnicate"), chromedp.Click("#say button"))
	b.wait(`document.querySelector("#answers").textContent.includes("frobnicate")`) // a refusal, in the engine's words
	b.picture("hostile")
	b.wait(`document.querySelector("[data-rows=slots] [data-p='text:ping state:pingstate']").textContent !== ""`)
	b.sameAsFresh()
	b.run(`document.querySelector("[data-rows=slots] tr button").click()`)
	b.wait(`document.querySelector("#ask").open`)
	b.run(`document.querySelector("#ask .danger").click()`)
	_ = c.Ended()
	b.wait(`!document.querySelector("[data-rows=slots]").textContent.includes("evil")`)
}

func (b *browser) text(expression string) string {
	b.t.Helper()
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](expression))
	if err != nil {
		b.t.Fatal(err)
	}
	return text
}
