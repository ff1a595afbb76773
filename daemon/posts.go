package daemon

import (
	"context"
	"encoding/json"
	"time"

	"w3host/game/command"
	"w3host/storage"
	"w3host/texts"
)

const (
	// carryWithin is the time limit for a command of another host. With two heartbeats for the transport, the answer
	// arrives while the other host waits for it.
	carryWithin = 2 * time.Second
	// replyWithin is the time limit for storing an answer in the database.
	replyWithin = 2 * time.Second
	// mostPosts is the number of commands of other hosts executed at the same time, and of those refused at the same
	// time.
	mostPosts = 16
)

// post is a message between hosts: a command of a caller, or its result.
type post struct {
	Asks    string          `json:"asks,omitempty"` // session that wants the answer
	Caller  *command.Caller `json:"caller,omitempty"`
	Game    uint32          `json:"game,omitempty"`
	Line    string          `json:"line,omitempty"`
	Answers string          `json:"answers,omitempty"` // id of the post that this answers
	Said    []string        `json:"said,omitempty"`
	Refused string          `json:"refused,omitempty"`
}

// Number returns this host's number in the fleet, or 0 if it has none yet.
func (l *leases) Number() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.number
}

// Games returns the lobbies and games of the other hosts.
func (l *leases) Games(ctx context.Context) ([]storage.FleetGame, error) {
	return l.db.Games(ctx, l.Session())
}

// Session returns this host's current session, or "".
func (l *leases) Session() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.session
}

// Place reserves one lobby within the limit for all hosts. It waits for a heartbeat in progress, whose load does not
// include this lobby.
func (l *leases) Place(ctx context.Context) (opened func(), err error) {
	if l.most == 0 {
		return func() {}, nil
	}
	unknown := texts.Of("the number of lobbies of all hosts is unknown: the database does not answer")
	if l.suspended() {
		return nil, unknown // at once, because other callers wait for this one
	}
	l.mu.Lock()
	l.opening++ // later heartbeats count it
	beating := l.beating
	l.mu.Unlock()
	opened = func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.opening--
	}
	select {
	case <-beating:
	case <-ctx.Done():
		opened()
		return nil, unknown
	}
	switch room, err := l.db.Place(ctx, l.Session(), l.most); {
	case err != nil:
		opened()
		return nil, unknown
	case !room:
		opened()
		return nil, texts.Of("the limit of lobbies and games of all hosts is reached (fleet.max_games)")
	}
	return opened, nil
}

// Order sends a command to a host; 0 means all others, whose answers are not wanted.
func (l *leases) Order(ctx context.Context, host int, by *command.Caller, game uint32, line string) error {
	hosts, err := l.db.Hosts(ctx)
	if err != nil {
		return texts.Of("the other hosts are unknown: the database does not answer")
	}
	self := l.Session()
	caller := command.Caller{Name: by.Name, Realm: by.Realm, Level: by.Level, Language: by.Language, Via: by.Via}
	for _, h := range hosts {
		if h.Session == self || host != 0 && h.Number != host {
			continue
		}
		p := post{Caller: &caller, Game: game, Line: line}
		if host != 0 {
			p.Asks = self
			return l.exchange(ctx, &h, by, &p)
		}
		if err := l.deliver(ctx, storage.NewGameKey().String(), h.Session, &p); err != nil {
			return err
		}
	}
	if host != 0 {
		return texts.Of("host %d does not answer", host)
	}
	return nil
}

// exchange sends a command to a host and passes its answer to the caller.
func (l *leases) exchange(ctx context.Context, h *storage.FleetHost, by *command.Caller, p *post) error {
	id := storage.NewGameKey().String()
	answer := make(chan post, 1)
	l.mu.Lock()
	l.awaited[id] = answer
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.awaited, id)
		l.mu.Unlock()
	}()
	if err := l.deliver(ctx, id, h.Session, p); err != nil {
		return texts.Of("host %d does not answer", h.Number)
	}
	select {
	case <-ctx.Done():
		return texts.Of("host %d has not answered; it may have executed the command nevertheless", h.Number)
	case p := <-answer:
		for _, line := range p.Said {
			by.Answer(line)
		}
		if p.Refused != "" {
			by.Deny(p.Refused)
		}
		return nil
	}
}

func (l *leases) deliver(ctx context.Context, id, session string, p *post) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return l.db.Send(ctx, session, storage.Post{ID: id, Body: string(text)})
}

// read handles a post of another host. It does not block.
func (l *leases) read(got storage.Post) {
	var p post
	if err := json.Unmarshal([]byte(got.Body), &p); err != nil {
		l.log.Warn().Err(err).Msg("cannot read a message of another host; it may run another version")
		return
	}
	if p.Caller == nil {
		l.mu.Lock()
		answer := l.awaited[p.Answers]
		delete(l.awaited, p.Answers)
		l.mu.Unlock()
		if answer != nil {
			answer <- p
		}
		return
	}
	back := post{Answers: got.ID}
	if begin(l.busy, func() { l.carryOut(&p, &back) }) {
		return
	}
	back.Refused = texts.Of("too many commands for other hosts are pending: try again in a few seconds").In(p.Caller.Language)
	if !begin(l.refusing, func() { l.reply(&p, &back) }) {
		l.log.Warn().Str("line", p.Line).Msg("dropping commands of other hosts, since the database does not accept the answers")
	}
}

// begin runs do on a goroutine if the semaphore has room, and reports whether it did.
func begin(places chan struct{}, do func()) bool {
	select {
	case places <- struct{}{}:
		go func() { // ends within carryWithin and replyWithin
			defer func() { <-places }()
			do()
		}()
		return true
	default:
		return false
	}
}

// carryOut executes a command of another host and sends the result.
func (l *leases) carryOut(p, back *post) {
	ctx, cancel := context.WithTimeout(l.life, carryWithin)
	defer cancel()
	said, refused := make(chan string, 64), make(chan string, 1)
	offer := func(to chan string) func(string) {
		return func(text string) {
			select {
			case to <- text:
			default:
			}
		}
	}
	p.Caller.Reply, p.Caller.Refuse = offer(said), offer(refused)
	if err := l.operator().Relay(ctx, p.Caller, p.Game, p.Line); err != nil && (len(said) == 0 || l.life.Err() == nil) {
		offer(refused)(texts.Of("host %d has not answered; it may have executed the command nevertheless", l.Number()).In(p.Caller.Language))
	}
	for len(said) > 0 {
		back.Said = append(back.Said, <-said)
	}
	if len(refused) > 0 {
		back.Refused = <-refused
	}
	l.reply(p, back)
}

// answered waits until no command of another host is being executed, for at most replyWithin once life has ended.
func (l *leases) answered() {
	for range cap(l.busy) {
		l.busy <- struct{}{}
	}
}

// reply sends the result of a command, if it is wanted.
func (l *leases) reply(p, back *post) {
	if p.Asks == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.life), replyWithin) // also answers "exit", which ends life
	defer cancel()
	if err := l.deliver(ctx, storage.NewGameKey().String(), p.Asks, back); err != nil {
		l.log.Debug().Err(err).Msg("the answer to another host was lost")
	}
}
