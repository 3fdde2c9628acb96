//! A store whose calls fail or hang when a test says so.

use std::collections::HashMap;
use std::sync::Mutex;

use claw_store::{Result, StoreError};

use crate::hooked::Hooks;

/// What happens to the calls of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// So many calls fail without effect.
    Unavailable(u32),
    /// So many calls succeed, and so many after them fail without effect.
    UnavailableAfter(u32, u32),
    /// So many calls are refused, as on a full disk.
    Full(u32),
    /// The next call takes effect, and never returns: the process is killed there.
    HangsAfter,
}

#[derive(Default)]
pub(crate) struct Faults {
    faults: Mutex<HashMap<&'static str, Fault>>,
    /// Notified when a call hangs.
    pub(crate) hangs: tokio::sync::Notify,
}

impl Faults {
    pub(crate) fn set(&self, call: &'static str, fault: Fault) {
        self.faults.lock().unwrap().insert(call, fault);
    }
}

impl Hooks for Faults {
    type Then = ();

    async fn before(&self, call: &'static str) -> Result<()> {
        let mut faults = self.faults.lock().unwrap();
        match faults.get_mut(call) {
            Some(Fault::Unavailable(left) | Fault::UnavailableAfter(0, left)) if *left > 0 => {
                *left -= 1;
                let reason = "the test says so".to_owned();
                Err(StoreError::Unavailable { reason })
            }
            Some(Fault::UnavailableAfter(skipped, _)) if *skipped > 0 => {
                *skipped -= 1;
                Ok(())
            }
            Some(Fault::Full(left)) if *left > 0 => {
                *left -= 1;
                let (what, advice) = ("the store".to_owned(), "wait".to_owned());
                Err(StoreError::Full { what, advice })
            }
            _ => Ok(()),
        }
    }

    async fn after(&self, call: &'static str, _then: (), _is_ok: bool) -> Result<()> {
        let fault = self.faults.lock().unwrap().get(call).copied();
        if fault == Some(Fault::HangsAfter) {
            self.hangs.notify_one();
            std::future::pending::<()>().await;
        }
        Ok(())
    }
}
