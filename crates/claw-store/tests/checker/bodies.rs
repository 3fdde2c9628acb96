//! Sessions and bodies that can be recognized, and pseudo-random numbers.

use bytes::Bytes;
use claw_store::{IdempotencyKey, InteractionId, SessionId, SessionKey, TenantId};
use serde::{Deserialize, Serialize};

use crate::history::{Id, Session};

/// Marks the event that applies the command with the rest of the id.
pub(crate) const APPLY: Id = 1 << 63;

/// The sessions of a run, of two tenants of that run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Sessions {
    pub(crate) run: String,
    pub(crate) count: Session,
}

impl Sessions {
    pub(crate) fn new(count: Session) -> Self {
        let run = SessionId::random().to_string();
        Self { run, count }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = Session> + use<> {
        0..self.count
    }

    pub(crate) fn key(&self, session: Session) -> SessionKey {
        self.key_of(session, self.tenant(session))
    }

    /// Names the session with the other tenant.
    pub(crate) fn foreign_key(&self, session: Session) -> SessionKey {
        self.key_of(session, self.tenant(session + 1))
    }

    pub(crate) fn tenant(&self, session: Session) -> TenantId {
        let side = ["even", "odd"][session as usize % 2];
        TenantId::new(&format!("{side}-{}", self.run)).unwrap()
    }

    fn key_of(&self, session: Session, tenant: TenantId) -> SessionKey {
        let id = SessionId::new(&format!("{}-{session}", self.run));
        SessionKey::new(tenant, id.unwrap())
    }

    /// Returns the session of a key, unless it is of another run.
    pub(crate) fn of_key(&self, key: &SessionKey) -> Option<Session> {
        let (run, session) = key.session.as_str().rsplit_once('-')?;
        (run == self.run).then(|| session.parse().ok())?
    }
}

/// Returns a body of about 1 KB.
pub(crate) fn body(session: Session, id: Id) -> Bytes {
    let mut rng = Rng(id);
    let size = rng.between(512, 1536);
    let mut text = format!("{session} {id:016x} ").into_bytes();
    while text.len() < size {
        text.extend(format!("{:016x}", rng.next()).bytes());
    }
    text.into()
}

/// Returns the id of a body, zero if it is damaged or of another session.
pub(crate) fn id_of(session: Session, content: &[u8]) -> Id {
    let id = std::str::from_utf8(content).ok();
    let id = id.and_then(|text| Id::from_str_radix(text.split(' ').nth(1)?, 16).ok());
    id.filter(|id| body(session, *id) == content).unwrap_or(0)
}

pub(crate) fn interaction_id(id: Id) -> InteractionId {
    InteractionId::new(&format!("{id:x}")).unwrap()
}

pub(crate) fn idempotency_key(id: Id) -> IdempotencyKey {
    IdempotencyKey::new(&format!("{id:x}")).unwrap()
}

/// Returns the id of which a name was made, zero for another name.
pub(crate) fn id_of_name(name: &str) -> Id {
    Id::from_str_radix(name, 16).unwrap_or(0)
}

/// SplitMix64.
#[derive(Debug, Clone)]
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from `low` up to but not including `high`.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + (self.next() % (high - low) as u64) as usize
    }

    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.next() % 100 < chance
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let index = (!from.is_empty()).then(|| self.between(0, from.len()))?;
        from.get(index)
    }
}

/// Returns the seed of a test: that of the environment, or a new one. It is printed.
pub(crate) fn seed(test: &str) -> u64 {
    const SEED: &str = "CLAW_CHECKER_SEED";
    let given = std::env::var(SEED).ok();
    let seed = given.map_or_else(crate::history::now, |seed| seed.parse().unwrap());
    eprintln!("{test}: {SEED}={seed}");
    seed
}
