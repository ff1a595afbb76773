-- +goose Up
-- docs/database.md describes the tables and their columns. Times are text in UTC,
-- like 2026-11-20T14:05:06.123Z: they sort, and the date functions of SQLite read
-- them. Keys are UUIDs as text, JSON is text.

-- The hosts that share this database. A row's heartbeat_at moves every few seconds.
CREATE TABLE hosts (
    id           text PRIMARY KEY,
    run          text NOT NULL,
    name         text NOT NULL,
    version      text NOT NULL,
    started_at   text NOT NULL,
    heartbeat_at text NOT NULL,
    stopped_at   text
);

-- The last applied record of each run's spool. It moves in the transaction that
-- writes the records, so that each is applied exactly once.
CREATE TABLE spool_positions (
    run     text PRIMARY KEY,
    host_id text NOT NULL,
    applied integer NOT NULL
);

-- counted: the game is in the totals below. rated: it is in the ratings, or says
-- nothing for them. players: without computers and fake players.
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
    replay       text NOT NULL DEFAULT '',
    players      integer NOT NULL DEFAULT 0,
    counted      boolean NOT NULL DEFAULT false,
    rated        boolean NOT NULL DEFAULT false
);
CREATE INDEX games_created_at ON games (created_at);
CREATE INDEX games_started_at ON games (started_at);
CREATE INDEX games_map_key ON games (map_sha1, key);
CREATE INDEX games_open ON games (host_id) WHERE ended_at IS NULL;
CREATE INDEX games_unrated ON games (ended_at, key) WHERE NOT rated AND ended_at IS NOT NULL;

