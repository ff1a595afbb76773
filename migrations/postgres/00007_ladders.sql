-- +goose Up
-- Seasons of ladders, with the last game that is in: games are taken in the order in which they ended.
CREATE TABLE ladder_seasons (
    ladder     text NOT NULL,
    season     integer NOT NULL,
    definition text NOT NULL,
    cursor_at  timestamptz NOT NULL,
    cursor_key uuid NOT NULL,
    games      integer NOT NULL,
    final      boolean NOT NULL DEFAULT false,
    PRIMARY KEY (ladder, season)
);

-- The table of a season. recent has the letters of the last ten games, the newest first: W won, L lost, D drawn, Q left.
CREATE TABLE ladder_players (
    ladder    text NOT NULL,
    season    integer NOT NULL,
    name_key  text NOT NULL,
    realm     text NOT NULL,
    name      text NOT NULL,
    mu        double precision NOT NULL,
    sigma     double precision NOT NULL,
    games     integer NOT NULL,
    won       integer NOT NULL,
    lost      integer NOT NULL,
    drawn     integer NOT NULL,
    left_early integer NOT NULL,
    streak    integer NOT NULL,
    recent    text NOT NULL,
    last_game timestamptz NOT NULL,
    PRIMARY KEY (ladder, season, name_key, realm)
);
CREATE INDEX ladder_players_best ON ladder_players (ladder, season, (mu - 3 * sigma) DESC);
CREATE INDEX ladder_players_name ON ladder_players (name_key, realm);

-- The games that a season has taken. rated: it has changed ratings.
CREATE TABLE ladder_games (
    ladder   text NOT NULL,
    season   integer NOT NULL,
    game_key uuid NOT NULL,
    rated    boolean NOT NULL,
    PRIMARY KEY (ladder, season, game_key)
);

-- The rating of a player before and after a game.
CREATE TABLE ladder_results (
    ladder       text NOT NULL,
    season       integer NOT NULL,
    name_key     text NOT NULL,
    realm        text NOT NULL,
    ended_at     timestamptz NOT NULL,
    game_key     uuid NOT NULL,
    mu_before    double precision NOT NULL,
    sigma_before double precision NOT NULL,
    mu           double precision NOT NULL,
    sigma        double precision NOT NULL,
    result       text NOT NULL,
    PRIMARY KEY (ladder, season, name_key, realm, ended_at, game_key)
);
CREATE INDEX ladder_results_game ON ladder_results (game_key);
CREATE INDEX ladder_results_name ON ladder_results (name_key);
CREATE INDEX games_public_ended ON games (ended_at, key) WHERE NOT private AND loaded_at IS NOT NULL AND ended_at IS NOT NULL;

-- +goose Down
DROP INDEX games_public_ended;
DROP TABLE ladder_results;
DROP TABLE ladder_games;
DROP TABLE ladder_players;
DROP TABLE ladder_seasons;
