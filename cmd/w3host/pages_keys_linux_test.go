package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"w3host/bots"
	"w3host/formats/w3map/builtin"
	"w3host/internal/testkit"
)

// press types keys.
func (b *browser) press(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// tabTo presses Tab until a control has the focus, which must be seen.
func (b *browser) tabTo(selector string) {
	b.t.Helper()
	for range 200 {
		switch b.text(fmt.Sprintf(`!document.activeElement.matches(%q) ? "" : getComputedStyle(document.activeElement).outlineStyle`, selector)) {
		case "":
			b.press("\t")
		case "none":
			b.t.Fatalf("%s has the focus, which is not seen", selector)
		default:
			return
		}
	}
	b.t.Fatalf("no Tab leads to %s", selector)
}

// chat goes to the chat by its key, and sends a line.
func (b *browser) chat(line string) {
	b.t.Helper()
	b.run(`document.activeElement.blur()`)
	b.press("c")
	b.wait(`document.activeElement.id === "text"`)
	b.run(`document.activeElement.value = ""`) // a browser would not type the c, but a browser that is driven does
	b.press(line + "\r")
}

// arrive waits until a page is there, with its scripts.
func (b *browser) arrive(at string) {
	b.t.Helper()
	b.wait(`/^` + strings.ReplaceAll(at, "/", `\/`) + `$/.test(location.pathname) && document.readyState === "complete"`)
}

// confirm answers a question with the button that has the focus.
func (b *browser) confirm() {
	b.t.Helper()
	b.wait(`document.querySelector("#ask").open && document.activeElement.value === "yes"`)
	b.press("\r")
}

// tabOrder tells which controls of a page cannot be reached by Tab, or do not show that they have the focus: they have no outline, or are
// behind something else.
func (b *browser) tabOrder() []string {
	b.t.Helper()
	b.run(`document.activeElement.blur();
		window.reached = new Set();
		window.listens ??= document.addEventListener("focusin", ({ target: e }) => {
			const box = e.getBoundingClientRect(), over = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
			if (getComputedStyle(e).outlineStyle !== "none" && over && (e.contains(over) || over.contains(e))) reached.add(e);
		}) ?? true;
		window.controls = () => [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary, [tabindex='0']")].filter(e => e.checkVisibility())`)
	n, err := chromedp.Run(b.ctx, chromedp.Evaluate[int](`controls().length`))
	if err != nil {
		b.t.Fatal(err)
	}
	b.press(strings.Repeat("\t", n+10)) // rows may come meanwhile
	missed, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](`controls().filter(e => !reached.has(e)).map(e => e.outerHTML.slice(0, 120))`))
	if err != nil {
		b.t.Fatal(err)
	}
	return missed
}

// account makes an account for who has come by a link, and logs in with it.
func (b *browser) account(name, password string) {
	b.t.Helper()
	b.press("gs")
	b.arrive("/system")
	b.tabTo(`nav [href="/access"]`)
	b.press("\r")
	b.arrive("/access")
	b.tabTo("input[name=name]")
	b.press(name + "\t" + password + "\troot\t\r")
	b.wait(fmt.Sprintf(`document.readyState === "complete" && document.querySelector("main td.nm")?.textContent === %q`, name))
	b.tabTo(".who button")
	b.press("\r")
	b.arrive("/login")
	b.tabTo("input[name=name]")
	b.press(name + "\t" + password + "\r")
	b.arrive("/")
	b.waitLive()
	b.wait(fmt.Sprintf(`document.querySelector(".who").textContent.startsWith(%q)`, name))
}

