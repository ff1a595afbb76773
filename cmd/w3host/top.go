package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
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
r the other way round; q ends it. Without a terminal it prints one table.`

const (
	// topEvery is how often the host is asked, topWithin how long it may take.
	topEvery  = time.Second
	topWithin = 5 * time.Second
)

// topSource asks a host for its lobbies and games.
type topSource func(context.Context) ([]control.Game, error)

type topOptions struct {
	socket, file, url, tokenFile string
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
	configFlag(fs, &o.file)
	return cmd
}

func (o *topOptions) run(cmd *cobra.Command) error {
	ask, err := o.source()
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(cmd.Context(), topWithin)
	defer cancel()
	games, err := ask(within)
	if err != nil {
		complain(cmd, err)
		return exitCode(exitUsage)
	}
	if stdin, ok := cmd.InOrStdin().(*os.File); ok && terminal.Is(stdin) && terminal.Is(cmd.OutOrStdout()) {
		return showTop(cmd.Context(), stdin, cmd.OutOrStdout(), games, ask)
	}
	s := topScreen{now: time.Now(), sort: byNumber}
	s.take(games)
	for _, line := range s.table() {
		fmt.Fprintln(cmd.OutOrStdout(), line)
	}
	return nil
}

// source is whom the flags name.
func (o *topOptions) source() (topSource, error) {
	switch {
	case o.url != "" && o.socket != "":
		return nil, usageError{errors.New("--url and --socket are two ways to one host: leave one out")}
	case o.url != "":
		return o.window()
	case o.tokenFile != "":
		return nil, usageError{errors.New("--token-file is for --url")}
	case o.socket == "":
		c, err := settings(o.file)
		if err != nil {
			return nil, err
		}
		o.socket = c.ControlSocket()
	}
	return func(ctx context.Context) (games []control.Game, err error) {
		answer, err := control.Send(ctx, o.socket, control.Order{Command: "games"})
		if err != nil {
			return nil, err
		}
		if answer.Refused != "" {
			return nil, errors.New(answer.Refused)
		}
		data, err := json.Marshal(answer.Data)
		if err == nil {
			err = json.Unmarshal(data, &games)
		}
		return games, err
	}, nil
}

// window asks the API.
func (o *topOptions) window() (topSource, error) {
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
	return func(ctx context.Context) (games []control.Game, err error) {
		for after := "0"; ; {
			var page struct {
				Items []control.Game
				Next  string
			}
			to := base.JoinPath("api/v1/games")
			to.RawQuery = url.Values{"limit": {"1000"}, "after": {after}}.Encode()
			if err = getJSON(ctx, to.String(), token, &page); err != nil {
				return nil, err
			}
			games = append(games, page.Items...)
			if after = page.Next; after == "" {
				return games, nil
			}
		}
	}, nil
}

// getJSON reads an answer of the API, or the problem that it tells.
func getJSON(ctx context.Context, from, token string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("no host answers: %w", err)
	}
	defer answer.Body.Close()
	var problem struct{ Detail string }
	if answer.StatusCode != http.StatusOK {
		_ = json.NewDecoder(http.MaxBytesReader(nil, answer.Body, 64<<10)).Decode(&problem) // it may come from a proxy
		return fmt.Errorf("%s: %s %s", from, answer.Status, problem.Detail)
	}
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
		return fmt.Errorf("%s: this is no answer of a w3host: %w", from, err)
	}
	return nil
}
