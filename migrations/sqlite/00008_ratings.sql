-- +goose Up
-- How strong players are: a normal distribution (mean and standard deviation) for
-- each category of maps, made from the results of games in the order in which
-- these ended.
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

-- rated: the result is in the ratings, or tells nothing for them.
ALTER TABLE games ADD COLUMN rated boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE games DROP COLUMN rated;
DROP TABLE ratings;
