-- +goose Up
-- docs/database.md describes the tables and their columns.

-- The hosts that share this database. A row's heartbeat_at moves every few seconds.
CREATE TABLE hosts (
    id           uuid PRIMARY KEY,
    run          uuid NOT NULL,
    name         text NOT NULL,
    version      text NOT NULL,
    started_at   timestamptz NOT NULL,
    heartbeat_at timestamptz NOT NULL,
    stopped_at   timestamptz
);

-- The last applied record of each run's spool. It moves in the transaction that
-- writes the records, so that each is applied exactly once.
CREATE TABLE spool_positions (
    run     uuid PRIMARY KEY,
    host_id uuid NOT NULL,
    applied bigint NOT NULL
);

-- counted: the game is in the totals below. rated: it is in the ratings, or says
-- nothing for them. players: without computers and fake players.
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
    replay       text NOT NULL DEFAULT '',
    players      integer NOT NULL DEFAULT 0,
    counted      boolean NOT NULL DEFAULT false,
    rated        boolean NOT NULL DEFAULT false,
    CONSTRAINT games_numbers CHECK (game_id BETWEEN 0 AND 4294967295 AND seed BETWEEN 0 AND 4294967295
        AND turns BETWEEN 0 AND 4294967295 AND map_size >= 0 AND players >= 0),
    CONSTRAINT games_map_hex CHECK (map_crc32 ~ '^([0-9a-f]{8})?$' AND map_checksum ~ '^([0-9a-f]{8})?$'
        AND map_sha1 ~ '^([0-9a-f]{40})?$')
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
    game_key        uuid NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    pid             smallint NOT NULL,
    joined_seq      bigint NOT NULL,
    name            text NOT NULL DEFAULT '',
    name_key        text NOT NULL DEFAULT '',
    realm           text NOT NULL DEFAULT '',
    ip              inet,
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
    PRIMARY KEY (game_key, pid, joined_seq),
    CONSTRAINT game_players_bytes CHECK (pid BETWEEN 0 AND 255 AND slot BETWEEN 0 AND 255 AND team BETWEEN 0 AND 255
        AND colour BETWEEN 0 AND 255 AND race BETWEEN 0 AND 255 AND handicap BETWEEN 0 AND 255),
    CONSTRAINT game_players_numbers CHECK (joined_seq >= 0 AND left_turn >= 0 AND left_code >= 0 AND actions >= 0)
);
CREATE INDEX game_players_games ON game_players (name_key, game_key);
CREATE INDEX game_players_ip ON game_players (ip, name_key) WHERE ip IS NOT NULL;
CREATE INDEX game_players_with_ip ON game_players (game_key) WHERE ip IS NOT NULL;

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

-- A connection that broke and that the game waited for, or one that came back.
-- away_ms is 0 when the old connection seemed alive.
CREATE TABLE links (
    game_key uuid NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq      bigint NOT NULL,
    at       timestamptz,
    turn     bigint NOT NULL,
    pid      smallint NOT NULL,
    resumed  boolean NOT NULL,
    away_ms  bigint NOT NULL,
    reason   text NOT NULL,
    PRIMARY KEY (game_key, seq)
);

-- A player who saved the game; the clients of all players then wrote the file.
CREATE TABLE saves (
    game_key  uuid NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq       bigint NOT NULL,
    at        timestamptz,
    turn      bigint NOT NULL,
    pid       smallint NOT NULL,
    file      text NOT NULL,
    played_ms bigint NOT NULL,
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

-- What maps report through W3MMD or DotA, a row for each sender. pid is NULL for a
-- value about the whole game. doubtful: a player may have made it up; it counts for
-- nothing.
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
    doubtful    boolean NOT NULL DEFAULT false,
    PRIMARY KEY (game_key, seq)
);
CREATE INDEX results_name ON results (game_key, name, pid);

-- Rows of audit outlive their game.
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
CREATE INDEX audit_game ON audit (game_key) WHERE game_key IS NOT NULL;

-- A ban names a player, a network, or both. A lifted or expired ban stays as a row
-- with lifted_at.
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
    lifted_at  timestamptz,
    range      cidr GENERATED ALWAYS AS (nullif(network, '')::cidr) STORED,
    CONSTRAINT bans_target CHECK (name_key <> '' OR network <> '' OR lifted_at IS NOT NULL)
);
CREATE UNIQUE INDEX bans_once ON bans (name_key, network, realm) WHERE lifted_at IS NULL;
CREATE INDEX bans_range ON bans USING gist (range inet_ops) WHERE lifted_at IS NULL;

-- A role belongs to a name, to whoever joins from a network, or to a name that joins
-- from a network.
CREATE TABLE admins (
    name_key text NOT NULL,
    realm    text NOT NULL,
    network  text NOT NULL DEFAULT '',
    name     text NOT NULL,
    role     text NOT NULL,
    added_by text NOT NULL DEFAULT '',
    added_at timestamptz NOT NULL,
    PRIMARY KEY (name_key, realm, network),
    CONSTRAINT admins_role CHECK (role IN ('trusted', 'admin', 'root')),
    CONSTRAINT admins_name CHECK (name_key <> '' OR network <> '')
);

