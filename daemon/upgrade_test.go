package daemon

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/control"
	"w3host/hold"
	"w3host/host"
)

// askedClient is a holder that takes orders for upgrades.
type askedClient struct {
	hold.Client
	news chan hold.News
	err  error
}

func (s *askedClient) Upgrade(string) error   { return s.err }
func (s *askedClient) News() <-chan hold.News { return s.news }

// An upgrade has one answer, however it ends, and another one may be asked for afterwards.
func TestUpgradeIsAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		ends func(d *daemon, s *askedClient)
		want string // in the answer; empty: the new program goes on
		last bool   // this process asks for none any more
	}{
		"the holder refuses it": {func(_ *daemon, s *askedClient) { s.news <- hold.News{Verb: hold.Refused, Why: "it hangs"} }, "it hangs", false},
		"the new program hosts": {func(d *daemon, s *askedClient) {
			s.news <- hold.News{Verb: hold.HandOver}
			synctest.Wait()
			d.answerTo(d.underWay(), control.Upgraded{Moved: true}, nil) // as answerMoved does
		}, "", true},
		"the holder ends while games move": {func(_ *daemon, s *askedClient) { s.news <- hold.News{Verb: hold.HandOver}; close(s.news) }, "the supervisor (w3host serve --supervise) has ended", true},
		"the holder ends":                  {func(_ *daemon, s *askedClient) { close(s.news) }, "the supervisor (w3host serve --supervise) has ended", true},
		"the host stops":                   {func(d *daemon, _ *askedClient) { d.stop() }, "the host is stopping", true},
		"the holder says nothing":          {func(*daemon, *askedClient) { time.Sleep(answerWithin) }, "the supervisor has not answered for 3m0s", false},
		"twice, by a late answer": {func(_ *daemon, s *askedClient) {
			time.Sleep(answerWithin)
			synctest.Wait() // the caller has its answer
			s.news <- hold.News{Verb: hold.Refused, Why: "late"}
		}, "has not answered", false},
		"the host stops, is refused": {func(d *daemon, s *askedClient) { d.stop(); synctest.Wait(); s.news <- hold.News{Verb: hold.Refused} }, "the host is stopping", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &askedClient{news: make(chan hold.News)}
				d := &daemon{Options: Options{Supervisor: s}}
				d.ctx, d.stop = context.WithCancel(t.Context())
				defer d.stop()
				go d.hearHolder()
				var answers []error
				outlives := 0
				ask := func() error {
					return d.upgrade("", func() { outlives++ }, func(_ control.Upgraded, err error) { answers = append(answers, err) })
				}
				if err := ask(); err != nil {
					t.Fatal(err)
				}
				if err := ask(); err == nil {
					t.Error("a second upgrade under way")
				}
				c.ends(d, s)
				synctest.Wait()
				switch {
				case len(answers) != 1:
					t.Fatalf("%d answers", len(answers))
				case c.want == "" && answers[0] != nil, c.want != "" && (answers[0] == nil || !strings.Contains(answers[0].Error(), c.want)):
					t.Errorf("the answer is %v", answers[0])
				}
				if handed := d.handing.Load(); outlives > 1 || handed != (outlives == 1) {
					t.Errorf("the host hands over: %v; the caller was told to wait %d times", handed, outlives)
				}
				if !c.last {
					if err := ask(); err != nil {
						t.Errorf("the next: %v", err)
					}
				}
				if !strings.HasPrefix(c.want, "the supervisor (") {
					close(s.news)
				}
			})
		})
	}
}

// An order that the holder cannot take is refused at once, and is not under way.
func TestUpgradeWithoutHolder(t *testing.T) {
	s := &askedClient{err: hold.ErrEnded}
	d := &daemon{Options: Options{Supervisor: s}}
	for range 2 {
		if err := d.upgrade("", nil, func(control.Upgraded, error) { t.Error("an answer, too") }); !errors.Is(err, hold.ErrEnded) {
			t.Errorf("got %v", err)
		}
	}
}

// A standby that cannot take a changed configuration keeps the maps of the one before, too.
func TestReadAgainKeepsAll(t *testing.T) {
	before := config.Default()
	before.Host.DataDir, before.Database.Spool, before.Maps.Dir = t.TempDir(), t.TempDir(), t.TempDir()
	changed := before
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)
	changed.Host.DataDir, changed.Maps.Dir = filepath.Join(file, "data"), t.TempDir()
	d := &daemon{
		Options: Options{Config: before, Read: func() (config.Config, error) { return changed, nil }, Log: zerolog.Nop()},
		ctx:     t.Context(),
	}
	d.host.Inherited = host.Inherit(nil, d.Log)
	if err := d.openMaps(); err != nil {
		t.Fatal(err)
	}
	d.readAgain()
	if !reflect.DeepEqual(d.Config, before) || !reflect.DeepEqual(d.maps.current(), before) {
		t.Errorf("data in %s, maps in %s", d.Config.Host.DataDir, d.maps.current().Maps.Dir)
	}
}
