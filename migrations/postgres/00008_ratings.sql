-- +goose Up
-- How strong players are: a normal distribution for each category of maps, made
-- from the results of games in the order in which these ended.
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

COMMENT ON TABLE ratings IS 'How strong players are, by category of maps';
COMMENT ON COLUMN ratings.category IS 'The name of the maps without colours and version, in small letters';
COMMENT ON COLUMN ratings.name_key IS 'The name in small letters';
COMMENT ON COLUMN ratings.realm IS 'Empty: the LAN';
COMMENT ON COLUMN ratings.name IS 'As the player wrote it last';
COMMENT ON COLUMN ratings.mu IS 'Mean of the believed skill';
COMMENT ON COLUMN ratings.sigma IS 'Its standard deviation';
COMMENT ON COLUMN ratings.games IS 'Rated games';

ALTER TABLE games ADD COLUMN rated boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN games.rated IS 'The result is in the ratings, or tells nothing for them';

COMMENT ON TABLE links IS 'Connections that broke in a game and were waited for, and those that came back';
COMMENT ON COLUMN links.game_key IS 'The game';
COMMENT ON COLUMN links.seq IS 'Number of the record in its game';
COMMENT ON COLUMN links.at IS 'When it broke or came back';
COMMENT ON COLUMN links.turn IS 'Turns sent before';
COMMENT ON COLUMN links.pid IS 'The player';
COMMENT ON COLUMN links.resumed IS 'It came back';
COMMENT ON COLUMN links.away_ms IS 'How long the player was away; 0 when the old connection seemed alive';
COMMENT ON COLUMN links.reason IS 'Why it broke';

-- +goose Down
ALTER TABLE games DROP COLUMN rated;
DROP TABLE ratings;