-- Admins of the LAN whose role counts only after !login.
CREATE TABLE passwords (
    name_key text PRIMARY KEY,
    name     text NOT NULL,
    hash     text NOT NULL,
    set_by   text NOT NULL DEFAULT '',
    set_at   timestamptz NOT NULL
);

-- What moderators write about a player: warnings and notes. A warning that was taken back, or
-- that has led to a ban, has lifted_at.
CREATE TABLE remarks (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind      text NOT NULL,
    name_key  text NOT NULL,
    name      text NOT NULL,
    line      text NOT NULL,
    made_by   text NOT NULL,
    made_at   timestamptz NOT NULL,
    lifted_by text NOT NULL DEFAULT '',
    lifted_at timestamptz,
    CONSTRAINT remarks_kind CHECK (kind IN ('warning', 'note'))
);
CREATE INDEX remarks_name ON remarks (name_key, made_at);

-- Whom a player does not want to read.
CREATE TABLE ignored (
    name_key  text NOT NULL,
    realm     text NOT NULL,
    other_key text NOT NULL,
    other     text NOT NULL,
    set_at    timestamptz NOT NULL,
    PRIMARY KEY (name_key, realm, other_key)
);

CREATE TABLE preferences (
    name_key text PRIMARY KEY,
    name     text NOT NULL,
    language text NOT NULL,
    set_at   timestamptz NOT NULL
);

-- Every change of bans and admins, by whatever program, reaches all hosts.
-- +goose StatementBegin
CREATE FUNCTION w3host_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('w3host_changed', TG_TABLE_NAME);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER bans_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON bans
    FOR EACH STATEMENT EXECUTE FUNCTION w3host_changed();
CREATE TRIGGER admins_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON admins
    FOR EACH STATEMENT EXECUTE FUNCTION w3host_changed();
CREATE TRIGGER passwords_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON passwords
    FOR EACH STATEMENT EXECUTE FUNCTION w3host_changed();

-- The totals: sums over the games with counted, kept up in the transaction that
-- writes the records. pings counts the games with a round trip, ping_ms is the sum
-- over these.
CREATE TABLE player_totals (
    name_key   text NOT NULL,
    realm      text NOT NULL,
    name       text NOT NULL,
    games      bigint NOT NULL,
    won        bigint NOT NULL,
    lost       bigint NOT NULL,
    drawn      bigint NOT NULL,
    left_early bigint NOT NULL,
    dropped    bigint NOT NULL,
    lags       bigint NOT NULL,
    played_ms  bigint NOT NULL,
    actions    bigint NOT NULL,
    pings      bigint NOT NULL,
    ping_ms    bigint NOT NULL,
    first_game timestamptz,
    last_game  timestamptz,
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
    games    bigint NOT NULL,
    won      bigint NOT NULL,
    lost     bigint NOT NULL,
    PRIMARY KEY (name_key, realm, map_sha1)
);
CREATE INDEX player_map_totals_won ON player_map_totals (map_sha1, won DESC, lost, name_key);

CREATE TABLE player_value_totals (
    name_key text NOT NULL,
    realm    text NOT NULL,
    source   text NOT NULL,
    name     text NOT NULL,
    games    bigint NOT NULL,
    sum      double precision NOT NULL,
    most     double precision NOT NULL,
    PRIMARY KEY (name_key, realm, source, name)
);

-- finished_ms is the sum over finished games, players the sum over games.
CREATE TABLE map_totals (
    map_sha1    text PRIMARY KEY,
    map_name    text NOT NULL,
    lobbies     bigint NOT NULL,
    games       bigint NOT NULL,
    finished    bigint NOT NULL,
    desyncs     bigint NOT NULL,
    finished_ms bigint NOT NULL,
    players     bigint NOT NULL,
    last_game   timestamptz
);
CREATE INDEX map_totals_games ON map_totals (games DESC, lobbies DESC, map_sha1);

CREATE TABLE day_totals (
    day     date PRIMARY KEY,
    lobbies bigint NOT NULL,
    games   bigint NOT NULL,
    desyncs bigint NOT NULL,
    crashed bigint NOT NULL,
    players bigint NOT NULL
);

-- The skill of a player in a category of maps, as a normal distribution.
CREATE TABLE ratings (
    category text NOT NULL,
    name_key text NOT NULL,
    realm    text NOT NULL,
    name     text NOT NULL,
    mu       double precision NOT NULL,
    sigma    double precision NOT NULL,
    games    bigint NOT NULL,
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
       (g.created_at AT TIME ZONE 'UTC')::date AS day
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
            ELSE (extract(epoch FROM coalesce(p.left_at, g.ended_at) - g.loaded_at) * 1000)::bigint END AS played_ms,
       (SELECT CASE WHEN min(r.value) = max(r.value) AND NOT bool_or(r.contradicts) THEN min(r.value)
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
WHERE lifted_at IS NULL AND (expires_at IS NULL OR expires_at > now());

-- +goose Down
DROP VIEW active_bans, daily_games, map_stats, player_stats, played, result_values, game_list;
DROP TABLE ratings, day_totals, map_totals, player_value_totals, player_map_totals, player_totals, preferences, ignored, remarks,
    passwords, admins, bans, audit, results, downloads, desyncs, saves, links, drops, lags, chat, game_computers,
    game_players, games, spool_positions, hosts;
DROP FUNCTION w3host_changed();
