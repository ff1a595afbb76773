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
	// carryWithin bounds a line of another host: with two beats there is an answer while that one
	// waits for it.
	carryWithin = 2 * time.Second
	// replyWithin bounds how long an answer is written into the database.
	replyWithin = 2 * time.Second
	// mostPosts of other hosts are carried out at once, and as many are refused.
	mostPosts = 16
)

// post is a message of one host to another: a line of a caller, or the result of one.
type post struct {
	Asks    string          `json:"asks,omitempty"` // the session that wants the answer
	Caller  *command.Caller `json:"caller,omitempty"`
	Game    uint32          `json:"game,omitempty"`
	Line    string          `json:"line,omitempty"`
	Answers string          `json:"answers,omitempty"` // the post that it answers
	Said    []string        `json:"said,omitempty"`
	Refused string          `json:"refused,omitempty"`
}

// Number is that of this host; 0: it has none yet.
func (l *leases) Number() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.number
}

// Games lists the lobbies and games of the other hosts.
func (l *leases) Games(ctx context.Context) ([]storage.FleetGame, error) {
	return l.db.Games(ctx, l.Session())
}

// Session is the one that this host has now; empty: none.
func (l *leases) Session() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.session
}

// Place keeps room for one more lobby among those of all hosts. A beat that was begun before says a number without
// it, so that it is waited for.
func (l *leases) Place(ctx context.Context) (opened func(), err error) {
	if l.most == 0 {
		return func() {}, nil
	}
	unknown := texts.Of("the number of lobbies of all hosts is unknown: the database does not answer")
	if l.suspended() {
		return nil, unknown // at once: other callers wait for this one
	}
	l.mu.Lock()
	l.opening++ // from now on the beats count it
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

// Order has a host carry out a line, 0: all others, whose answers nobody wants.
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

// exchange sends a line to a host, and gives the caller its answer.
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
		return texts.Of("host %d has not answered; it may have done it all the same", h.Number)
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

// read takes a post of another host. It does not wait.
func (l *leases) read(got storage.Post) {
	var p post
	if err := json.Unmarshal([]byte(got.Body), &p); err != nil {
		l.log.Warn().Err(err).Msg("a post of another host cannot be read: is it of another version?")
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
		l.log.Warn().Str("line", p.Line).Msg("commands of other hosts are dropped: the database does not take the answers")
	}
}

// begin does something on a goroutine of its own if there is a place for it.
func begin(places chan struct{}, do func()) bool {
	select {
	case places <- struct{}{}:
		go func() { // ends with carryWithin and replyWithin
			defer func() { <-places }()
			do()
		}()
		return true
	default:
		return false
	}
}

// carryOut has the operator carry a line out, and sends the result.
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
		offer(refused)(texts.Of("host %d has not answered; it may have done it all the same", l.Number()).In(p.Caller.Language))
	}
	for len(said) > 0 {
		back.Said = append(back.Said, <-said)
	}
	if len(refused) > 0 {
		back.Refused = <-refused
	}
	l.reply(p, back)
}

// answered waits until no line of another host is carried out any more. It takes replyWithin at most once life is over.
func (l *leases) answered() {
	for range cap(l.busy) {
		l.busy <- struct{}{}
	}
}

// reply sends the result of a line, if anybody waits for it.
func (l *leases) reply(p, back *post) {
	if p.Asks == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.life), replyWithin) // "exit" is answered, too
	defer cancel()
	if err := l.deliver(ctx, storage.NewGameKey().String(), p.Asks, back); err != nil {
		l.log.Debug().Err(err).Msg("the answer to another host is lost")
	}
}
