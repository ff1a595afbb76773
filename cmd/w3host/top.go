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

const topHelp = `w3host top shows the lobbies and games of a host and how they go: players, pings, how late
turns are sent, and why a lobby has not started. It asks the host on this machine, or with
--url the operator's window of any host (docs/web.md).

Arrows, PgUp, PgDn, Home and End move; Enter opens a game; s sorts by the next column,
r the other way round; / shows only games with a text in their name, map or players, p only
those in trouble. c says something in the chosen game or, behind !, gives a command there;
x kicks, d drops whom the others wait for: each command is asked about first. q ends it.
Without a terminal, or with --once, it prints one table, with --json values.`

const (
	// topEvery is how often the host is asked, topWithin how long it may take.
	topEvery  = time.Second
	topWithin = 5 * time.Second
)

// topHost is a host that is watched.
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
	fs.StringVar(&o.url, "url", "", "`URL` of a host's window, such as https://games.example.org; otherwise the host on this machine")
	fs.StringVar(&o.tokenFile, "token-file", "", "`FILE` with a token for --url, as w3host web token add --role viewer prints it")
	fs.StringVar(&o.socket, "socket", "", "the host's socket `FILE`; otherwise the configuration's")
	fs.BoolVar(&o.once, "once", false, "print one table, also to a terminal")
	fs.BoolVar(&o.json, "json", false, "print the lobbies and games as JSON, as w3host ctl --json games does")
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

// source is the host that the flags name.
func (o *topOptions) source() (*topHost, error) {
	switch {
	case o.url != "" && o.socket != "":
		return nil, usageError{errors.New("--url and --socket are two ways to one host: leave one out")}
	case o.url != "":
		return o.window()
	case o.tokenFile != "":
		return nil, usageError{errors.New("--token-file is for --url")}
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

// window asks the API.
func (o *topOptions) window() (*topHost, error) {
	base, err := url.Parse(o.url)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, usageError{fmt.Errorf("--url %q: want http:// or https:// and the host", o.url)}
	}
	if o.tokenFile == "" {
		return nil, usageError{errors.New("--url needs a --token-file: w3host web token add top --role viewer prints a token")}
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

// askJSON sends a request to the API and reads its answer, or the problem in it.
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
		_ = json.NewDecoder(http.MaxBytesReader(nil, answer.Body, 64<<10)).Decode(&problem) // it may come from a proxy
		if problem.Code == "refused" {
			return errors.New(problem.Detail)
		}
		return fmt.Errorf("%s: %s %s", to, answer.Status, problem.Detail)
	}
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
		return fmt.Errorf("%s: this is no answer of a w3host: %w", to, err)
	}
	return nil
}

// table is the list for users without a terminal: everything, one line for each game.
func (s *topScreen) table() []string {
	heading := mapped(topColumns, func(c topColumn) string { return c.title })
	return terminal.Table(append(heading, "NAME", "MAP", "WAITS FOR"), mapped(s.games, func(g control.Game) []string {
		return append(s.cells(&g), g.Name, g.Map, g.Waits)
	}))
}
