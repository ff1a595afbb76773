//go:build linux && !portable && (amd64 || arm64)

package hold

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// retryGive is the pause before messages are sent again to a host whose socket was full.
const retryGive = 5 * time.Millisecond

// holder is the supervisor process. Its state belongs to the goroutine of serve.
type holder struct {
	Options
	launcher launcher
	held     kept
	vault    vault // nil: everything held ends with this process

	good time.Duration // a host that served and lived at least this long is replaced at once when it dies
	beat time.Duration // interval between checks of the watch

	host    *child          // the serving host; nil: none
	standby standby         // takes over when the host dies
	order   *order          // the current upgrade; nil: none
	next    *child          // the process that the upgrade has started and that waits; nil: none
	handing bool            // whether the host was told to hand over
	leaving map[*child]bool // hosts that have handed over and still end their remaining work

	program program // the file that the host runs
	before  program // the file of the previous host, until the upgraded host has served

	events    chan event
	quit      chan struct{} // closed when events are no longer read
	starts    attempts      // attempts since the last serving host has ended
	served    bool          // whether any host has served
	ending    bool
	code      int
	err       error
	checkedAt time.Time // time of the watch's last check
}

// Serve runs the supervisor: it starts a host, and another one whenever it dies, until one ends in order or starts keep
// failing. It blocks until then and returns the exit code of the last host.
func Serve(o Options) (code int, err error) {
	if os.Getpid() == 1 {
		go reapOrphans()
	}
	h := newHolder(o)
	if h.vault, err = openVault(o.Vault, h.held, o.Log); err != nil {
		return 1, err
	}
	starts := &system{command: o.Command}
	if r, ok := h.vault.(remote); ok {
		starts.vault = r.file
	}
	h.launcher = starts
	if h.served = len(h.held) > 0; h.served {
		h.Log("the previous supervisor has left %d descriptors", len(h.held))
	}
	return h.serve()
}

func newHolder(o Options) *holder {
	return &holder{
		Options: o, launcher: &system{command: o.Command}, held: kept{}, leaving: map[*child]bool{}, events: make(chan event), quit: make(chan struct{}),
		good: time.Second, beat: time.Second, program: program{path: "/proc/self/exe"},
	}
}

func (h *holder) serve() (code int, err error) {
	defer func() {
		close(h.quit)
		for name := range h.held {
			h.drop(name)
		}
		h.program.close()
		h.before.close()
		h.standby.end()
	}()
	h.starts, h.checkedAt = newAttempts(), time.Now()
	h.begin()
	watch := time.NewTicker(h.beat)
	defer watch.Stop()
	for h.host != nil || h.starts.again != nil || len(h.leaving) > 0 {
		select {
		case e := <-h.events:
			if e.over {
				h.gone(e.from, e.code)
				break
			}
			if !h.handing || e.from != h.host { // a host that hands over has one message left, done
				e.from.silent = 0
			}
			h.hear(e.from, &e.message)
		case sig := <-h.Signals:
			h.signal(sig)
		case <-h.starts.again:
			h.begin()
		case <-h.order.again():
			h.startNext()
		case <-watch.C:
			h.watch()
		case <-h.behind(): // a host's socket may have room again
		}
		for _, c := range h.children() {
			h.give(c)
		}
	}
	return h.code, h.err
}

// begin starts a host with everything that is held. A failed start is repeated, unless no host has ever served: then
// nothing can be lost, and the person who gave the command sees the error.
func (h *holder) begin() {
	h.starts.again = nil
	c, err := h.start(h.program.path, verbGo)
	switch {
	case err == nil:
		h.goOnWith(c)
	case !h.served:
		h.code, h.err = 1, err
	default:
		h.beginAgain(err)
	}
}

// beginAgain plans another start after a pause, or gives up.
func (h *holder) beginAgain(why error) {
	pause, ok := h.starts.retry()
	if !ok {
		h.code, h.err = 1, fmt.Errorf("no host has started successfully for %v; everything held is closed now; the last attempt: %w", patience, why)
		return
	}
	h.Log("%v; the next attempt is in %v", why, pause)
}

