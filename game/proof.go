package game

import "w3host/texts"

// Sentences about the proof of a realm's name, which the host takes.
var (
	NameOfLAN    = texts.Of("You joined on the local network, where names are not confirmed.")
	NameProven   = texts.Of("Your name is already confirmed.")
	NoMoreProofs = texts.Of("Too many wrong codes. Whisper the one that sc shows you here instead.")
)

// HowToProve says which code proves the name, whispered to the host's account.
func HowToProve(account, realm, code string) texts.Text {
	return texts.Of("Your name is not confirmed yet. Whisper this to %s on %s: sc %s", account, realm, code)
}

// WrongProof is for a code that was typed.
func WrongProof(account, realm string) texts.Text {
	return texts.Of("That code is wrong. Whisper sc to %s on %s, and type the answer here.", account, realm)
}
