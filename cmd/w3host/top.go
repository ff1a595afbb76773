package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"w3host/control"
	"w3host/internal/terminal"
)

const topHelp = `w3host top shows the lobbies and games of a host and their state: players, pings, how late
turns are sent, and why a lobby has not started. It asks the host on this machine, or with
--url the web console of any host (docs/web.md).

Keys: arrows, PgUp, PgDn, Home and End move; Enter opens a game; s sorts by the next column,
r reverses the order; / filters by the name of the game, map or a player; p shows only games
with problems. c sends a chat line to the selected game, or a command if it starts with !;
x kicks a player, d drops the lagging players. Commands ask for confirmation. q quits.
Without a terminal, or with --once, it prints one table; with --json it prints JSON.`

const (
	topEvery  = time.Second     // polling interval
	topWithin = 5 * time.Second // time limit of a request
)

// topHost is the host that top monitors, reached by the control socket or by its web API.
type topHost struct {
	games func(context.Context) ([]control.Game, error)
	order func(context.Context, topOrder) (lines []string, err error)
}

type topOptions struct {
	socket, file, url, tokenFile string
	once, json                   bool
}

func topCommand() *cobra.Command {
	var o topOptions
	cmd := &cobra.Command{
		Use: "top", Short: "watch the lobbies and games of a host", Long: topHelp, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	fs := cmd.Flags()
	fs.StringVar(&o.url, "url", "", "`URL` of a host's web console, such as https://games.example.org; otherwise the host on this machine")
	fs.StringVar(&o.tokenFile, "token-file", "", "`FILE` with a token for --url, as printed by w3host web token add NAME --role viewer")
	fs.StringVar(&o.socket, "socket", "", "control socket `FILE` of the host; otherwise the one of the configuration")
	fs.BoolVar(&o.once, "once", false, "print one table and exit, even on a terminal")
	fs.BoolVar(&o.json, "json", false, "print the lobbies and games as JSON, like w3host ctl --json games")
	configFlag(fs, &o.file)
	return cmd
}

func (o *topOptions) run(cmd *cobra.Command) error {
	host, err := o.source()
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(cmd.Context(), topWithin)
	defer cancel()
	games, err := host.games(within)
	if err != nil {
		complain(cmd, err)
		return exitCode(exitUsage)
	}
	if o.json {
		return printJSON(cmd.OutOrStdout(), games)
	}
	if stdin, ok := cmd.InOrStdin().(*os.File); ok && !o.once && terminal.Is(stdin) && terminal.Is(cmd.OutOrStdout()) {
		return showTop(cmd.Context(), stdin, cmd.OutOrStdout(), games, host)
	}
	s := topScreen{now: time.Now(), sort: byNumber}
	s.take(games)
	for _, line := range s.table() {
		fmt.Fprintln(cmd.OutOrStdout(), line)
	}
	return nil
}

// source returns the host selected by the flags.
func (o *topOptions) source() (*topHost, error) {
	switch {
	case o.url != "" && o.socket != "":
		return nil, usageError{errors.New("use either --url or --socket")}
	case o.url != "":
		return o.window()
	case o.tokenFile != "":
		return nil, usageError{errors.New("--token-file needs --url")}
	}
	socket, err := controlSocket(o.socket, o.file)
	if err != nil {
		return nil, err
	}
	send := func(ctx context.Context, order control.Order) (control.Answer, error) {
		answer, err := control.Send(ctx, socket, order)
		if err == nil && answer.Refused != "" {
			err = errors.New(answer.Refused)
		}
		return answer, err
	}
	return &topHost{
		games: func(ctx context.Context) (games []control.Game, err error) {
			answer, err := send(ctx, control.Order{Command: "games"})
			if err != nil {
				return nil, err
			}
			data, err := json.Marshal(answer.Data)
			if err == nil {
				err = json.Unmarshal(data, &games)
			}
			return games, err
		},
		order: func(ctx context.Context, to topOrder) ([]string, error) {
			answer, err := send(ctx, control.Order{Game: to.id, Command: to.line})
			return answer.Lines, err
		},
	}, nil
}

// window returns a topHost that uses the web API at --url.
func (o *topOptions) window() (*topHost, error) {
	base, err := url.Parse(o.url)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, usageError{fmt.Errorf("--url %q: must be http:// or https:// with a host name", o.url)}
	}
	if o.tokenFile == "" {
		return nil, usageError{errors.New("--url needs --token-file; w3host web token add top --role viewer prints a token")}
	}
	text, err := os.ReadFile(o.tokenFile)
	if err != nil {
		return nil, usageError{fmt.Errorf("--token-file: %w", plainError(err))}
	}
	token := strings.TrimSpace(string(text))
	games := func(ctx context.Context) (games []control.Game, err error) {
		for after := "0"; ; {
			var page struct {
				Items []control.Game
				Next  string
			}
			to := base.JoinPath("api/v1/games")
			to.RawQuery = url.Values{"limit": {"1000"}, "after": {after}}.Encode()
			if err = askJSON(ctx, http.MethodGet, to.String(), token, nil, &page); err != nil {
				return nil, err
			}
			games = append(games, page.Items...)
			if after = page.Next; after == "" {
				return games, nil
			}
		}
	}
	order := func(ctx context.Context, o topOrder) ([]string, error) {
		var answer control.Answer
		to := base.JoinPath("api/v1/games", strconv.Itoa(int(o.id)), "commands")
		err := askJSON(ctx, http.MethodPost, to.String(), token, map[string]string{"line": o.line}, &answer)
		return answer.Lines, err
	}
	return &topHost{games, order}, nil
}

// askJSON sends a request to the web API and decodes the answer into into. A problem document of the host becomes the
// error.
func askJSON(ctx context.Context, method, to, token string, body, into any) error {
	var text bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&text).Encode(body); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, to, &text)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("no host answers: %w", err)
	}
	defer answer.Body.Close()
	var problem struct{ Code, Detail string }
	if answer.StatusCode != http.StatusOK {
		_ = json.NewDecoder(http.MaxBytesReader(nil, answer.Body, 64<<10)).Decode(&problem) // a failed decode leaves problem empty: the answer may come from a proxy
		if problem.Code == "refused" {
			return errors.New(problem.Detail)
		}
		return fmt.Errorf("%s: %s %s", to, answer.Status, problem.Detail)
	}
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
		return fmt.Errorf("%s: not an answer of w3host: %w", to, err)
	}
	return nil
}

// table returns all games as text, one line each, for output without a terminal.
func (s *topScreen) table() []string {
	heading := mapped(topColumns, func(c topColumn) string { return c.title })
	return terminal.Table(append(heading, "NAME", "MAP", "WAITS FOR"), mapped(s.games, func(g control.Game) []string {
		return append(s.cells(&g), g.Name, g.Map, g.Waits)
	}))
}
