//! A store whose calls a test observes, delays, loses or lets fail.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use claw_store::*;

/// A call of a store.
pub(crate) struct Call<'a> {
    /// The name of the method.
    pub(crate) name: &'static str,
    /// The claim of a call that writes under a fence.
    pub(crate) claim: Option<&'a Claim>,
}

/// What happens around the calls of a store. Without a hook, nothing happens.
pub(crate) trait Hooks: Send + Sync + 'static {
    /// What `before` passes to `after`.
    type Then: Send;

    /// Runs before a call. An error is the result of the call, which then has no effect.
    fn before(&self, name: &'static str) -> impl Future<Output = Result<Self::Then>> + Send;

    /// Runs after a call. An error replaces its result, although the call may have taken effect.
    fn after(
        &self,
        name: &'static str,
        then: Self::Then,
        is_ok: bool,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Observes or changes the value that a call returns.
    fn observe(&self, _call: &Call<'_>, _value: &mut dyn Any) {}

    /// Changes a session before it is created.
    fn change_session(&self, _new: &mut NewSession) {}

    /// Changes a stream that a call returns.
    fn change_stream<T: Send + 'static>(
        &self,
        items: BoxStream<'static, Result<T>>,
    ) -> BoxStream<'static, Result<T>> {
        items
    }

    /// Whether deltas reach the store.
    fn is_publishing(&self) -> bool {
        true
    }
}

/// Returns a store with hooks.
pub(crate) fn hooked<H: Hooks>(inner: Arc<dyn Store>, hooks: &Arc<H>) -> Arc<dyn Store> {
    let hooks = Arc::clone(hooks);
    Arc::new(Hooked { inner, hooks })
}

struct Hooked<H> {
    inner: Arc<dyn Store>,
    hooks: Arc<H>,
}

impl<H: Hooks> Hooked<H> {
    async fn call<'a, T: Send + 'static>(
        &'a self,
        call: Call<'a>,
        run: impl FnOnce() -> BoxFuture<'a, Result<T>> + Send,
    ) -> Result<T> {
        let then = self.hooks.before(call.name).await?;
        let mut result = run().await;
        if let Ok(value) = &mut result {
            self.hooks.observe(&call, value);
        }
        self.hooks.after(call.name, then, result.is_ok()).await?;
        result
    }
}

/// Defines methods that call the inner store. The argument in brackets is a claim, and the hook
/// after the arrow changes what the call returns.
macro_rules! delegate {
    ($life:lifetime $(
        $name:ident($($arg:ident: $type:ty),*) $([$claim:ident])? -> $result:ty $(=> $hook:ident)?;
    )*) => {$(
        fn $name<$life>(&$life self, $($arg: $type),*) -> BoxFuture<$life, Result<$result>> {
            let call = Call {
                name: stringify!($name),
                claim: None$(.or(Some($claim)))?,
            };
            let called = self.call(call, move || self.inner.$name($($arg),*));
            $(let called = async move { called.await.map(|items| self.hooks.$hook(items)) };)?
            Box::pin(called)
        }
    )*};
}

impl<H: Hooks> Store for Hooked<H> {
    fn durability(&self) -> BoxFuture<'_, Durability> {
        self.inner.durability()
    }
}

impl<H: Hooks> Directory for Hooked<H> {
    fn create(&self, mut new: NewSession) -> BoxFuture<'_, Result<Created>> {
        let call = Call {
            name: "create",
            claim: None,
        };
        Box::pin(self.call(call, move || {
            self.hooks.change_session(&mut new);
            self.inner.create(new)
        }))
    }

    delegate! {'a
        get(key: &'a SessionKey) -> SessionRow;
        list(tenant: &'a TenantId, from: Option<PageToken>, limit: usize) -> SessionPage;
        update(key: &'a SessionKey, expected: Revision, patch: SessionPatch) -> Revision;
        erase(key: &'a SessionKey) -> ();
        claim(key: &'a SessionKey, node: &'a NodeRef, reason: ClaimReason) -> Claim;
        release(claim: &'a Claim, to: SessionState) [claim] -> ();
    }
}

impl<H: Hooks> Log for Hooked<H> {
    delegate! {'a
        append(claim: &'a Claim, expected_last: u64, batch: &'a Batch) [claim] -> Appended;
        read(key: &'a SessionKey, after: u64, limit: ReadLimit) -> Vec<Event>;
        follow(key: &'a SessionKey, after: u64) -> BoxStream<'static, Result<Live>> => change_stream;
        save_checkpoint(claim: &'a Claim, checkpoint: &'a Checkpoint) [claim] -> ();
        checkpoint(key: &'a SessionKey) -> Option<Checkpoint>;
    }

    fn publish_delta(&self, claim: &Claim, body: Bytes) {
        if self.hooks.is_publishing() {
            self.inner.publish_delta(claim, body);
        }
    }
}

impl<H: Hooks> Inbox for Hooked<H> {
    delegate! {'a
        submit(key: &'a SessionKey, command: NewCommand) -> Submitted;
        find_command(key: &'a SessionKey, command: NewCommand) -> Option<Submitted>;
        inbox(claim: &'a Claim) [claim] -> BoxStream<'static, Result<Command>> => change_stream;
    }
}

impl<H: Hooks> Interactions for Hooked<H> {
    delegate! {'a
        open_interaction(claim: &'a Claim, new: NewInteraction) [claim] -> ();
        answer(key: &'a SessionKey, id: &'a InteractionId, answer: InteractionAnswer) -> Verdict;
        close_interaction(claim: &'a Claim, id: &'a InteractionId, closing: Closing)
            [claim] -> Interaction;
        interaction(key: &'a SessionKey, id: &'a InteractionId) -> Interaction;
        interactions(filter: &'a InteractionFilter) -> Vec<Interaction>;
    }
}

impl<H: Hooks> Nodes for Hooked<H> {
    delegate! {'a
        put_node(record: NodeRecord, expected: Revision) -> Revision;
        nodes() -> Vec<NodeRecord>;
        sessions_of(node: &'a NodeId, below: u64) -> Vec<(SessionKey, Owner)>;
    }
}

impl<H: Hooks> Blobs for Hooked<H> {
    delegate! {'a
        put_blob(claim: &'a Claim, body: Bytes) [claim] -> BlobRef;
        get_blob(key: &'a SessionKey, hash: &'a str, range: Range<u64>) -> Bytes;
    }
}

impl<H: Hooks> Mirror for Hooked<H> {
    delegate! {'a
        mirror(claim: &'a Claim, file: &'a str, expected_last: u64, lines: &'a [Bytes])
            [claim] -> u64;
        mirrored_files(key: &'a SessionKey) -> Vec<(String, u64)>;
        mirrored(key: &'a SessionKey, file: &'a str, after: u64, limit: ReadLimit) -> Vec<Bytes>;
    }
}
