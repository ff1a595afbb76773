package session

import (
	"fmt"

	"w3host/realm/bncs"
)

// received handles a frame.
func (m *Machine) received(f bncs.Frame) {
	if m.state <= dialing {
		return
	}
	m.heard, m.hint = m.now, ""
	switch id := f.ID(); {
	case id == bncs.IDPing:
		take(m, f, func(p *bncs.Ping) { m.send(p) })
	case m.state == online && id == bncs.IDAdvertise:
		take(m, f, m.advertised)
	case m.state == online && id == bncs.IDListGames:
		take(m, f, m.found)
	case m.state == online && id == bncs.IDChatEvent:
		take(m, f, m.chatted)
	case m.state == online || id != awaited[m.state]:
	case m.state == greeting:
		take(m, f, m.greeted)
	case m.state == checking:
		take(m, f, m.checked)
	case m.state == creating:
		take(m, f, m.registered)
	case m.state == naming:
		take(m, f, m.named)
	case m.state == proving:
		take(m, f, m.proved)
	case m.state == entering:
		take(m, f, m.entered)
	}
}

// take decodes a frame and passes it to then. Invalid frames close the connection, because the following ones could not
// be trusted.
func take[T any, P interface {
	*T
	bncs.Packet
}](m *Machine, f bncs.Frame, then func(P)) {
	p := P(new(T))
	if err := f.Decode(p); err != nil {
		m.hangUp("the realm sent an invalid packet: "+err.Error(), 0)
		return
	}
	then(p)
}

func (m *Machine) greeted(p *bncs.AuthInfoReply) {
	m.await(checking, &bncs.AuthCheck{Token: p.ServerToken, Exe: m.cfg.Version.Exe, Owner: m.cfg.Account})
}

func (m *Machine) checked(p *bncs.AuthCheckReply) {
	if p.Result != bncs.VersionAccepted {
		m.hangUp(fmt.Sprintf("version refused: the realm does not accept 1.%d (result %#x); set game_version to one that it accepts", m.cfg.Version.Game, p.Result), refusedPause)
		return
	}
	m.logOn()
}

func (m *Machine) logOn() {
	m.await(naming, &bncs.Logon{Key: m.srp.Key(), Name: m.cfg.Account})
}

func (m *Machine) named(p *bncs.LogonReply) {
	hash := bncs.PasswordHash(string(m.cfg.Password))
	switch {
	case p.Result != 0 && m.cfg.Create && !m.created:
		m.created = true
		m.await(creating, &bncs.Create{Hash: hash, Name: m.cfg.Account})
	case p.Result != 0 && m.created:
		m.hangUp(fmt.Sprintf("account %s was registered but may not log on: it is blocked, or must be confirmed first", m.cfg.Account), refusedPause)
	case p.Result != 0:
		m.hangUp(fmt.Sprintf("the realm does not let account %s log on: it does not exist (create_account = true registers it), or it is blocked or logged on elsewhere", m.cfg.Account), refusedPause)
	case m.useSRP && p.Key == [32]byte{}:
		m.wrongPassword()
	case m.useSRP:
		hash, m.m2 = m.srp.Proofs(p.Salt, p.Key)
		m.await(proving, &bncs.Proof{Proof: hash})
	default:
		if p.Key == [32]byte{} {
			m.srp = nil // this account supports only XSHA1
		}
		m.await(proving, &bncs.Proof{Proof: hash})
	}
}

func (m *Machine) registered(p *bncs.CreateReply) {
	switch p.Result {
	case bncs.Created:
		m.logOn()
	case bncs.CreateExists:
		m.hangUp(fmt.Sprintf("account %s exists but may not log on, or the realm does not allow registration", m.cfg.Account), refusedPause)
	default:
		m.hangUp(fmt.Sprintf("the realm does not allow the account name %s (result %#x): 2 to 15 letters, digits, - _ [ ]", m.cfg.Account, p.Result), refusedPause)
	}
}

func (m *Machine) proved(p *bncs.ProofReply) {
	switch {
	case p.Result == bncs.WrongPassword && !m.useSRP && m.srp != nil:
		m.useSRP = true // official-style servers do not accept XSHA1
		m.logOn()
	case p.Result == bncs.WrongPassword:
		m.wrongPassword()
	case p.Result == bncs.AccountLocked:
		m.hangUp(fmt.Sprintf("account %s is locked: %.80s", m.cfg.Account, p.Text), refusedPause)
	case p.Result != bncs.LoggedOn && p.Result != bncs.LoggedOnNoMail:
		m.hangUp(fmt.Sprintf("logon of %s refused with result %#x", m.cfg.Account, p.Result), refusedPause)
	case m.useSRP && p.Proof != m.m2:
		m.hangUp("the realm cannot prove that it knows the password; check address", refusedPause)
	default:
		m.await(entering, &bncs.EnterChat{})
	}
}

func (m *Machine) wrongPassword() {
	m.hangUp(fmt.Sprintf("wrong password for account %s; PvPGN ignores case in passwords", m.cfg.Account), refusedPause)
}

func (m *Machine) entered(p *bncs.EnterChatReply) {
	m.state, m.since = online, m.now
	m.name = p.Name
	m.nullAt = m.now + nullEvery
	m.emit(Online{m.created})
}
