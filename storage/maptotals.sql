-- Team numbers 12 and 24 are observers.
WITH seats AS (
	SELECT p.game_key, p.map_sha1, p.team, p.colour, CASE WHEN p.outcome = 'won' THEN 1 ELSE 0 END AS won,
		CASE WHEN p.outcome = 'disputed' THEN 1 ELSE 0 END AS disputed, CASE WHEN p.outcome = 'lost' THEN 1 ELSE 0 END AS lost
	FROM played p WHERE p.game_key IN (SELECT value FROM json_each($1)) AND p.outcome IS NOT NULL AND p.loaded_at IS NOT NULL
		AND (SELECT private FROM games g WHERE g.key = p.game_key) = false),
teams AS (
	SELECT s.*, max(won) OVER same AS team_won, max(lost) OVER same * max(won) OVER same AS mixed FROM seats s WINDOW same AS (PARTITION BY game_key, team)),
decided AS (
	SELECT * FROM (SELECT t.*, max(team_won) OVER game AS has_winner, max(disputed + mixed) OVER game AS is_disputed,
		max(team) OVER game - min(team) OVER game AS other_teams FROM teams t WINDOW game AS (PARTITION BY game_key)) d
	WHERE has_winner = 1 AND is_disputed = 0 AND other_teams > 0),
public AS (
	SELECT key, map_sha1, day, ended, played_ms, CASE WHEN ended = 'finished' AND NOT EXISTS (SELECT 1 FROM game_players p
		WHERE p.game_key = g.key AND p.slot IS NOT NULL AND NOT p.fake AND p.team NOT IN (12, 24) AND p.left_turn < g.turns * 9 / 10) THEN 1 ELSE 0 END AS whole
	FROM game_list g WHERE key IN (SELECT value FROM json_each($1)) AND loaded_at IS NOT NULL AND (SELECT private FROM games x WHERE x.key = g.key) = false),
counts AS (
	SELECT map_sha1, 'games' AS kind, 0 AS number, count(*) AS games, sum(whole) AS won FROM public GROUP BY map_sha1
	UNION ALL SELECT map_sha1, 'day', CAST(replace(CAST(day AS text), '-', '') AS integer), count(*), 0 FROM public WHERE day IS NOT NULL GROUP BY map_sha1, day
	UNION ALL SELECT map_sha1, 'minutes', CAST(CASE WHEN played_ms < 14400000 THEN played_ms / 60000 ELSE 240 END AS integer), count(*), 0
		FROM public WHERE ended = 'finished' AND played_ms > 0 GROUP BY 1, 2, 3
	UNION ALL SELECT map_sha1, 'team', team, count(DISTINCT game_key), count(DISTINCT CASE WHEN team_won = 1 THEN game_key END) FROM decided GROUP BY map_sha1, team
	UNION ALL SELECT map_sha1, 'place', colour, count(*), sum(team_won) FROM decided GROUP BY map_sha1, colour)
INSERT INTO map_counts AS t (map_sha1, kind, number, games, won)
SELECT map_sha1, kind, number, $2 * games, $2 * won FROM counts WHERE true ORDER BY map_sha1, kind, number
ON CONFLICT (map_sha1, kind, number) DO UPDATE SET games = t.games + excluded.games, won = t.won + excluded.won;

INSERT INTO map_heroes AS t (map_sha1, hero, games, won)
SELECT map_sha1, hero, $2 * count(*), $2 * sum(won) FROM (
	SELECT p.map_sha1, min(r.value) AS hero, max(CASE WHEN p.outcome = 'won' THEN 1 ELSE 0 END) AS won
	FROM played p JOIN results r ON r.game_key = p.game_key AND r.pid = p.pid
	WHERE p.game_key IN (SELECT value FROM json_each($1)) AND r.source = 'w3mmd' AND lower(r.name) = 'hero' AND NOT r.doubtful AND p.outcome IN ('won', 'lost', 'left', 'forfeited')
		AND p.loaded_at IS NOT NULL AND (SELECT private FROM games g WHERE g.key = p.game_key) = false
	GROUP BY p.game_key, p.map_sha1, p.pid
	HAVING min(r.value) = max(r.value) AND count(*) FILTER (WHERE r.contradicts) = 0 AND length(min(r.value)) BETWEEN 1 AND 60) named
GROUP BY map_sha1, hero ORDER BY map_sha1, hero
ON CONFLICT (map_sha1, hero) DO UPDATE SET games = t.games + excluded.games, won = t.won + excluded.won;

DELETE FROM map_records WHERE game_key IN (SELECT value FROM json_each($1)) AND $2 <> 0;

WITH public AS (
	SELECT key, map_sha1, played_ms, ended FROM games WHERE key IN (SELECT value FROM json_each($1)) AND $2 > 0 AND NOT private AND loaded_at IS NOT NULL),
reported AS (
	SELECT r.game_key, r.pid, lower(replace(r.name, ' ', '')) AS name, max(r.number) AS number FROM results r WHERE r.game_key IN (SELECT value FROM json_each($1)) AND r.pid IS NOT NULL AND r.number > 0
		AND NOT r.doubtful AND lower(replace(r.name, ' ', '')) IN ('kills', 'deaths', 'assists', 'gold', 'creepkills', 'creepdenies', 'herokills', 'towerkills', 'level', 'score', 'wood', 'lumber')
	GROUP BY r.game_key, r.pid, r.source, r.name HAVING min(r.value) = max(r.value) AND count(*) FILTER (WHERE r.contradicts) = 0),
best AS (
	SELECT game_key, pid, name, number FROM (SELECT r.*, row_number() OVER (PARTITION BY game_key, name ORDER BY number DESC, pid) AS place FROM reported r) ranked WHERE place = 1
	UNION ALL SELECT key, 0, 'longest', played_ms FROM public WHERE ended = 'finished' AND played_ms > 0
	UNION ALL SELECT key, 0, 'fastest', -played_ms FROM public g WHERE ended = 'finished' AND played_ms >= 120000 AND EXISTS (SELECT 1 FROM results r
		WHERE r.game_key = g.key AND r.name = 'outcome' AND r.value = 'won' AND NOT r.doubtful AND NOT r.contradicts))
INSERT INTO map_records (map_sha1, name, game_key, pid, number)
SELECT g.map_sha1, b.name, b.game_key, b.pid, b.number FROM best b JOIN public g ON g.key = b.game_key WHERE true
ON CONFLICT (game_key, name) DO UPDATE SET pid = excluded.pid, number = excluded.number;

DELETE FROM map_records WHERE $2 > 0 AND (game_key, name) IN (
	SELECT game_key, name FROM (SELECT game_key, name, row_number() OVER (PARTITION BY map_sha1, name ORDER BY number DESC, game_key) AS place FROM map_records
		WHERE map_sha1 IN (SELECT map_sha1 FROM games WHERE key IN (SELECT value FROM json_each($1)))) ranked WHERE place > 10);
