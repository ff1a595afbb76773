-- +goose Up
-- What clients have reported for their map, as it came: results are made of it, and can be made again.
-- reports is a list of objects with File, Mission, Key and Value.
CREATE TABLE map_reports (
    game_key  uuid NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq       bigint NOT NULL,
    at        timestamptz,
    turn      bigint NOT NULL,
    played_ms bigint NOT NULL,
    sender    smallint NOT NULL,
    reports   jsonb NOT NULL,
    PRIMARY KEY (game_key, seq)
);

-- +goose Down
DROP TABLE map_reports;
