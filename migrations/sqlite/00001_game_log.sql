-- +goose Up
-- Times are text in UTC, like 2026-11-20T14:05:06.123Z: they sort, and the date
-- functions of SQLite read them. Keys are UUIDs as text, JSON is text.

-- Hosts that share this database. heartbeat_at moves every few seconds.
CREATE TABLE hosts (
    id           text PRIMARY KEY,
    run          text NOT NULL,
    name         text NOT NULL,
    version      text NOT NULL,
    started_at   text NOT NULL,
    heartbeat_at text NOT NULL,
    stopped_at   text
);

-- The last record of each host's spool that is in this database. It moves in
-- the same transaction as the records: so each is applied exactly once.
CREATE TABLE spool_positions (
    run     text PRIMARY KEY,
    host_id text NOT NULL,
    applied integer NOT NULL
);

CREATE TABLE games (
    key          text PRIMARY KEY,
    host_id      text NOT NULL,
    run          text NOT NULL,
    name         text NOT NULL DEFAULT '',
    owner        text NOT NULL DEFAULT '',
    realm        text NOT NULL DEFAULT '',
    private      boolean NOT NULL DEFAULT false,
    game_id      integer NOT NULL DEFAULT 0,
    version      text NOT NULL DEFAULT '',
    map_name     text NOT NULL DEFAULT '',
    map_path     text NOT NULL DEFAULT '',
    map_size     integer NOT NULL DEFAULT 0,
    map_crc32    text NOT NULL DEFAULT '',
    map_checksum text NOT NULL DEFAULT '',
    map_sha1     text NOT NULL DEFAULT '',
    settings     text NOT NULL DEFAULT '{}',
    latency_ms   integer NOT NULL DEFAULT 0,
    seed         integer NOT NULL DEFAULT 0,
    created_at   text,
    started_at   text,
    loaded_at    text,
    ended_at     text,
    ended        text NOT NULL DEFAULT '',
    ended_detail text NOT NULL DEFAULT '',
    turns        integer NOT NULL DEFAULT 0,
    played_ms    integer NOT NULL DEFAULT 0,
    replay       text NOT NULL DEFAULT ''
);
CREATE INDEX games_created_at ON games (created_at);
CREATE INDEX games_map ON games (map_sha1);
CREATE INDEX games_open ON games (host_id) WHERE ended_at IS NULL;

-- Everyone who joined. A pid comes again in a lobby when its player left, so
-- joined_seq tells them apart; slot and what follows are NULL for those who
-- left before the start.
CREATE TABLE game_players (
    game_key        text NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    pid             integer NOT NULL,
    joined_seq      integer NOT NULL,
    name            text NOT NULL DEFAULT '',
    name_key        text NOT NULL DEFAULT '',
    realm           text NOT NULL DEFAULT '',
    address         text,
    fake            boolean NOT NULL DEFAULT false,
    slot            integer,
    team            integer,
    colour          integer,
    race            integer,
    handicap        integer,
    joined_at       text,
    loaded_after_ms integer,
    left_at         text,
    left_turn       integer,
    left_code       integer,
    left_reason     text NOT NULL DEFAULT '',
    ping_ms         integer,
    actions         integer,
    PRIMARY KEY (game_key, pid, joined_seq)
);
CREATE INDEX game_players_name ON game_players (name_key, realm);
CREATE INDEX game_players_address ON game_players (address);

CREATE TABLE game_computers (
    game_key   text NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    slot       integer NOT NULL,
    team       integer NOT NULL,
    colour     integer NOT NULL,
    race       integer NOT NULL,
    handicap   integer NOT NULL,
    difficulty integer NOT NULL,
    PRIMARY KEY (game_key, slot)
);

CREATE TABLE chat (
    game_key  text NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq       integer NOT NULL,
    at        text,
    turn      integer NOT NULL,
    pid       integer NOT NULL,
    name      text NOT NULL,
    scope     text NOT NULL,
    recipient text NOT NULL,
    line      text NOT NULL,
    PRIMARY KEY (game_key, seq)
);

