-- +goose Up
-- Everything here is short work on the catalogue or on small tables: a host
-- that runs is not held up. What is there already is carried over afterwards in
-- small batches (w3host migrate up, or a host in the background).
SET LOCAL lock_timeout = '5s';

-- counted: the game is in the totals below. players: who played, without
-- computers and fake players.
ALTER TABLE games
    ADD COLUMN counted boolean NOT NULL DEFAULT false,
    ADD COLUMN players integer NOT NULL DEFAULT 0;

-- Takes the place of address, which older programs still write.
ALTER TABLE game_players ADD COLUMN ip inet;

-- Networks that somebody mistyped by hand matched nobody: they are lifted, and
-- say so.
-- +goose StatementBegin
DO $$
DECLARE
    b record;
BEGIN
    FOR b IN SELECT id, network FROM bans WHERE network <> '' LOOP
        BEGIN
            PERFORM b.network::cidr;
        EXCEPTION WHEN data_exception THEN
            UPDATE bans SET network = '', reason = reason || ' [no network: ' || b.network || ']',
                lifted_by = CASE WHEN name = '' THEN 'migration' ELSE lifted_by END,
                lifted_at = CASE WHEN name = '' THEN coalesce(lifted_at, now()) ELSE lifted_at END
            WHERE id = b.id;
        END;
    END LOOP;
END
$$;
-- +goose StatementEnd
ALTER TABLE bans ADD COLUMN range cidr GENERATED ALWAYS AS (nullif(network, '')::cidr) STORED;
CREATE INDEX bans_range ON bans USING gist (range inet_ops) WHERE lifted_at IS NULL;

-- What no record of a host can hold. Rows that are there already are looked at
-- by the next step.
ALTER TABLE games
    ADD CONSTRAINT games_numbers CHECK (game_id BETWEEN 0 AND 4294967295 AND seed BETWEEN 0 AND 4294967295
        AND turns BETWEEN 0 AND 4294967295 AND map_size >= 0 AND players >= 0) NOT VALID,
    ADD CONSTRAINT games_map_hex CHECK (map_crc32 ~ '^([0-9a-f]{8})?$' AND map_checksum ~ '^([0-9a-f]{8})?$'
        AND map_sha1 ~ '^([0-9a-f]{40})?$') NOT VALID;
ALTER TABLE game_players
    ADD CONSTRAINT game_players_bytes CHECK (pid BETWEEN 0 AND 255 AND slot BETWEEN 0 AND 255 AND team BETWEEN 0 AND 255
        AND colour BETWEEN 0 AND 255 AND race BETWEEN 0 AND 255 AND handicap BETWEEN 0 AND 255) NOT VALID,
    ADD CONSTRAINT game_players_numbers CHECK (joined_seq >= 0 AND left_turn >= 0 AND left_code >= 0 AND actions >= 0) NOT VALID;
ALTER TABLE bans ADD CONSTRAINT bans_target CHECK (name_key <> '' OR network <> '' OR lifted_at IS NOT NULL) NOT VALID;
ALTER TABLE admins
    ADD CONSTRAINT admins_role CHECK (role IN ('admin', 'root')) NOT VALID,
    ADD CONSTRAINT admins_name CHECK (name_key <> '') NOT VALID;

-- The totals: sums over the games with counted, kept up in the transaction that
-- writes the records.
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
    day      date PRIMARY KEY,
    lobbies  bigint NOT NULL,
    games    bigint NOT NULL,
    desyncs  bigint NOT NULL,
    crashed  bigint NOT NULL,
    players  bigint NOT NULL
);

-- +goose Down
DROP TABLE day_totals;
DROP TABLE map_totals;
DROP TABLE player_value_totals;
DROP TABLE player_map_totals;
DROP TABLE player_totals;
ALTER TABLE admins DROP CONSTRAINT admins_name, DROP CONSTRAINT admins_role;
ALTER TABLE bans DROP CONSTRAINT bans_target, DROP COLUMN range;
ALTER TABLE game_players DROP CONSTRAINT game_players_numbers, DROP CONSTRAINT game_players_bytes;
ALTER TABLE games DROP CONSTRAINT games_map_hex, DROP CONSTRAINT games_numbers;
UPDATE game_players SET address = host(ip) WHERE ip IS NOT NULL;
ALTER TABLE game_players DROP COLUMN ip;
ALTER TABLE games DROP COLUMN counted, DROP COLUMN players;