// goOnWith makes a process the serving host.
func (h *holder) goOnWith(c *child) {
	h.host = c
	c.silent = 0
	if err := h.Started(c.pid()); err != nil {
		h.Log("%v", err)
	}
}

// gone handles the end of a process.
func (h *holder) gone(c *child, code int) {
	switch {
	case c == h.standby.child:
		h.standby.child = nil
		h.Log("the standby has ended (exit code %d)", code)
	case c == h.next:
		h.next = nil
		h.refuse(fmt.Sprintf("the new program has ended before it was ready (exit code %d): what it has said is in the log", code))
	case c == h.host:
		if h.Ended != nil {
			h.Ended()
		}
		h.host, h.code, h.handing = nil, code, false
		h.refuse("the host has ended meanwhile")
		h.replace(c, code)
	}
	delete(h.leaving, c)
}

// replace starts a host in place of one that has ended, unless the supervisor is to end.
func (h *holder) replace(c *child, code int) {
	switch {
	case h.goOnWithStandby(c):
		h.Log("the host has ended (exit code %d); the standby goes on", code)
		return
	case h.ending || !h.served:
	case h.before.path != "" && !c.serving:
		h.Log("the new program has ended before it served (exit code %d): the one before goes on", code)
		h.program.close()
		h.program, h.before = h.before, program{}
		h.begin()
	case c.serving && time.Since(c.began) >= h.good:
		h.starts = newAttempts()
		h.Log("the host has ended (exit code %d); it is started again with the %d descriptors held for it", code, len(h.held))
		h.begin()
	default:
		h.beginAgain(fmt.Errorf("the host has ended soon after its start (exit code %d)", code))
	}
}

// signal handles a signal: it is passed to the host, except SIGUSR2, which starts an upgrade.
func (h *holder) signal(sig os.Signal) {
	switch sig {
	case syscall.SIGUSR2:
		h.upgrade("", nil)
		return
	case syscall.SIGTERM:
		h.starts.again = nil
		h.end()
		h.refuse("the host is to end")
	}
	if h.host != nil {
		h.host.signal(sig)
	}
}

// end makes sure that no other host is started, and ends the hosts that have handed over.
func (h *holder) end() {
	h.ending = true
	h.standby.end()
	for c := range h.leaving {
		c.signal(syscall.SIGTERM)
	}
}

// hear handles a message of a process. Descriptors from processes other than the serving host are closed.
func (h *holder) hear(c *child, m *message) {
	switch {
	case c == h.next && m.verb == verbReady && !h.handing:
		h.handing, h.host.silent = true, 0
		h.host.tell(message{verb: verbHandOver})
	case c == h.standby.child && m.verb == verbReady:
		h.standby.ready = true
	case c == h.host:
		h.do(c, m)
		return
	}
	for _, fd := range m.fds {
		_ = unix.Close(fd)
	}
}

func (h *holder) do(c *child, m *message) {
	switch m.verb {
	case verbPut, verbDrop:
		for i, n := range m.names {
			h.drop(n)
			if i < len(m.fds) {
				h.hold(n, m.fds[i])
			}
			for _, other := range h.children() {
				if other != c {
					other.todo = append(other.todo, n)
				}
			}
		}
	case verbServing:
		c.serving, h.served = true, true
		if h.before.path != "" {
			h.Log("the host was upgraded")
			h.before.close()
			h.before = program{}
		}
	case verbAlive:
		c.watched = true
	case verbEnding:
		h.end()
	case verbUpgrade:
		h.upgrade(m.text, c)
	case verbKeepStandby:
		h.keepStandby()
	case verbDone:
		h.takeOver()
	}
}

func (h *holder) hold(n Name, fd int) {
	h.held[n] = fd
	if h.vault != nil {
		h.lost(h.vault.put(n, fd))
	}
}

func (h *holder) drop(n Name) {
	if h.held.drop(n) && h.vault != nil {
		h.lost(h.vault.drop(n))
	}
}

// lost stops using the vault after an error.
func (h *holder) lost(err error) {
	if err != nil {
		h.Log("the vault is lost, so games would not survive the end of this supervisor: %v", err)
		h.vault = nil
	}
}
