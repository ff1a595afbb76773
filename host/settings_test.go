package host

import (
	"reflect"
	"testing"
	"time"

	"w3host/command"
	"w3host/game"
	"w3host/lobby"
	"w3host/w3gs"
)

// TestLobbyOptionsReachTheGame: each field of LobbyOptions changes what a game is
// made from.
func TestLobbyOptionsReachTheGame(t *testing.T) {
	base := Options{Version: 26, Name: "Host", Lobby: LobbyOptions{
		Settings: w3gs.SpeedFast | w3gs.VisibilityDefault, Owner: OwnerFirst, Trigger: '!', SameAddress: lobby.AllowSame,
	}}
	made := func(o Options) any {
		cfg := o.gameConfig(1, "name", testMap(4))
		cfg.Lobby.RandomSeed = 0
		return cfg
	}
	fields := reflect.TypeFor[LobbyOptions]()
	for i := range fields.NumField() {
		o, name := base, fields.Field(i).Name
		switch f := reflect.ValueOf(&o.Lobby).Elem().Field(i); f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int:
			f.SetInt(3)
		case reflect.Int64:
			f.SetInt(int64(time.Minute))
		case reflect.Uint8:
			f.SetUint('.')
		case reflect.Uint32:
			f.SetUint(uint64(w3gs.SpeedSlow | w3gs.ObserversOn))
		case reflect.String:
			f.SetString("refuse")
		case reflect.Slice:
			f.Set(reflect.ValueOf([]string{"Ann"}))
		case reflect.Map:
			f.Set(reflect.ValueOf(command.Rules{"start": {Aliases: []string{"go"}}}))
		case reflect.Struct:
			f.Set(reflect.ValueOf(game.Cooldown{Burst: 3}))
		default:
			t.Fatalf("%s is a %v, of which the test knows no other value", name, f.Kind())
		}
		if reflect.DeepEqual(made(o), made(base)) {
			t.Errorf("%s has no effect", name)
		}
	}
}
