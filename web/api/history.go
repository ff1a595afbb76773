package api

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"path/filepath"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"w3host/formats/mapconf"
	"w3host/storage"
	"w3host/web"
	"w3host/web/access"
)

// pastKey identifies a game of the game log.
type pastKey struct {
	Key string `path:"key" maxLength:"36" example:"018f0000-0000-7000-8000-000000000000"`
}

// find returns everything that the game log has about a game.
func (a *api) find(ctx context.Context, in *pastKey) (*body[*storage.GameDetail], error) {
	key, err := storage.ParseGameKey(in.Key)
	if err != nil || key.IsZero() {
		return nil, fault(http.StatusNotFound, "not_found", "this is no key of a game")
	}
	return ask(ctx, a, func(ctx context.Context) (*storage.GameDetail, error) { return a.DB.Game(ctx, key) })
}

// Said is a chat line.
type Said struct {
	At    time.Time `json:"at"`
	Turn  uint32    `json:"turn,omitempty" doc:"None: in the lobby"`
	Name  string    `json:"name"`
	Scope string    `json:"scope" enum:"lobby,all,allies,observers,private"`
	To    string    `json:"to,omitempty"`
	Text  string    `json:"text"`
}

func (a *api) getChat(ctx context.Context, in *pastKey) (*body[list[Said]], error) {
	g, err := a.find(ctx, in)
	if err != nil {
		return nil, err
	}
	return listOf(g.Body.Chat, func(c storage.ChatLine) Said { return Said{c.At, c.Turn, c.Name, string(c.Scope), c.To, c.Text} }), nil
}

func (a *api) getDossiers(ctx context.Context, in *pastKey) (*body[list[storage.Dossier]], error) {
	g, err := a.find(ctx, in)
	if err != nil {
		return nil, err
	}
	return listOf(g.Body.Dossiers, itself), nil
}

// getReplay sends the replay of a game.
func (a *api) getReplay(w http.ResponseWriter, r *http.Request) {
	g, err := a.find(r.Context(), &pastKey{r.PathValue("key")})
	var p *problem
	if errors.As(err, &p) {
		web.WriteProblem(w, p.Status, p.Code, p.Detail)
		return
	}
	name := g.Body.Replay
	if name == "" || g.Body.Ended == "" || !filepath.IsLocal(name) {
		web.WriteProblem(w, http.StatusNotFound, "not_found", "there is no replay of this game, or it is not complete yet")
		return
	}
	f, info, err := mapconf.Open(filepath.Join(a.Replays, name))
	if err != nil {
		web.WriteProblem(w, http.StatusNotFound, "not_found", "the replay of this game is not kept any more")
		return
	}
	defer f.Close()
	web.Slow(w, r)
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": filepath.Base(name)}))
	http.ServeContent(w, r, "", info.ModTime(), f)
}

// describeReplay adds the download of replays to the OpenAPI description.
func describeReplay(to huma.API) {
	document(to, access.Moderator, &huma.Operation{
		Method: http.MethodGet, Path: "/history/{key}/replay", OperationID: "getReplay", Summary: "The replay of a game, with all that was said in it",
		Parameters: []*huma.Param{{
			Name: "key", In: "path", Required: true,
			Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{"018f0000-0000-7000-8000-000000000000"}},
		}},
		Responses: map[string]*huma.Response{"200": {Description: "The file", Content: map[string]*huma.MediaType{"application/octet-stream": {}}}},
	}, map[string]string{"401": "Unauthorized", "403": "Forbidden", "404": "Not Found", "429": "Too Many Requests", "503": "Service Unavailable"})
}
