package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"w3host/storage"
)

const evidenceHelp = `w3host player evidence writes a zip file about what a player did in a game, for a ban request:

  report.txt     the game as shown by w3host game show, then bans and warnings of the player
  game.json      the game as JSON
  record.json    bans and warnings as JSON, including expired ones
  actions.txt    the player's actions, chat and leave, from the replay
  replay.w3g     the replay itself

Addresses are replaced by pseudonyms, which are the same for the same address in all files of this host. They are
made with a secret key in host.data_dir, so that no address can be computed from them. The file contains no private
chat between other players, no admin commands and no notes.

The game is given as for w3host game show.`

// evidence is the data for the files in the zip. Its JSON is record.json.
type evidence struct {
	game     *storage.GameDetail
	player   storage.GamePlayer
	Bans     []storage.Ban    `json:"bans"`
	Warnings []storage.Remark `json:"warnings"`
}

func evidenceCommand() *cobra.Command {
	c, cmd := newDBCommand("evidence KEY|NUMBER|last PLAYER", "export what a player did in a game, for a ban request", evidenceHelp)
	output := cmd.Flags().String("output", "", "write to this `FILE`, which must not exist; otherwise evidence-KEY-PID.zip in the current folder")
	var game gameName
	check := func() error {
		if len(c.names) != 2 {
			return errors.New("name a game and a player, such as: player evidence last Bob")
		}
		return game.parse(c.names[0])
	}
	return c.does(cmd, check, func(db *storage.Store) error {
		key, err := game.key(c)
		if err != nil {
			return err
		}
		e, err := gather(c.ctx, db, key, c.names[1])
		if err != nil {
			return err
		}
		set, err := settings(c.file)
		if err != nil {
			return err
		}
		hide, err := newAddressHider(set.EvidenceKey())
		if err != nil {
			return fmt.Errorf("cannot load the key that hides addresses: %w (check host.data_dir)", err)
		}
		name := cmp.Or(*output, fmt.Sprintf("evidence-%s-%d.zip", e.game.Key, e.player.PID))
		missing := ""
		err = writeFile(name, true, 0o600, func(f *os.File) (err error) {
			missing, err = c.pack(f, e, hide, set.Replays.Dir)
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(c.stdout, "%s: what %s did in %s\n", name, plainText(e.player.Name), plainText(e.game.Name))
		if missing != "" {
			fmt.Fprintf(c.stdout, "replay and actions are missing: %s\n", plainText(missing))
		}
		return c.audit(db, e.player.Name, "game "+e.game.Key.String())
	})
}

// gather reads the records of a game and of one of its players from the database. It drops private chat of others and
// admin commands.
func gather(ctx context.Context, db *storage.Store, key storage.GameKey, name string) (*evidence, error) {
	g, err := db.Game(ctx, key)
	if err != nil {
		return nil, err
	}
	var who []string
	at := -1
	for i, p := range g.People {
		if strings.EqualFold(p.Name, name) && (at < 0 || p.Slot >= 0) { // prefer the player's seat in the game to an earlier one in the lobby
			at = i
		}
		who = append(who, p.Name)
	}
	if at < 0 {
		return nil, fmt.Errorf("%q was not in that game; its players were: %s", name, strings.Join(who, ", "))
	}
	e := &evidence{game: g, player: g.People[at]}
	g.Audit = nil
	g.Chat = slices.DeleteFunc(g.Chat, func(l storage.ChatLine) bool {
		return l.Scope == storage.ChatPrivate && !strings.EqualFold(l.Name, e.player.Name) && !strings.EqualFold(l.To, e.player.Name)
	})
	addr, _ := netip.ParseAddr(e.player.Address) // empty if addresses are not stored
	bans, err := db.Bans(ctx, true)
	if err != nil {
		return nil, err
	}
	for _, b := range bans {
		if b.Matches(e.player.Name, addr, e.player.Realm, b.At) {
			e.Bans = append(e.Bans, b)
		}
	}
	remarks, err := db.Remarks(ctx, e.player.Name, mostWarnings)
	for _, r := range remarks {
		if r.Kind == storage.Warning {
			e.Warnings = append(e.Warnings, r)
		}
	}
	return e, err
}

const mostWarnings = 1000

// pack writes the zip file to w. It returns in missing why the replay could not be added; that is not an error.
func (c *dbCall) pack(w io.Writer, e *evidence, hide addressHider, replays string) (missing string, err error) {
	z := zip.NewWriter(w)
	var report bytes.Buffer
	err = e.report(&report)
	gameJSON, gameErr := json.MarshalIndent(e.game, "", "  ")
	recordJSON, recordErr := json.MarshalIndent(e, "", "  ")
	if err = cmp.Or(err, gameErr, recordErr); err != nil {
		return "", err
	}
	for _, part := range []struct {
		name string
		text []byte
	}{{"report.txt", report.Bytes()}, {"game.json", gameJSON}, {"record.json", recordJSON}} {
		if err := addFile(z, part.name, bytes.NewReader(hide.in(part.text))); err != nil {
			return "", err
		}
	}
	if missing, err = e.addReplay(c.ctx, z, replays); err != nil {
		return "", err
	}
	return missing, cmp.Or(c.ctx.Err(), z.Close()) // an interrupted file counts as failed
}

func addFile(z *zip.Writer, name string, from io.Reader) error {
	to, err := z.Create(name)
	if err == nil {
		_, err = io.Copy(to, from)
	}
	return err
}

// addReplay adds replay.w3g and actions.txt, the player's actions in it.
func (e *evidence) addReplay(ctx context.Context, z *zip.Writer, dir string) (missing string, err error) {
	if e.game.Replay == "" {
		return "the game was not recorded", nil
	}
	r, f, err := readReplay(filepath.Join(dir, filepath.Base(e.game.Replay)))
	if err != nil {
		return failed(e.game.Replay, err).Error(), nil
	}
	defer f.Close()
	to, err := z.Create("actions.txt")
	if err != nil {
		return "", err
	}
	if err := printActions(ctx, to, r, func(pid uint8) bool { return pid == e.player.PID }); err != nil {
		fmt.Fprintf(to, "the replay ends here: %v\n", err) // the host may have been killed while recording; the part before counts
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	return "", addFile(z, "replay.w3g", f)
}

// report writes report.txt: the game, then bans and warnings of the player.
func (e *evidence) report(w io.Writer) error {
	fmt.Fprintf(w, "Evidence about %s, player %d.\n\n", plainText(e.player.Name), e.player.PID)
	if err := printGame(w, e.game); err != nil {
		return err
	}
	rows := make([][]string, 0, len(e.Bans)+len(e.Warnings))
	for _, b := range e.Bans {
		state := either(b.Lifted.IsZero(), "holds", "over "+local(b.Lifted))
		rows = append(rows, []string{local(b.At), "ban of " + b.Target(), b.Reason, b.By, state})
	}
	for _, r := range e.Warnings {
		state := either(r.Lifted.IsZero(), "stands", "taken back "+local(r.Lifted))
		rows = append(rows, []string{local(r.At), "warning", r.Line, r.By, state})
	}
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprint(w, "\nBans and warnings\n")
	return table(w, "AT\tWHAT\tREASON\tBY\t", rows)
}