// Everything that an operator does is done by keys alone: log in by a link, make an account, open a lobby, see players come and download, talk to
// them, start, see who lags and why, kick, end, look at the game and a player, ban, bring a map. Each control of each page is reached by Tab, and is seen
// to have the focus. Then thirteen tabs live, and the host is started again.
func TestKeyboardInABrowser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, built := builtin.Map()
	built = append(slices.Clip(built), make([]byte, 400_000)...)
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "maps"), 0o755), os.WriteFile(filepath.Join(dir, "maps", "one.w3x"), built, 0o600)); err != nil {
		t.Fatal(err)
	}
	window := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	config := filepath.Join(dir, "config.toml")
	settings := fmt.Sprintf("[host]\nlisten = \"127.0.0.1:0\"\ndata_dir = %q\n[lan]\nenabled = false\n[lobby]\nautostart = -1\n", dir)
	write(t, config, settings)
	serve := func() *process {
		cmd := processCommand(t, dir, "serve", "--config", config)
		cmd.Env = append(cmd.Env, "W3HOST_WEB_LISTEN="+window)
		return start(t, cmd)
	}
	host := serve()
	link, _ := host.await("web console")["message"].(string)
	_, link, _ = strings.Cut(link, ": ")
	b := openBrowser(t, "http://"+window)
	b.do(chromedp.Navigate(link))
	b.wait(`document.activeElement.matches("#once button")`)
	b.press("\r")
	b.arrive("/")
	b.waitLive()
	b.account("Rook", "hard to guess")

	b.press("gm")
	b.arrive("/maps")
	b.tabTo("main footer button")
	b.press("\r")
	b.wait(`document.querySelector("#toast").textContent.includes("one.w3x")`)
	b.press("go")
	b.wait(`location.pathname === "/" && document.readyState === "complete" && document.querySelectorAll("[data-rows=lobbies] > article").length === 2`)
	for range 10 {
		if b.text(`document.activeElement.getAttribute("href") || ""`) == "/games/2" {
			break
		}
		b.press("j")
	}
	b.press("\r")
	b.arrive("/games/2")
	b.waitLive()

	b.run(`window.downloads = 0; new MutationObserver(() => { downloads += document.querySelectorAll("[data-rows=slots] .dl:not([hidden]) progress[value]:not([value='0'])").length; })
		.observe(document.querySelector("[data-rows=slots]"), { subtree: true, childList: true, attributes: true })`)
	ctx, leave := context.WithCancel(t.Context())
	played := make(chan error, 1)
	go func() {
		_, err := bots.Run(ctx, bots.Options{
			Addr: host.addr, GameID: 2, Players: 3, Games: 1, Play: time.Minute, LoadTime: 100 * time.Millisecond, NoStart: true, ChatEvery: time.Second,
			Conduct: func(_, seat int) bots.Conduct {
				return []bots.Conduct{{}, {Download: dir, StallAtPercent: 50, StallFor: 3 * time.Second}, {StallAfter: time.Second, StallFor: 8 * time.Second}}[seat]
			},
		})
		played <- err
	}()
	defer func() { leave(); <-played }()
	seats := `document.querySelector("[data-rows=slots]").textContent`
	b.wait(seats + `.includes("bot-3") && ` + seats + `.includes("bot-1")`)
	b.chat("hello by keys")
	b.wait(`document.querySelector(".events").textContent.includes("hello by keys")`)
	b.wait(`document.querySelector("#chat").textContent.includes("bot-")`)
	b.wait(`[...document.querySelectorAll("[data-rows=slots] .dl")].every(e => e.hidden) && window.downloads > 0`) // the map is there
	b.chat("!start force")
	host.await("all have loaded")
	b.wait(`/lag: .*bot-3 .*\(.*; host /.test(document.querySelector(".events").textContent)`) // who lagged, and why
	b.wait(`[...document.querySelectorAll("[data-chart=late] title")].some(e => e.textContent.includes("lag: bot-3"))`)
	b.wait(`document.querySelector("#commands [value='!kick ']").textContent === "<player> [reason]"`)
	b.run(`document.activeElement.blur()`)
	b.tabTo("[data-rows=slots] tr button")
	b.press("\r")
	b.confirm()
	b.wait(`document.querySelector(".events").textContent.includes("kicked") || document.querySelectorAll("[data-rows=slots] form:not([hidden])").length < 3`)
	b.tabTo(`.acts form:not([hidden]) .danger`)
	b.press("\r")
	b.confirm()
	host.await("game over")
	b.press("gh")
	b.arrive("/history")
	testkit.Eventually(t, "the game is in the history", func() bool {
		b.do(chromedp.Reload())
		return b.text(`document.querySelector("main [data-row]")?.textContent ?? ""`) != ""
	})
	b.press("j\r")
	b.arrive("/history/.+")
	testkit.Eventually(t, "the replay is there", func() bool {
		b.do(chromedp.Reload())
		return b.text(`document.querySelector(".acts a[href$='/replay']")?.href ?? ""`) != ""
	})
	b.tabTo(".acts a[href$='/replay']")
	b.run(`fetch(document.activeElement.href).then(r => r.text()).then(text => window.replay = text.slice(0, 26))`)
	b.wait(`window.replay === "Warcraft III recorded game"`)
	b.tabTo("main td.nm a")
	b.press("\r")
	b.arrive("/players/bot-.")
	b.tabTo("input[name=reason]")
	b.press("too loud")
	b.tabTo("main button.danger")
	b.press("\r")
	b.confirm()
	b.wait(`document.readyState === "complete" && document.querySelector("main .plain").textContent.includes("too loud")`)
	b.press("gm")
	b.arrive("/maps")
	b.tabTo("summary")
	b.press("\r")
	b.tabTo("input[type=file]")
	brought := filepath.Join(t.TempDir(), "brought.w3x")
	write(t, brought, built)
	b.do(chromedp.SetUploadFiles("input[type=file]", []string{brought})) // what the dialog of the system does
	b.tabTo("form[data-upload] button")
	b.press("\r")
	b.wait(`location.search === "?q=brought.w3x"`)

	for _, path := range []string{"/", "/games/1", "/maps", "/history", "/players/bot-1", "/bans", "/system", "/checks", "/autohost", "/realms", "/audit", "/access", "/public"} {
		b.do(chromedp.Navigate(b.url + path))
		b.waitLive()
		for _, control := range b.tabOrder() {
			t.Errorf("%s: Tab does not show %s", path, control)
		}
	}

	// A tab that is not on the screen closes its stream, so that any number of them loads.
	b.do(chromedp.Navigate(b.url + "/"))
	b.waitLive()
	first := b.ctx
	for range 12 {
		b.run(`Object.defineProperty(document, "hidden", { value: true }); document.dispatchEvent(new Event("visibilitychange"))`) // a browser without a screen hides none
		tab, shut := chromedp.NewContext(first)
		defer shut()
		if err := chromedp.Do(tab, chromedp.Navigate("about:blank")); err != nil { // which begins it, for as long as tab lasts
			t.Fatal(err)
		}
		b.ctx = tab
		b.do(chromedp.Navigate(b.url + "/"))
		b.waitLive()
	}

	if err := host.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = host.cmd.Wait()
	b.wait(`document.getElementById("conn").dataset.state === "off"`)
	serve()
	began := time.Now()
	b.waitLive()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the page lives %v after the host", took)
	} else {
		t.Logf("the page lives %v after the host", took.Round(10*time.Millisecond))
	}
	b.wait(`document.querySelectorAll("[data-rows=lobbies] > article").length === 1`)
}
