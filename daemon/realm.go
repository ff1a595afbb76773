package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"w3host/config"
	"w3host/control"
	"w3host/game/command"
	"w3host/host"
	"w3host/host/gamelist"
	"w3host/host/lookup"
	"w3host/lan"
	"w3host/protocol/w3gs"
	"w3host/realm"
	"w3host/realm/bncs"
	"w3host/realm/session"
	"w3host/texts"
)

// realmAccounts converts the [[realm]] sections of the configuration.
func realmAccounts(c config.Config, listen netip.AddrPort) []realm.Account {
	var list []realm.Account
	for i := range c.Realms {
		r := &c.Realms[i]
		version, _ := bncs.VersionOf(uint32(c.RealmVersion(r)))
		bind, _ := netip.ParseAddr(r.Bind)
		expect, _ := netip.ParseAddr(r.AdvertiseAddress)
		list = append(list, realm.Account{
			Realm: r.Name, Address: r.Address, Bind: bind, Expect: expect,
			Session: session.Config{
				Account: r.Account, Password: r.Password, Create: r.CreateAccount, Channel: r.Channel,
				Product: Product(c), Version: version, Language: r.Locale, Port: cmp.Or(uint16(r.AdvertisePort), listen.Port()), Games: r.Lobbies, Announce: r.Announce,
			},
		})
	}
	return list
}

// logOn starts the sessions of the configured accounts.
func logOn(c config.Config, listen netip.AddrPort, heard func(realm.Speech), log zerolog.Logger) (*realm.Realms, error) {
	unset := func(r config.Realm) bool { return r.AdvertisePort == 0 }
	if port := listen.Port(); port < 1024 && slices.ContainsFunc(c.Realms, unset) {
		log.Warn().Uint16("port", port).Msg("realms do not list ports below 1024; set advertise_port")
	}
	return realm.Start(realm.Options{
		Accounts: realmAccounts(c, listen), Barred: c.Fleet.Enabled, Heard: heard, Log: log.With().Str("part", "realm").Logger(),
	})
}

// SeenByRealm logs on to the first realm of a configuration, lists a lobby for a moment and returns the address to which
// the realm sends players. It is for w3host doctor.
func SeenByRealm(ctx context.Context, c config.Config, listen netip.AddrPort) (at netip.AddrPort, err error) {
	c.Realms[0].CreateAccount, c.Fleet.Enabled = false, false
	var log problems
	realms, err := logOn(c, listen, func(realm.Speech) {}, zerolog.New(&log).Level(zerolog.WarnLevel))
	if err != nil {
		return at, err
	}
	defer realms.Shutdown()
	ad := lan.Advert{GameID: 1, Name: "w3host doctor", Stat: w3gs.StatString{MapPath: `Maps\doctor.w3x`, HostName: "w3host"}, Count: lan.Count{Slots: 2, Open: 2}}
	if err := realms.Open(ad); err != nil {
		return at, err
	}
	every := time.NewTicker(50 * time.Millisecond)
	defer every.Stop()
	for !at.IsValid() {
		select {
		case <-ctx.Done():
			return at, errors.New("the realm did not list a lobby in time")
		case <-every.C:
			if why := log.reason.Load(); why != nil {
				return at, errors.New(*why)
			}
			at = realms.SeenAt(c.Realms[0].Name)
		}
	}
	return at, nil
}

// problems is a log writer that keeps the reason of the last line.
type problems struct{ reason atomic.Pointer[string] }

func (p *problems) Write(line []byte) (int, error) {
	var l struct{ Reason, Message string }
	if json.Unmarshal(line, &l) == nil {
		p.reason.Store(new(cmp.Or(l.Reason, l.Message)))
	}
	return len(line), nil
}

// advertisers announces lobbies on the LAN and on realms.
type advertisers struct {
	lan    gamelist.Advertiser // nil if lan.enabled is false
	realms *realm.Realms
	log    zerolog.Logger
}

// Open announces a lobby. If realms cannot list it, it is announced only on the LAN.
func (b advertisers) Open(ad lan.Advert) error {
	if !ad.Watched {
		if err := b.realms.Open(ad); err != nil {
			b.log.Error().Err(err).Uint32("game", ad.GameID).Msg("cannot list the lobby on realms")
		}
	}
	if b.lan == nil {
		return nil
	}
	return b.lan.Open(ad)
}

func (b advertisers) Update(gameID uint32, c lan.Count) {
	b.realms.Update(gameID, c)
	if b.lan != nil {
		b.lan.Update(gameID, c)
	}
}

func (b advertisers) Close(gameID uint32) {
	b.realms.Close(gameID)
	if b.lan != nil {
		b.lan.Close(gameID)
	}
}

const (
	// maxHeard is the number of lines that can wait until their callers' language is known; further ones are dropped.
	maxHeard = 256
	// languageTimeout is the time limit of that lookup; after a failure the database is not asked again for
	// languageRetry.
	languageTimeout = time.Second
	languageRetry   = 10 * time.Second
)

// realmCommands passes commands given on realms to the operator.
type realmCommands struct {
	admins  host.Admins
	people  lookup.People
	trigger string
	log     zerolog.Logger
	lines   chan realm.Speech
	retry   time.Time // earliest time of the next database lookup
}

// heard is called on an account's goroutine and does not block. Lines in a channel are commands only if they begin with
// the trigger.
func (e *realmCommands) heard(s realm.Speech) {
	line, triggered := strings.CutPrefix(strings.TrimSpace(s.Text), e.trigger)
	if line == "" || !triggered && !s.Whisper {
		return
	}
	s.Text = line
	select {
	case e.lines <- s:
	default:
		e.log.Warn().Str("realm", s.Realm).Str("player", s.From).Msg("command dropped: too many commands are waiting")
	}
}

// run passes on lines in their order until ctx ends.
func (e *realmCommands) run(ctx context.Context, operator *control.Operator) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-e.lines:
			level := e.admins.Level(host.Joiner{Name: s.From, Realm: s.Realm})
			by := &command.Caller{
				Name: s.From, Realm: s.Realm, Level: level, Language: e.language(ctx, s), Via: command.ViaChannel,
				Reply: func(text string) { s.Reply(text, level >= command.Admin) },
			}
			if s.Whisper {
				by.Via = command.ViaWhisper
			}
			operator.Hear(by, s.Text)
		}
	}
}

// language returns the language chosen by the caller, or that of the realm's locale, such as zhCN.
func (e *realmCommands) language(ctx context.Context, s realm.Speech) texts.Language {
	if time.Now().After(e.retry) {
		ctx, cancel := context.WithTimeout(ctx, languageTimeout)
		defer cancel()
		chosen, found, err := e.people.Language(ctx, s.From)
		if found {
			return chosen
		}
		if err != nil {
			e.retry = time.Now().Add(languageRetry)
			e.log.Debug().Err(err).Str("player", s.From).Msg("cannot look up the player's language; using the realm's")
		}
	}
	l, _ := texts.ParseLanguage(s.Locale[:2]) // config has checked the length
	return l
}
