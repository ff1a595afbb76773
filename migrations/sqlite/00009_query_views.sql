-- +goose Up
-- A value that a map reported about a player, once per game. Disputed and doubtful values are left out.
CREATE VIEW player_game_values AS
SELECT r.game_key, r.pid, p.name AS player, p.name_key, p.realm, p.team, p.colour, r.source, r.name, min(r.value) AS value, max(r.number) AS number
FROM results r JOIN game_players p ON p.game_key = r.game_key AND p.pid = r.pid AND p.slot IS NOT NULL AND NOT p.fake
WHERE NOT r.doubtful
GROUP BY r.game_key, r.pid, p.name, p.name_key, p.realm, p.team, p.colour, r.source, r.name
HAVING min(r.value) = max(r.value) AND count(*) FILTER (WHERE r.contradicts) = 0;

-- DotA games in the columns of GHost++'s table dotagames. winner is 1 for the Sentinel, 2 for the Scourge, 0 for neither.
CREATE VIEW dota_games AS
SELECT r.game_key AS gameid, CAST(coalesce(max(CASE WHEN r.name = 'Winner' THEN r.number END), 0) AS integer) AS winner,
       CAST(coalesce(max(CASE WHEN r.name = 'm' THEN r.number END), 0) AS integer) AS min,
       CAST(coalesce(max(CASE WHEN r.name = 's' THEN r.number END), 0) AS integer) AS sec
FROM results r
WHERE r.source = 'dota' AND r.pid IS NULL AND NOT r.doubtful AND r.name IN ('Winner', 'm', 's')
GROUP BY r.game_key
HAVING count(*) FILTER (WHERE r.contradicts) = 0
   AND count(DISTINCT r.name) = count(DISTINCT r.name || ' ' || r.value);

-- DotA players in the columns of GHost++'s table dotaplayers.
CREATE VIEW dota_players AS
SELECT v.game_key AS gameid, v.colour,
       CAST(coalesce(max(CASE WHEN v.name = 'kills' THEN v.number END), 0) AS integer) AS kills,
       CAST(coalesce(max(CASE WHEN v.name = 'deaths' THEN v.number END), 0) AS integer) AS deaths,
       CAST(coalesce(max(CASE WHEN v.name = 'creep kills' THEN v.number END), 0) AS integer) AS creepkills,
       CAST(coalesce(max(CASE WHEN v.name = 'creep denies' THEN v.number END), 0) AS integer) AS creepdenies,
       CAST(coalesce(max(CASE WHEN v.name = 'assists' THEN v.number END), 0) AS integer) AS assists,
       CAST(coalesce(max(CASE WHEN v.name = 'gold' THEN v.number END), 0) AS bigint) AS gold,
       CAST(coalesce(max(CASE WHEN v.name = 'neutral kills' THEN v.number END), 0) AS integer) AS neutralkills,
       coalesce(max(CASE WHEN v.name = 'item 1' THEN v.value END), '') AS item1,
       coalesce(max(CASE WHEN v.name = 'item 2' THEN v.value END), '') AS item2,
       coalesce(max(CASE WHEN v.name = 'item 3' THEN v.value END), '') AS item3,
       coalesce(max(CASE WHEN v.name = 'item 4' THEN v.value END), '') AS item4,
       coalesce(max(CASE WHEN v.name = 'item 5' THEN v.value END), '') AS item5,
       coalesce(max(CASE WHEN v.name = 'item 6' THEN v.value END), '') AS item6,
       coalesce(max(CASE WHEN v.name = 'hero' THEN v.value END), '') AS hero,
       -- The map counts the Scourge from 6; its colours begin at 7.
       CAST(coalesce(max(CASE WHEN v.name = 'id' AND v.number >= 6 THEN v.number + 1 WHEN v.name = 'id' THEN v.number END), v.colour) AS integer) AS newcolour,
       coalesce((SELECT max(n) FROM (SELECT count(*) AS n FROM results e WHERE e.game_key = v.game_key AND e.source = 'dota' AND e.name LIKE 'event %'
           AND NOT e.doubtful AND e.value LIKE 'Tower% ' || v.colour GROUP BY e.sender) AS events), 0) AS towerkills,
       coalesce((SELECT max(n) FROM (SELECT count(*) AS n FROM results e WHERE e.game_key = v.game_key AND e.source = 'dota' AND e.name LIKE 'event %'
           AND NOT e.doubtful AND e.value LIKE 'Rax% ' || v.colour GROUP BY e.sender) AS events), 0) AS raxkills,
       coalesce((SELECT max(n) FROM (SELECT count(*) AS n FROM results e WHERE e.game_key = v.game_key AND e.source = 'dota' AND e.name LIKE 'event %'
           AND NOT e.doubtful AND e.value LIKE 'Courier% ' || v.colour GROUP BY e.sender) AS events), 0) AS courierkills
FROM player_game_values v
WHERE v.source = 'dota'
GROUP BY v.game_key, v.colour;

-- What each rated game of a ladder changed. Points are those that !rank shows.
CREATE VIEW rating_history AS
SELECT ladder, season, name_key, realm, ended_at, game_key, result,
       round(100 * (mu_before - 3 * sigma_before)) AS points_before, round(100 * (mu - 3 * sigma)) AS points
FROM ladder_results;

-- +goose Down
DROP VIEW rating_history;
DROP VIEW dota_players;
DROP VIEW dota_games;
DROP VIEW player_game_values;