CREATE TABLE lags (
    game_key     text NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq          integer NOT NULL,
    at           text,
    turn         integer NOT NULL,
    pid          integer NOT NULL,
    lasted_ms    integer NOT NULL,
    behind       integer NOT NULL,
    ping_ms      integer NOT NULL,
    host_late_ms integer NOT NULL,
    backlog      integer NOT NULL,
    cause        text NOT NULL,
    PRIMARY KEY (game_key, seq)
);

CREATE TABLE drops (
    game_key   text NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq        integer NOT NULL,
    at         text,
    turn       integer NOT NULL,
    pid        integer NOT NULL,
    reason     text NOT NULL,
    decided_by text NOT NULL,
    votes      integer NOT NULL,
    PRIMARY KEY (game_key, seq)
);

CREATE TABLE desyncs (
    game_key text NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq      integer NOT NULL,
    at       text,
    turn     integer NOT NULL,
    parts    text NOT NULL,
    dossier  text NOT NULL,
    PRIMARY KEY (game_key, seq)
);

CREATE TABLE downloads (
    game_key text NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq      integer NOT NULL,
    at       text,
    pid      integer NOT NULL,
    name     text NOT NULL,
    bytes    integer NOT NULL,
    took_ms  integer NOT NULL,
    complete boolean NOT NULL,
    detail   text NOT NULL,
    PRIMARY KEY (game_key, seq)
);

-- What maps report through W3MMD or DotA. pid is NULL for a value about the
-- whole game. Each sender's word is a row of its own.
CREATE TABLE results (
    game_key    text NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq         integer NOT NULL,
    at          text,
    turn        integer NOT NULL,
    source      text NOT NULL,
    sender      integer NOT NULL,
    pid         integer,
    name        text NOT NULL,
    value       text NOT NULL,
    number      real,
    contradicts boolean NOT NULL,
    PRIMARY KEY (game_key, seq)
);
CREATE INDEX results_name ON results (game_key, name, pid);

-- Who did what, when, on whom. Rows outlive their game.
CREATE TABLE audit (
    run      text NOT NULL,
    seq      integer NOT NULL,
    at       text,
    game_key text,
    who      text NOT NULL,
    realm    text NOT NULL,
    via      text NOT NULL,
    action   text NOT NULL,
    target   text NOT NULL,
    detail   text NOT NULL,
    refused  text NOT NULL,
    PRIMARY KEY (run, seq)
);
CREATE INDEX audit_at ON audit (at);

-- A ban names a player, a network, or both; an empty realm means everywhere.
-- A lifted or expired ban stays as a row with lifted_at.
CREATE TABLE bans (
    id         integer PRIMARY KEY AUTOINCREMENT,
    name       text NOT NULL DEFAULT '',
    name_key   text NOT NULL DEFAULT '',
    network    text NOT NULL DEFAULT '',
    realm      text NOT NULL DEFAULT '',
    reason     text NOT NULL DEFAULT '',
    banned_by  text NOT NULL DEFAULT '',
    banned_at  text NOT NULL,
    expires_at text,
    lifted_by  text NOT NULL DEFAULT '',
    lifted_at  text
);
CREATE UNIQUE INDEX bans_once ON bans (name_key, network, realm) WHERE lifted_at IS NULL;

CREATE TABLE admins (
    name_key text NOT NULL,
    realm    text NOT NULL,
    name     text NOT NULL,
    role     text NOT NULL,
    added_by text NOT NULL DEFAULT '',
    added_at text NOT NULL,
    PRIMARY KEY (name_key, realm)
);

-- +goose Down
DROP TABLE admins;
DROP TABLE bans;
DROP TABLE audit;
DROP TABLE results;
DROP TABLE downloads;
DROP TABLE desyncs;
DROP TABLE drops;
DROP TABLE lags;
DROP TABLE chat;
DROP TABLE game_computers;
DROP TABLE game_players;
DROP TABLE games;
DROP TABLE spool_positions;
DROP TABLE hosts;
