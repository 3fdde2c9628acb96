//! Deletion in parts.

use super::tx::Tx;

/// The tables with the content of sessions.
const TABLES: [&str; 5] = ["event", "inbox", "interaction", "mirror", "blob"];

impl Tx<'_> {
    pub(super) fn has_trash(&self) -> rusqlite::Result<bool> {
        let first = self.row("SELECT 1 FROM trash LIMIT 1", [], |_| Ok(()))?;
        Ok(first.is_some())
    }

    /// Deletes some rows of erased sessions and truncated logs: at most 256, and of large ones about
    /// 1 MiB. Returns whether there may be more.
    pub(super) fn sweep(&self) -> rusqlite::Result<bool> {
        let sql =
            "SELECT h.id, h.first, h.status = 2 FROM trash t JOIN head h ON h.id = t.sid LIMIT 1";
        let found = self.row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let Some((sid, first, is_erased)): Option<(i64, i64, bool)> = found else {
            return Ok(false);
        };
        let (tables, below) = match is_erased {
            true => (&TABLES[..], "TRUE OR ?2"),
            false => (&TABLES[..1], "k < ?2"),
        };
        for table in tables {
            let sql = format!(
                "DELETE FROM {table} WHERE id IN (SELECT id FROM (
                    SELECT id, len, sum(len) OVER (ORDER BY id) AS total FROM (
                        SELECT id, coalesce(length(body), 0) AS len FROM {table}
                        WHERE sid = ?1 AND ({below}) LIMIT 256))
                    WHERE total - len < 1048576) RETURNING coalesce(length(body), 0)"
            );
            let sizes = self.rows(&sql, (sid, first), |row| row.get::<_, i64>(0))?;
            if !sizes.is_empty() {
                // The bytes of an erased session are no longer counted.
                let bytes = if is_erased { 0 } else { sizes.iter().sum() };
                let sql = "UPDATE head SET bytes = bytes - ? WHERE id = ?";
                self.execute(sql, (bytes, sid))?;
                return Ok(true);
            }
        }
        self.execute("DELETE FROM trash WHERE sid = ?", [sid])?;
        Ok(true)
    }
}
