package session

import (
	"fmt"

	"w3host/bncs"
)

// received takes a frame. What does not parse costs the connection: a realm that
// lies about lengths cannot be followed any more.
func (m *Machine) received(f bncs.Frame) {
	if m.state <= dialing {
		return
	}
	m.unheard = 0
	m.hint = ""
	if f.ID() == bncs.IDPing {
		var p bncs.Ping
		if m.decode(&p, f) {
			m.send(&p)
		}
		return
	}
	if m.state == online {
		m.heard(f)
		return
	}
	if f.ID() != awaited[m.state] {
		return
	}
	switch m.state {
	case greeting:
		m.greeted(f)
	case checking:
		m.checked(f)
	case creating:
		m.registered(f)
	case naming:
		m.named(f)
	case proving:
		m.proved(f)
	case entering:
		m.entered(f)
	}
}

// decode reads a frame, or hangs up.
func (m *Machine) decode(p interface{ Decode([]byte) error }, f bncs.Frame) bool {
	if err := p.Decode(f.Body()); err != nil {
		m.hangUp("the realm sent garbage: "+err.Error(), 0)
		return false
	}
	return true
}

func (m *Machine) greeted(f bncs.Frame) {
	var p bncs.AuthInfoReply
	if m.decode(&p, f) {
		m.await(checking, &bncs.AuthCheck{Token: p.ServerToken, Exe: m.cfg.Version.Exe, Owner: m.cfg.Account})
	}
}

func (m *Machine) checked(f bncs.Frame) {
	var p bncs.AuthCheckReply
	switch {
	case !m.decode(&p, f):
	case p.Result != bncs.VersionAccepted:
		m.hangUp(fmt.Sprintf("version refused: the realm does not take 1.%d (result %#x); set game_version to one that it takes", m.cfg.Version.Game, p.Result), refusedPause)
	default:
		m.logOn()
	}
}

func (m *Machine) logOn() {
	m.await(naming, &bncs.Logon{Key: m.srp.Key(), Name: m.cfg.Account})
}

func (m *Machine) named(f bncs.Frame) {
	var p bncs.LogonReply
	if !m.decode(&p, f) {
		return
	}
	switch {
	case p.Result != 0 && m.cfg.Create && !m.created:
		m.created = true
		m.await(creating, &bncs.Create{Hash: bncs.PasswordHash(string(m.cfg.Password)), Name: m.cfg.Account})
		return
	case p.Result != 0 && m.created:
		m.hangUp(fmt.Sprintf("account %s was registered, but may not log on: it is barred, or must be confirmed first", m.cfg.Account), refusedPause)
		return
	case p.Result != 0:
		m.hangUp(fmt.Sprintf("no such account: the realm does not let %s log on; register it (create_account = true does), or it is barred or logged on elsewhere", m.cfg.Account), refusedPause)
		return
	}
	proof := bncs.PasswordHash(string(m.cfg.Password))
	m.m2 = [20]byte{}
	switch {
	case m.useSRP && p.Key == [32]byte{}:
		m.wrongPassword()
		return
	case m.useSRP:
		proof, m.m2 = m.srp.Proofs(p.Salt, p.Key)
	case p.Key == [32]byte{}:
		m.srp = nil // this account knows XSHA1 only
	}
	m.await(proving, &bncs.Proof{Proof: proof})
}

func (m *Machine) registered(f bncs.Frame) {
	var p bncs.CreateReply
	if !m.decode(&p, f) {
		return
	}
	switch p.Result {
	case bncs.Created:
		m.logOn()
	case bncs.CreateExists:
		m.hangUp(fmt.Sprintf("account %s exists and may not log on, or the realm takes no registrations", m.cfg.Account), refusedPause)
	default:
		m.hangUp(fmt.Sprintf("the realm does not allow the account name %s (result %#x): 2 to 15 letters, digits, - _ [ ]", m.cfg.Account, p.Result), refusedPause)
	}
}

func (m *Machine) proved(f bncs.Frame) {
	var p bncs.ProofReply
	if !m.decode(&p, f) {
		return
	}
	switch {
	case p.Result == bncs.WrongPassword && !m.useSRP && m.srp != nil:
		m.useSRP = true // an official-style server takes no XSHA1
		m.logOn()
	case p.Result == bncs.WrongPassword:
		m.wrongPassword()
	case p.Result == bncs.AccountLocked:
		m.hangUp(fmt.Sprintf("account %s is locked: %.80s", m.cfg.Account, p.Text), refusedPause)
	case p.Result != bncs.LoggedOn && p.Result != bncs.LoggedOnNoMail:
		m.hangUp(fmt.Sprintf("log-on of %s refused with result %#x", m.cfg.Account, p.Result), refusedPause)
	case m.useSRP && p.Proof != m.m2:
		m.hangUp("the realm cannot prove that it knows the password: is address right?", refusedPause)
	default:
		m.await(entering, &bncs.EnterChat{})
	}
}

func (m *Machine) wrongPassword() {
	m.hangUp(fmt.Sprintf("wrong password for account %s; PvPGN compares lower-cased passwords", m.cfg.Account), refusedPause)
}

func (m *Machine) entered(f bncs.Frame) {
	var p bncs.EnterChatReply
	if !m.decode(&p, f) {
		return
	}
	m.state, m.since = online, m.now
	m.name = p.Name
	m.nullAt, m.unheard = m.now+nullEvery, 0
	m.emit(Online{m.created})
}
