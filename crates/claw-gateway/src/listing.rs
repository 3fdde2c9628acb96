//! Lists sessions.

use claw_store::PageToken;

use crate::access::{Access, SessionInfos, info};
use crate::caller::Scope;
use crate::error::GatewayError;

/// The size of the settings after which a page ends.
const MAX_BYTES: usize = 1024 * 1024;
/// The number of sessions that are read at once.
const PART: usize = 64;

impl Access {
    /// Lists the sessions of the tenant: at most `limit`, and fewer if their settings are large. A
    /// session that this version cannot read is left out.
    ///
    /// # Errors
    /// The page does not exist.
    pub async fn list(
        &self,
        from: Option<String>,
        limit: usize,
    ) -> Result<SessionInfos, GatewayError> {
        self.caller.need(Scope::View)?;
        let (store, tenant) = (&self.tenant.store, &self.tenant.id);
        let (mut sessions, mut bytes, mut next) = (Vec::new(), 0, from.map(PageToken));
        let positions = self.tenant.places.positions();
        loop {
            let part = PART.min(limit - sessions.len());
            let page = store.list(tenant, next, part).await?;
            for row in page.rows {
                bytes += row.attributes.len();
                let number = row.number;
                match info(row) {
                    Ok(mut session) => {
                        session.queue_position = positions.get(&session.id).copied();
                        sessions.push(session);
                    }
                    Err(error) => tracing::warn!(number, %error, "a session cannot be read"),
                }
            }
            next = page.next;
            if next.is_none() || sessions.len() >= limit || bytes >= MAX_BYTES {
                let next = next.map(|token| token.0);
                return Ok(SessionInfos { sessions, next });
            }
        }
    }
}
