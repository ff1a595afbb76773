package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"html"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"w3host/bots"
	"w3host/internal/terminal"
	"w3host/internal/testkit"
)

var pictures = flag.String("pictures", "", "draw the pictures of the documents into this `folder`; see scripts/pictures.sh")

// TestPictures draws the pictures of the documents from a real run: a console, the chat of a
// lobby, the timeline of the replay.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("drawn by scripts/pictures.sh")
	}
	folder, err := filepath.Abs(*pictures)
	if err != nil {
		t.Fatal(err)
	}
	draw := func(name, title string, rows []string) {
		write(t, filepath.Join(folder, name), screenSVG(title, rows))
	}
	dir := t.TempDir()
	p, slave := openPTY(t)
	_, scripts := mapFolder(t)
	p.env = []string{"NO_COLOR=1", "W3HOST_MAPS_SCRIPTS=" + scripts}
	addr, cmd := p.serve(slave, dir, "--autostart", "10")
	p.awaitRow(`is open: 10 slots`)
	draw("chat.svg", "a lobby's chat", lobbyChat(t, netip.MustParseAddrPort(addr)))
	p.press("games\r")
	p.awaitRow(`^#1 "w3host game": lobby`)
	if _, err := bots.Run(t.Context(), bots.Options{Addr: addr, Players: 10, Play: 20 * time.Second, LoadTime: 300 * time.Millisecond, NoStart: true}); err != nil {
		t.Fatal(err)
	}
	p.awaitRow(`#1 over`)
	p.press("help host\r")
	p.awaitRow(`^host <map>`)
	draw("console.svg", "the console", p.rows())
	p.press("quit\r")
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	replays, err := filepath.Glob(filepath.Join(dir, "replays", "*.w3g"))
	if err != nil || len(replays) != 1 {
		t.Fatalf("%d replays, %v", len(replays), err)
	}
	if code, _, errs := shell(t, "replay", "info", replays[0], "--svg", filepath.Join(folder, "timeline.svg")); code != exitOK {
		t.Fatal(errs)
	}
}

// TestGamePicture draws a running game of ten players in the web console.
func TestGamePicture(t *testing.T) {
	if *pictures == "" {
		t.Skip("drawn by scripts/pictures.sh")
	}
	folder, err := filepath.Abs(*pictures)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "config.toml")
	settings := "[host]\nlisten = \"127.0.0.1:0\"\ndata_dir = \"" + dir + "\"\n[lan]\nenabled = false\n[lobby]\nautostart = 10\n"
	write(t, config, settings)
	host := startProcess(t, dir, "serve", "--config", config)
	link := regexp.MustCompile(`http://\S+`).FindString(host.await("web console")["message"].(string))
	url, _, _ := strings.Cut(link, "/login")
	b := openBrowser(t, url)
	players := processCommand(t, dir, "bots", "--addr", host.addr, "--players", "10", "--minutes", "5", "--chat-every", "20s")
	if err := players.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = players.Process.Kill(); _ = players.Wait() })
	b.do(chromedp.EmulateViewport(1100, 1190), chromedp.Navigate(link))
	b.wait(`document.querySelector("#once input").value !== ""`)
	b.do(chromedp.Click("#once button"))
	b.wait(`location.pathname === "/"`)
	host.await("all have loaded")
	b.do(chromedp.Navigate(b.url + "/games/1"))
	b.waitLive()
	time.Sleep(time.Minute) // until the charts have something to show
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "game.png"), png, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// lobbyChat is what Ann reads and says in a lobby that Bob joins, too.
func lobbyChat(t *testing.T, addr netip.AddrPort) (rows []string) {
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	join := func(name string) *testkit.Client {
		c := testkit.Dial(t, addr)
		c.Name, c.Conduct = name, testkit.Player
		go c.Listen() // ends with the connection
		context.AfterFunc(ctx, func() { _ = c.Conn.Close() })
		c.Send(testkit.JoinPacket(1, 0, name))
		b := c.Until(0x04)
		c.PID = b[6+(int(b[4])|int(b[5])<<8)]
		return c
	}
	ann := join("Ann")
	bob, read := join("Bob"), 0
	rows = heard(ann, &read)
	for _, said := range []struct {
		by   *testkit.Client
		line string
	}{{ann, "!swap 1 2"}, {bob, "hello!"}, {ann, "!ping"}, {ann, "!stats bob"}, {ann, "!strat"}, {bob, "!start"}, {ann, "!help start"}} {
		if said.by == ann { // the host relays no line to its sender
			rows = append(rows, "Ann: "+said.line)
		}
		said.by.Say(said.line, 1, 2, 3)
		rows = append(rows, heard(ann, &read)...)
	}
	return rows
}

// heard are the lines that a client has read since the first n packets, once nothing more
// comes.
func heard(c *testkit.Client, n *int) (rows []string) {
	for settled := -1; settled != len(c.All()); time.Sleep(700 * time.Millisecond) {
		settled = len(c.All())
	}
	names := map[byte]string{}
	all := c.All()
	for i, h := range all {
		switch h.B[1] {
		case 0x06:
			name, _, _ := strings.Cut(string(h.B[9:]), "\x00")
			names[h.B[8]] = name
		case 0x0F:
			if i >= *n {
				who := cmp.Or(names[h.B[5+int(h.B[4])]], "w3host")
				rows = append(rows, terminal.Wrap(who+": "+testkit.ChatText(h.B), 78)...)
			}
		}
	}
	*n = len(all)
	return rows
}

// screenSVG draws the rows of a terminal.
func screenSVG(title string, rows []string) []byte {
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	const line, column, margin = 18, 8.4, 14
	height := len(rows)*line + 2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" role="img" aria-label="%s">`+"\n", 80*column+2*margin, height, title)
	b.WriteString(`<rect width="100%" height="100%" rx="8" fill="#1c1f26"/>` + "\n" +
		`<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#d8dce4" xml:space="preserve">` + "\n")
	for i, row := range rows {
		fmt.Fprintf(&b, `<text x="%d" y="%d" textLength="%.1f">%s</text>`+"\n", margin, margin+line*i+13, column*float64(terminal.Columns(row)), html.EscapeString(row))
	}
	b.WriteString("</g>\n</svg>\n")
	return []byte(b.String())
}
