-- +goose Up
-- Every change of bans and admins, by whatever program, moves a counter that
-- the hosts watch.
CREATE TABLE changes (
    topic   text PRIMARY KEY,
    counter integer NOT NULL
);
INSERT INTO changes (topic, counter) VALUES ('bans', 0), ('admins', 0);
-- +goose StatementBegin
CREATE TRIGGER bans_insert AFTER INSERT ON bans BEGIN
    UPDATE changes SET counter = counter + 1 WHERE topic = 'bans';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER bans_update AFTER UPDATE ON bans BEGIN
    UPDATE changes SET counter = counter + 1 WHERE topic = 'bans';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER bans_delete AFTER DELETE ON bans BEGIN
    UPDATE changes SET counter = counter + 1 WHERE topic = 'bans';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER admins_insert AFTER INSERT ON admins BEGIN
    UPDATE changes SET counter = counter + 1 WHERE topic = 'admins';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER admins_update AFTER UPDATE ON admins BEGIN
    UPDATE changes SET counter = counter + 1 WHERE topic = 'admins';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER admins_delete AFTER DELETE ON admins BEGIN
    UPDATE changes SET counter = counter + 1 WHERE topic = 'admins';
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER admins_delete;
DROP TRIGGER admins_update;
DROP TRIGGER admins_insert;
DROP TRIGGER bans_delete;
DROP TRIGGER bans_update;
DROP TRIGGER bans_insert;
DROP TABLE changes;
