-- +goose Up
-- A role may be bound to a network, and then needs no name; an admin may have to
-- log in; a player may choose a language. SQLite cannot change a primary key in
-- place, so admins is written anew, with its triggers.
CREATE TABLE admins_new (
    name_key text NOT NULL,
    realm    text NOT NULL,
    name     text NOT NULL,
    role     text NOT NULL,
    added_by text NOT NULL DEFAULT '',
    added_at text NOT NULL,
    network  text NOT NULL DEFAULT '',
    PRIMARY KEY (name_key, realm, network)
);
INSERT INTO admins_new (name_key, realm, name, role, added_by, added_at)
    SELECT name_key, realm, name, role, added_by, added_at FROM admins;
DROP TABLE admins;
ALTER TABLE admins_new RENAME TO admins;
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

CREATE TABLE passwords (
    name_key text PRIMARY KEY,
    name     text NOT NULL,
    hash     text NOT NULL,
    set_by   text NOT NULL DEFAULT '',
    set_at   text NOT NULL
);
-- +goose StatementBegin
CREATE TRIGGER passwords_insert AFTER INSERT ON passwords BEGIN
    UPDATE changes SET counter = counter + 1 WHERE topic = 'admins';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER passwords_update AFTER UPDATE ON passwords BEGIN
    UPDATE changes SET counter = counter + 1 WHERE topic = 'admins';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER passwords_delete AFTER DELETE ON passwords BEGIN
    UPDATE changes SET counter = counter + 1 WHERE topic = 'admins';
END;
-- +goose StatementEnd

CREATE TABLE preferences (
    name_key text PRIMARY KEY,
    name     text NOT NULL,
    language text NOT NULL,
    set_at   text NOT NULL
);

-- +goose Down
DROP TABLE preferences;
DROP TABLE passwords;
CREATE TABLE admins_new (
    name_key text NOT NULL,
    realm    text NOT NULL,
    name     text NOT NULL,
    role     text NOT NULL,
    added_by text NOT NULL DEFAULT '',
    added_at text NOT NULL,
    PRIMARY KEY (name_key, realm)
);
INSERT INTO admins_new (name_key, realm, name, role, added_by, added_at)
    SELECT name_key, realm, name, role, added_by, added_at FROM admins
    WHERE network = '';
DROP TABLE admins;
ALTER TABLE admins_new RENAME TO admins;
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
