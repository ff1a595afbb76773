-- +goose Up
-- What clients have reported for their map, as it came: results are made of it, and can be made again.
-- reports is a list of objects with File, Mission, Key and Value.
CREATE TABLE map_reports (
    game_key  text NOT NULL REFERENCES games (key) ON DELETE CASCADE,
    seq       integer NOT NULL,
    at        text,
    turn      integer NOT NULL,
    played_ms integer NOT NULL,
    sender    integer NOT NULL,
    reports   text NOT NULL,
    PRIMARY KEY (game_key, seq)
);

-- +goose Down
DROP TABLE map_reports;
