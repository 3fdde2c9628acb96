-- Quotas. The triggers count the bytes of sessions for their tenants, and refuse what does not fit.
ALTER TABLE tenant ADD COLUMN sessions INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tenant ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tenant ADD COLUMN max_sessions INTEGER;
ALTER TABLE tenant ADD COLUMN max_bytes INTEGER;
ALTER TABLE head ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;

UPDATE head SET bytes =
    (SELECT coalesce(sum(length(body)), 0) FROM event WHERE sid = head.id)
    + (SELECT coalesce(sum(length(body)), 0) FROM checkpoint WHERE sid = head.id)
    + (SELECT coalesce(sum(length(body)), 0) FROM interaction WHERE sid = head.id)
    + (SELECT coalesce(sum(length(body)), 0) FROM blob WHERE sid = head.id)
    + (SELECT coalesce(sum(length(body)), 0) FROM mirror WHERE sid = head.id)
    WHERE status <> 2;
UPDATE tenant SET
    sessions = (SELECT count(*) FROM head WHERE head.tenant = tenant.id AND status <> 2),
    bytes = (SELECT coalesce(sum(bytes), 0) FROM head WHERE head.tenant = tenant.id);

CREATE TRIGGER bytes_change AFTER UPDATE OF bytes ON head WHEN new.bytes <> old.bytes BEGIN
    SELECT raise(ABORT, 'bytes') FROM tenant
        WHERE id = new.tenant AND new.bytes > old.bytes
        AND bytes + new.bytes - old.bytes > max_bytes;
    UPDATE tenant SET bytes = bytes + new.bytes - old.bytes WHERE id = new.tenant;
END;
CREATE TRIGGER session_added AFTER INSERT ON session BEGIN
    SELECT raise(ABORT, 'sessions') FROM tenant WHERE id = new.tenant AND sessions >= max_sessions;
    UPDATE tenant SET sessions = sessions + 1, number = new.number WHERE id = new.tenant;
    INSERT INTO head (id, tenant) VALUES (new.id, new.tenant);
END;

-- Erasure makes a session unreachable. Its large tables are emptied afterwards, in parts.
CREATE TABLE trash (
    sid INTEGER PRIMARY KEY -- events before `first`, or everything if the session is erased
) STRICT;
CREATE TRIGGER session_erased AFTER UPDATE OF status ON head WHEN new.status = 2 BEGIN
    UPDATE session SET state = 'erased', node = NULL, incarnation = NULL, reason = NULL,
        attributes = x'' WHERE id = new.id;
    UPDATE tenant SET sessions = sessions - 1 WHERE id = new.tenant;
    DELETE FROM checkpoint WHERE sid = new.id;
    DELETE FROM mirror_file WHERE sid = new.id;
    INSERT OR IGNORE INTO trash VALUES (new.id);
END;
CREATE TRIGGER log_truncated AFTER UPDATE OF first ON head BEGIN
    INSERT OR IGNORE INTO trash VALUES (new.id);
END;
