-- +goose Up
-- Hosts that share this database. heartbeat_at moves every few seconds.
CREATE TABLE hosts (
    id           uuid PRIMARY KEY,
    run          uuid NOT NULL,
    name         text NOT NULL,
    version      text NOT NULL,
    started_at   timestamptz NOT NULL,
    heartbeat_at timestamptz NOT NULL,
    stopped_at   timestamptz
);

-- The last record of each host's spool that is in this database. It moves in
-- the same transaction as the records: so each is applied exactly once.
CREATE TABLE spool_positions (
    run     uuid PRIMARY KEY,
    host_id uuid NOT NULL,
    applied bigint NOT NULL
);

CREATE TABLE games (
    key          uuid PRIMARY KEY,
    host_id      uuid NOT NULL,
    run          uuid NOT NULL,
    name         text NOT NULL DEFAULT '',
    owner        text NOT NULL DEFAULT '',
    realm        text NOT NULL DEFAULT '',
    private      boolean NOT NULL DEFAULT false,
    game_id      bigint NOT NULL DEFAULT 0,
    version      text NOT NULL DEFAULT '',
    map_name     text NOT NULL DEFAULT '',
    map_path     text NOT NULL DEFAULT '',
    map_size     bigint NOT NULL DEFAULT 0,
    map_crc32    text NOT NULL DEFAULT '',
    map_checksum text NOT NULL DEFAULT '',
    map_sha1     text NOT NULL DEFAULT '',
    settings     jsonb NOT NULL DEFAULT '{}',
    latency_ms   bigint NOT NULL DEFAULT 0,
    seed         bigint NOT NULL DEFAULT 0,
    created_at   timestamptz,
    started_at   timestamptz,
    loaded_at    timestamptz,
    ended_at     timestamptz,
    ended        text NOT NULL DEFAULT '',
    ended_detail text NOT NULL DEFAULT '',
    turns        bigint NOT NULL DEFAULT 0,
    played_ms    bigint NOT NULL DEFAULT 0,
    replay       text NOT NULL DEFAULT ''
);
CREATE INDEX games_created_at ON games (created_at);
CREATE INDEX games_map ON games (map_sha1);
CREATE INDEX games_open ON games (host_id) WHERE ended_at IS NULL;

-- Everyone who joined. A pid comes again in a lobby when its player left, so
-- joined_seq tells them apart; slot and what follows are NULL for those who
-- left before the start.
CREATE TABLE game_players (
    game_key        uuid NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    pid             smallint NOT NULL,
    joined_seq      bigint NOT NULL,
    name            text NOT NULL DEFAULT '',
    name_key        text NOT NULL DEFAULT '',
    realm           text NOT NULL DEFAULT '',
    address         text,
    fake            boolean NOT NULL DEFAULT false,
    slot            smallint,
    team            smallint,
    colour          smallint,
    race            smallint,
    handicap        smallint,
    joined_at       timestamptz,
    loaded_after_ms bigint,
    left_at         timestamptz,
    left_turn       bigint,
    left_code       bigint,
    left_reason     text NOT NULL DEFAULT '',
    ping_ms         bigint,
    actions         bigint,
    PRIMARY KEY (game_key, pid, joined_seq)
);
CREATE INDEX game_players_name ON game_players (name_key, realm);
CREATE INDEX game_players_address ON game_players (address);

CREATE TABLE game_computers (
    game_key   uuid NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    slot       smallint NOT NULL,
    team       smallint NOT NULL,
    colour     smallint NOT NULL,
    race       smallint NOT NULL,
    handicap   smallint NOT NULL,
    difficulty smallint NOT NULL,
    PRIMARY KEY (game_key, slot)
);

CREATE TABLE chat (
    game_key  uuid NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq       bigint NOT NULL,
    at        timestamptz,
    turn      bigint NOT NULL,
    pid       smallint NOT NULL,
    name      text NOT NULL,
    scope     text NOT NULL,
    recipient text NOT NULL,
    line      text NOT NULL,
    PRIMARY KEY (game_key, seq)
);

CREATE TABLE lags (
    game_key     uuid NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq          bigint NOT NULL,
    at           timestamptz,
    turn         bigint NOT NULL,
    pid          smallint NOT NULL,
    lasted_ms    bigint NOT NULL,
    behind       bigint NOT NULL,
    ping_ms      bigint NOT NULL,
    host_late_ms bigint NOT NULL,
    backlog      bigint NOT NULL,
    cause        text NOT NULL,
    PRIMARY KEY (game_key, seq)
);

CREATE TABLE drops (
    game_key   uuid NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq        bigint NOT NULL,
    at         timestamptz,
    turn       bigint NOT NULL,
    pid        smallint NOT NULL,
    reason     text NOT NULL,
    decided_by text NOT NULL,
    votes      smallint NOT NULL,
    PRIMARY KEY (game_key, seq)
);

CREATE TABLE desyncs (
    game_key uuid NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq      bigint NOT NULL,
    at       timestamptz,
    turn     bigint NOT NULL,
    parts    jsonb NOT NULL,
    dossier  jsonb NOT NULL,
    PRIMARY KEY (game_key, seq)
);

CREATE TABLE downloads (
    game_key uuid NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq      bigint NOT NULL,
    at       timestamptz,
    pid      smallint NOT NULL,
    name     text NOT NULL,
    bytes    bigint NOT NULL,
    took_ms  bigint NOT NULL,
    complete boolean NOT NULL,
    detail   text NOT NULL,
    PRIMARY KEY (game_key, seq)
);

-- What maps report through W3MMD or DotA. pid is NULL for a value about the
-- whole game. Each sender's word is a row of its own.
CREATE TABLE results (
    game_key    uuid NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq         bigint NOT NULL,
    at          timestamptz,
    turn        bigint NOT NULL,
    source      text NOT NULL,
    sender      smallint NOT NULL,
    pid         smallint,
    name        text NOT NULL,
    value       text NOT NULL,
    number      double precision,
    contradicts boolean NOT NULL,
    PRIMARY KEY (game_key, seq)
);
CREATE INDEX results_name ON results (game_key, name, pid);

-- Who did what, when, on whom. Rows outlive their game.
CREATE TABLE audit (
    run      uuid NOT NULL,
    seq      bigint NOT NULL,
    at       timestamptz,
    game_key uuid,
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
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text NOT NULL DEFAULT '',
    name_key   text NOT NULL DEFAULT '',
    network    text NOT NULL DEFAULT '',
    realm      text NOT NULL DEFAULT '',
    reason     text NOT NULL DEFAULT '',
    banned_by  text NOT NULL DEFAULT '',
    banned_at  timestamptz NOT NULL,
    expires_at timestamptz,
    lifted_by  text NOT NULL DEFAULT '',
    lifted_at  timestamptz
);
CREATE UNIQUE INDEX bans_once ON bans (name_key, network, realm) WHERE lifted_at IS NULL;

CREATE TABLE admins (
    name_key text NOT NULL,
    realm    text NOT NULL,
    name     text NOT NULL,
    role     text NOT NULL,
    added_by text NOT NULL DEFAULT '',
    added_at timestamptz NOT NULL,
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
