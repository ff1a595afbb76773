-- +goose Up
-- What is there already is carried over afterwards in small batches (w3host
-- migrate up, or a host in the background).

-- counted: the game is in the totals below. players: who played, without
-- computers and fake players.
ALTER TABLE games ADD COLUMN counted boolean NOT NULL DEFAULT false;
ALTER TABLE games ADD COLUMN players integer NOT NULL DEFAULT 0;
ALTER TABLE game_players RENAME COLUMN address TO ip;

-- The totals: sums over the games with counted, kept up in the transaction that
-- writes the records. First the player, then what is summed up.
CREATE TABLE player_totals (
    name_key   text NOT NULL,
    realm      text NOT NULL,
    name       text NOT NULL,
    games      integer NOT NULL,
    won        integer NOT NULL,
    lost       integer NOT NULL,
    drawn      integer NOT NULL,
    left_early integer NOT NULL,
    dropped    integer NOT NULL,
    lags       integer NOT NULL,
    played_ms  integer NOT NULL,
    actions    integer NOT NULL,
    pings      integer NOT NULL, -- games with a round trip
    ping_ms    integer NOT NULL, -- the sum over these
    first_game text,
    last_game  text,
    PRIMARY KEY (name_key, realm)
);
CREATE INDEX player_totals_won ON player_totals (won DESC, lost, name_key);
CREATE INDEX player_totals_games ON player_totals (games DESC, name_key);

CREATE TABLE player_map_totals (
    name_key text NOT NULL,
    realm    text NOT NULL,
    map_sha1 text NOT NULL,
    map_name text NOT NULL,
    name     text NOT NULL,
    games    integer NOT NULL,
    won      integer NOT NULL,
    lost     integer NOT NULL,
    PRIMARY KEY (name_key, realm, map_sha1)
);
CREATE INDEX player_map_totals_won ON player_map_totals (map_sha1, won DESC, lost, name_key);

CREATE TABLE player_value_totals (
    name_key text NOT NULL,
    realm    text NOT NULL,
    source   text NOT NULL,
    name     text NOT NULL,
    games    integer NOT NULL,
    sum      real NOT NULL,
    most     real NOT NULL,
    PRIMARY KEY (name_key, realm, source, name)
);

CREATE TABLE map_totals (
    map_sha1    text PRIMARY KEY,
    map_name    text NOT NULL,
    lobbies     integer NOT NULL,
    games       integer NOT NULL,
    finished    integer NOT NULL,
    desyncs     integer NOT NULL,
    finished_ms integer NOT NULL, -- the sum over finished games
    players     integer NOT NULL, -- the sum over games
    last_game   text
);
CREATE INDEX map_totals_games ON map_totals (games DESC, lobbies DESC, map_sha1);

CREATE TABLE day_totals (
    day      text PRIMARY KEY,
    lobbies  integer NOT NULL,
    games    integer NOT NULL,
    desyncs  integer NOT NULL,
    crashed  integer NOT NULL,
    players  integer NOT NULL
);

-- +goose Down
DROP TABLE day_totals;
DROP TABLE map_totals;
DROP TABLE player_value_totals;
DROP TABLE player_map_totals;
DROP TABLE player_totals;
ALTER TABLE game_players RENAME COLUMN ip TO address;
ALTER TABLE games DROP COLUMN players;
ALTER TABLE games DROP COLUMN counted;
