-- +goose Up
-- The name of a map without its version, which all its versions share. NULL: not yet known.
ALTER TABLE map_totals ADD COLUMN category text;
CREATE INDEX map_totals_new ON map_totals (map_sha1) WHERE category IS NULL;

-- Counts of the public games of a map. kind says what number is: 'games' has one row with number 0, and in won the games
-- that nobody left early; 'day' is the day of the lobby as YYYYMMDD; 'minutes' is the length of finished games; 'team' and
-- 'place' are a team and a player colour in games with a winner, with the games won.
CREATE TABLE map_counts (
    map_sha1 text NOT NULL,
    kind     text NOT NULL,
    number   integer NOT NULL,
    games    bigint NOT NULL,
    won      bigint NOT NULL,
    PRIMARY KEY (map_sha1, kind, number),
    CONSTRAINT map_counts_kind CHECK (kind IN ('games', 'day', 'minutes', 'team', 'place'))
);

-- The heroes that W3MMD maps name in public games with a winner.
CREATE TABLE map_heroes (
    map_sha1 text NOT NULL,
    hero     text NOT NULL,
    games    bigint NOT NULL,
    won      bigint NOT NULL,
    PRIMARY KEY (map_sha1, hero)
);

-- The ten best public games of a map by a value that it reports about players, by length ('longest'), and by the negative
-- length until a winner was named ('fastest'). pid is 0 for lengths.
CREATE TABLE map_records (
    map_sha1 text NOT NULL,
    name     text NOT NULL,
    game_key uuid NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    pid      integer NOT NULL,
    number   double precision NOT NULL,
    PRIMARY KEY (game_key, name)
);
CREATE INDEX map_records_best ON map_records (map_sha1, name, number DESC, game_key);

DROP VIEW map_stats;
CREATE VIEW map_stats AS
SELECT map_sha1, map_name, category, lobbies, games, finished, desyncs,
       CASE WHEN finished > 0 THEN CAST(finished_ms AS double precision) / finished END AS played_ms,
       CASE WHEN games > 0 THEN CAST(players AS double precision) / games END AS players, last_game
FROM map_totals WHERE lobbies > 0;

-- +goose Down
DROP VIEW map_stats;
CREATE VIEW map_stats AS
SELECT map_sha1, map_name, lobbies, games, finished, desyncs,
       CASE WHEN finished > 0 THEN CAST(finished_ms AS double precision) / finished END AS played_ms,
       CASE WHEN games > 0 THEN CAST(players AS double precision) / games END AS players, last_game
FROM map_totals WHERE lobbies > 0;
DROP TABLE map_records;
DROP TABLE map_heroes;
DROP TABLE map_counts;
DROP INDEX map_totals_new;
ALTER TABLE map_totals DROP COLUMN category;
