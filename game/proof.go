package game

import "w3host/texts"

// Messages about the confirmation of a realm name. The host performs it.
var (
	NameOfLAN    = texts.Of("You joined on the local network, where names are not confirmed.")
	NameProven   = texts.Of("Your name is already confirmed.")
	NoMoreProofs = texts.Of("Too many wrong codes. Whisper the one that sc shows you here instead.")
)

// HowToProve returns the instruction to whisper a code to the host's account on the realm.
func HowToProve(account, realm, code string) texts.Text {
	return texts.Of("Your name is not confirmed yet. Whisper this to %s on %s: sc %s", account, realm, code)
}

// WrongProof returns the answer to a wrong code typed in the lobby.
func WrongProof(account, realm string) texts.Text {
	return texts.Of("That code is wrong. Whisper sc to %s on %s, and type the answer here.", account, realm)
}
