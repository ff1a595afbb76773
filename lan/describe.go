package lan

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"w3host/lan/mdns"
	"w3host/protocol/w3gs"
)

// Keys of a description in the order used by real hosts; 1.30 has a different order.
var (
	keys130 = []string{
		"game_secret", "_type", "_subtype", "game_id", "_name", "players_max", "_flags", "players_num", "game_create_time", "game_data",
	}
	keys = []string{
		"players_num", "_name", "players_max", "game_create_time", "_type", "_subtype", "game_secret", "game_data", "game_id", "_flags",
	}
)

// services returns the mDNS services that describe the lobby to clients of 1.30 to 2.0, merging versions with equal
// data. opened is the start of the lobby's age.
func (ad *Advert) services(o *Options, opened time.Time, changes int32) (out []mdns.Service) {
	for _, version := range ad.Versions(o.Versions) {
		v := w3gs.Version(version)
		if !v.UsesMDNS() {
			continue
		}
		info := ad.Info(o.Product, version, 0)
		data := describe(info, v, opened, changes)
		subtype := subtypeOf(info.Product, v)
		if i := slices.IndexFunc(out, func(s mdns.Service) bool { return string(s.Data) == string(data) }); i >= 0 {
			out[i].Subtypes = append(out[i].Subtypes, subtype)
			continue
		}
		out = append(out, mdns.Service{Name: ad.Name, Subtypes: []string{subtype}, Port: ad.Port, Data: data})
	}
	return out
}

// subtypeOf returns the service subtype that clients of a version browse.
func subtypeOf(p w3gs.Product, v w3gs.Version) string {
	letters := "w3xp"
	if p == w3gs.ProductROC {
		letters = "war3"
	}
	return fmt.Sprintf("_%s%x", letters, v.LANNumber())
}

// describe builds the record of a lobby.
func describe(info w3gs.GameInfo, v w3gs.Version, opened time.Time, changes int32) []byte {
	stat := info.Stat
	stat.MapPath = v.MapPath(stat.MapPath)
	game := w3gs.GameData{Name: info.Name, Stat: stat, Slots: info.Slots, Type: info.Type, Port: info.Port}
	values := map[string]string{
		"players_num": decimal(uint32(Found{Info: info}.Players())), "players_max": decimal(info.Slots), "_name": info.Name,
		"game_create_time": strconv.FormatInt(opened.Unix(), 10), "game_id": decimal(info.GameID), "game_secret": decimal(info.EntryKey),
		"_type": "1", "_subtype": "0", "_flags": "0", "game_data": base64.StdEncoding.EncodeToString(game.AppendTo(nil, v)),
	}
	d := description{name: info.Name, messageID: changes}
	order := keys
	if v == 30 {
		order = keys130
	}
	for _, key := range order {
		d.entries = append(d.entries, pair{key, values[key]})
	}
	return d.appendTo(nil)
}

func decimal(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// described converts the record of a lobby to a 0x30.
func described(data []byte, want w3gs.SearchGame, now time.Time) (*w3gs.GameInfo, error) {
	var d description
	if err := d.decode(data); err != nil {
		return nil, err
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(d.value("game_data")))
	if err != nil {
		return nil, errEntries
	}
	var game w3gs.GameData
	if err := game.Decode(raw, w3gs.Version(want.Version)); err != nil {
		return nil, err
	}
	created, _ := strconv.ParseInt(d.value("game_create_time"), 10, 64)
	age := max(now.Unix()-created, 0)
	return &w3gs.GameInfo{
		Product: want.Product, Version: want.Version, GameID: d.number("game_id"), EntryKey: d.number("game_secret"),
		Name: game.Name, Password: game.Password, Stat: game.Stat, Slots: game.Slots, Type: game.Type, Unknown: 1,
		SlotsOpen: 1 + game.Slots - min(d.number("players_num"), 1+game.Slots), UptimeSeconds: uint32(min(age, 1<<31)), Port: game.Port,
	}, nil
}