-- Everyone who joined. A lobby gives the pid of a player who left to another, so
-- joined_seq tells them apart. slot to handicap are NULL for those who left before
-- the start.
CREATE TABLE game_players (
    game_key        text NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    pid             integer NOT NULL,
    joined_seq      integer NOT NULL,
    name            text NOT NULL DEFAULT '',
    name_key        text NOT NULL DEFAULT '',
    realm           text NOT NULL DEFAULT '',
    ip              text,
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
CREATE INDEX game_players_games ON game_players (name_key, game_key);
CREATE INDEX game_players_ip ON game_players (ip, name_key) WHERE ip IS NOT NULL;
CREATE INDEX game_players_with_ip ON game_players (game_key) WHERE ip IS NOT NULL;

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

-- A connection that broke and that the game waited for, or one that came back.
-- away_ms is 0 when the old connection seemed alive.
CREATE TABLE links (
    game_key text NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq      integer NOT NULL,
    at       text,
    turn     integer NOT NULL,
    pid      integer NOT NULL,
    resumed  boolean NOT NULL,
    away_ms  integer NOT NULL,
    reason   text NOT NULL,
    PRIMARY KEY (game_key, seq)
);

-- A player who saved the game; the clients of all players then wrote the file.
CREATE TABLE saves (
    game_key  text NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq       integer NOT NULL,
    at        text,
    turn      integer NOT NULL,
    pid       integer NOT NULL,
    file      text NOT NULL,
    played_ms integer NOT NULL,
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

-- What maps report through W3MMD or DotA, a row for each sender. pid is NULL for a
-- value about the whole game. doubtful: a player may have made it up; it counts for
-- nothing.
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
    doubtful    boolean NOT NULL DEFAULT false,
    PRIMARY KEY (game_key, seq)
);
CREATE INDEX results_name ON results (game_key, name, pid);

-- Rows of audit outlive their game.
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
CREATE INDEX audit_game ON audit (game_key) WHERE game_key IS NOT NULL;

-- A ban names a player, a network, or both. A lifted or expired ban stays as a row
-- with lifted_at.
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

-- A role belongs to a name, to whoever joins from a network, or to a name that joins
-- from a network.
CREATE TABLE admins (
    name_key text NOT NULL,
    realm    text NOT NULL,
    network  text NOT NULL DEFAULT '',
    name     text NOT NULL,
    role     text NOT NULL,
    added_by text NOT NULL DEFAULT '',
    added_at text NOT NULL,
    PRIMARY KEY (name_key, realm, network)
);

-- Admins of the LAN whose role counts only after !login.
CREATE TABLE passwords (
    name_key text PRIMARY KEY,
    name     text NOT NULL,
    hash     text NOT NULL,
    set_by   text NOT NULL DEFAULT '',
    set_at   text NOT NULL
);

-- What moderators write about a player: warnings and notes. A warning that was taken back, or
-- that has led to a ban, has lifted_at.
CREATE TABLE remarks (
    id        integer PRIMARY KEY AUTOINCREMENT,
    kind      text NOT NULL,
    name_key  text NOT NULL,
    name      text NOT NULL,
    line      text NOT NULL,
    made_by   text NOT NULL,
    made_at   text NOT NULL,
    lifted_by text NOT NULL DEFAULT '',
    lifted_at text,
    CONSTRAINT remarks_kind CHECK (kind IN ('warning', 'note'))
);
CREATE INDEX remarks_name ON remarks (name_key, made_at);

-- Whom a player does not want to read.
CREATE TABLE ignored (
    name_key  text NOT NULL,
    realm     text NOT NULL,
    other_key text NOT NULL,
    other     text NOT NULL,
    set_at    text NOT NULL,
    PRIMARY KEY (name_key, realm, other_key)
);

CREATE TABLE preferences (
    name_key text PRIMARY KEY,
    name     text NOT NULL,
    language text NOT NULL,
    set_at   text NOT NULL
);

-- Every change of bans and admins, by whatever program, moves a counter that the
-- hosts watch.
CREATE TABLE changes (
    topic   text PRIMARY KEY,
    counter integer NOT NULL
);
INSERT INTO changes (topic, counter) VALUES ('bans', 0), ('admins', 0);
-- +goose StatementBegin
CREATE TRIGGER bans_insert AFTER INSERT ON bans BEGIN UPDATE changes SET counter = counter + 1 WHERE topic = 'bans'; END;
CREATE TRIGGER bans_update AFTER UPDATE ON bans BEGIN UPDATE changes SET counter = counter + 1 WHERE topic = 'bans'; END;
CREATE TRIGGER bans_delete AFTER DELETE ON bans BEGIN UPDATE changes SET counter = counter + 1 WHERE topic = 'bans'; END;
CREATE TRIGGER admins_insert AFTER INSERT ON admins BEGIN UPDATE changes SET counter = counter + 1 WHERE topic = 'admins'; END;
CREATE TRIGGER admins_update AFTER UPDATE ON admins BEGIN UPDATE changes SET counter = counter + 1 WHERE topic = 'admins'; END;
CREATE TRIGGER admins_delete AFTER DELETE ON admins BEGIN UPDATE changes SET counter = counter + 1 WHERE topic = 'admins'; END;
CREATE TRIGGER passwords_insert AFTER INSERT ON passwords BEGIN UPDATE changes SET counter = counter + 1 WHERE topic = 'admins'; END;
CREATE TRIGGER passwords_update AFTER UPDATE ON passwords BEGIN UPDATE changes SET counter = counter + 1 WHERE topic = 'admins'; END;
CREATE TRIGGER passwords_delete AFTER DELETE ON passwords BEGIN UPDATE changes SET counter = counter + 1 WHERE topic = 'admins'; END;
-- +goose StatementEnd

-- The totals: sums over the games with counted, kept up in the transaction that
-- writes the records. pings counts the games with a round trip, ping_ms is the sum
-- over these.
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
    pings      integer NOT NULL,
    ping_ms    integer NOT NULL,
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

-- finished_ms is the sum over finished games, players the sum over games.
CREATE TABLE map_totals (
    map_sha1    text PRIMARY KEY,
    map_name    text NOT NULL,
    lobbies     integer NOT NULL,
    games       integer NOT NULL,
    finished    integer NOT NULL,
    desyncs     integer NOT NULL,
    finished_ms integer NOT NULL,
    players     integer NOT NULL,
    last_game   text
);
CREATE INDEX map_totals_games ON map_totals (games DESC, lobbies DESC, map_sha1);

CREATE TABLE day_totals (
    day     text PRIMARY KEY,
    lobbies integer NOT NULL,
    games   integer NOT NULL,
    desyncs integer NOT NULL,
    crashed integer NOT NULL,
    players integer NOT NULL
);

-- The skill of a player in a category of maps, as a normal distribution.
CREATE TABLE ratings (
    category text NOT NULL,
    name_key text NOT NULL,
    realm    text NOT NULL,
    name     text NOT NULL,
    mu       real NOT NULL,
    sigma    real NOT NULL,
    games    integer NOT NULL,
    PRIMARY KEY (name_key, realm, category)
);
CREATE INDEX ratings_best ON ratings (category, (mu - 3 * sigma) DESC);

-- One line per game, the latest with the highest key.
CREATE VIEW game_list AS
SELECT g.key, g.name, g.owner, g.realm, g.version, g.map_name, g.map_sha1, h.name AS host,
       g.created_at, g.started_at, g.loaded_at, g.ended_at, g.ended, g.ended_detail,
       g.turns, g.played_ms, g.latency_ms, g.replay, g.players,
       (SELECT count(*) FROM chat c WHERE c.game_key = g.key) AS chat_lines,
       (SELECT count(*) FROM desyncs d WHERE d.game_key = g.key) AS desyncs,
       substr(g.created_at, 1, 10) AS day
FROM games g LEFT JOIN hosts h ON h.id = g.host_id;

-- What maps reported. contradicted: two senders, or two rows of one sender, do not
-- agree on the value.
CREATE VIEW result_values AS
SELECT r.*, (r.contradicts OR
             min(r.value) OVER same <> max(r.value) OVER same) AS contradicted
FROM results r
WINDOW same AS (PARTITION BY r.game_key, r.source, r.pid, r.name);

-- One line per player and game they were in when it started. outcome is what the
-- map reported: won, lost, drew, left; 'disputed' when senders contradict each other.
CREATE VIEW played AS
SELECT p.game_key, p.pid, p.name, p.name_key, p.realm, p.ip AS address, p.slot, p.team, p.colour, p.race, p.handicap,
       p.loaded_after_ms, p.left_turn, p.left_code, p.left_reason, p.ping_ms, p.actions,
       g.map_name, g.map_sha1, g.started_at, g.loaded_at, coalesce(p.left_at, g.ended_at) AS left_at, g.ended,
       CASE WHEN g.loaded_at IS NULL OR coalesce(p.left_at, g.ended_at) < g.loaded_at THEN 0
            ELSE CAST(round((julianday(coalesce(p.left_at, g.ended_at)) - julianday(g.loaded_at)) * 86400000) AS integer) END AS played_ms,
       (SELECT CASE WHEN min(r.value) = max(r.value) AND NOT max(r.contradicts) THEN min(r.value)
                    WHEN min(r.value) IS NOT NULL THEN 'disputed' END
        FROM results r
        WHERE r.game_key = p.game_key AND r.pid = p.pid AND r.name = 'outcome' AND NOT r.doubtful) AS outcome,
       (SELECT count(*) FROM drops d WHERE d.game_key = p.game_key AND d.pid = p.pid) AS drops,
       (SELECT count(*) FROM lags l WHERE l.game_key = p.game_key AND l.pid = p.pid) AS lags
FROM game_players p
JOIN games g ON g.key = p.game_key
WHERE p.slot IS NOT NULL AND NOT p.fake;

CREATE VIEW player_stats AS
SELECT name_key, realm, name, games, won, lost, drawn, left_early, dropped, lags, played_ms, actions,
       CASE WHEN pings > 0 THEN CAST(ping_ms AS double precision) / pings END AS ping_ms, first_game, last_game
FROM player_totals WHERE games > 0;

CREATE VIEW map_stats AS
SELECT map_sha1, map_name, lobbies, games, finished, desyncs,
       CASE WHEN finished > 0 THEN CAST(finished_ms AS double precision) / finished END AS played_ms,
       CASE WHEN games > 0 THEN CAST(players AS double precision) / games END AS players, last_game
FROM map_totals WHERE lobbies > 0;

CREATE VIEW daily_games AS
SELECT day, lobbies, games, desyncs, crashed, players FROM day_totals WHERE lobbies > 0;

CREATE VIEW active_bans AS
SELECT id, name, network, realm, reason, banned_by, banned_at, expires_at
FROM bans
WHERE lifted_at IS NULL AND (expires_at IS NULL OR expires_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));

-- +goose Down
DROP VIEW active_bans;
DROP VIEW daily_games;
DROP VIEW map_stats;
DROP VIEW player_stats;
DROP VIEW played;
DROP VIEW result_values;
DROP VIEW game_list;
DROP TABLE ratings;
DROP TABLE day_totals;
DROP TABLE map_totals;
DROP TABLE player_value_totals;
DROP TABLE player_map_totals;
DROP TABLE player_totals;
DROP TABLE changes;
DROP TABLE preferences;
DROP TABLE ignored;
DROP TABLE remarks;
DROP TABLE passwords;
DROP TABLE admins;
DROP TABLE bans;
DROP TABLE audit;
DROP TABLE results;
DROP TABLE downloads;
DROP TABLE desyncs;
DROP TABLE saves;
DROP TABLE links;
DROP TABLE drops;
DROP TABLE lags;
DROP TABLE chat;
DROP TABLE game_computers;
DROP TABLE game_players;
DROP TABLE games;
DROP TABLE spool_positions;
DROP TABLE hosts;
