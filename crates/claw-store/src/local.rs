//! The stores without a server: memory and SQLite.
//!
//! Both have a type of transaction with a method for each call of the contract, which
//! [`implement_store`] makes asynchronous.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use tokio::sync::Notify;

use crate::{BoxStream, Command, Result, StoreError};

/// Defines methods that run the method of a transaction with the same name, on copies of their
/// arguments.
macro_rules! calls {
    ($life:lifetime $($kind:ident $name:ident($($arg:ident: $type:ty),*) -> $result:ty
        = ($($value:expr),*);)*) => {$(
        fn $name<$life>(&$life self, $($arg: $type),*) -> BoxFuture<$life, Result<$result>> {
            $(let $arg = $arg.to_owned();)*
            self.$kind(move |tx| tx.$name($($value),*))
        }
    )*};
}

/// Implements the parts of [`crate::Store`] for a type with the methods `write` and `query`, which
/// run a function on a transaction, `hub`, `subscribe`, which attaches the hub to a session, and
/// `watch`, which returns a notifier for changes of an inbox, and its guard.
macro_rules! implement_store {
    ($store:ident) => {
        const _: () = {
            use bytes::Bytes;
            use std::ops::Range;
            use std::sync::Arc;
            use $crate::hub::{Attached, Source};
            use $crate::local::{calls, commands};
            use $crate::*;

            impl Directory for $store {
                calls! {'a
                    write create(new: NewSession) -> Created = (&new);
                    query get(key: &'a SessionKey) -> SessionRow = (&key);
                    query list(tenant: &'a TenantId, from: Option<PageToken>, limit: usize)
                        -> SessionPage = (&tenant, from.as_ref(), limit.max(1));
                    write update(key: &'a SessionKey, expected: Revision, patch: SessionPatch)
                        -> Revision = (&key, expected, &patch);
                    write erase(key: &'a SessionKey) -> () = (&key);
                    write claim(key: &'a SessionKey, node: &'a NodeRef, reason: ClaimReason)
                        -> Claim = (&key, &node, reason);
                    write release(claim: &'a Claim, to: SessionState) -> () = (&claim, to);
                }
            }

            impl Log for $store {
                calls! {'a
                    write append(claim: &'a Claim, expected_last: u64, batch: &'a Batch)
                        -> Appended = (&claim, expected_last, &batch);
                    query read(key: &'a SessionKey, after: u64, limit: ReadLimit)
                        -> Vec<Event> = (&key, after, limit);
                    write save_checkpoint(claim: &'a Claim, checkpoint: &'a Checkpoint)
                        -> () = (&claim, &checkpoint);
                    query checkpoint(key: &'a SessionKey) -> Option<Checkpoint> = (&key);
                }

                fn follow<'a>(
                    &'a self,
                    key: &'a SessionKey,
                    after: u64,
                ) -> BoxFuture<'a, Result<BoxStream<'static, Result<Live>>>> {
                    Box::pin(self.hub().follow(Arc::new(self.clone()), key, after))
                }

                fn publish_delta(&self, claim: &Claim, body: Bytes) {
                    self.publish(claim, body);
                }
            }

            impl Source for $store {
                fn attach<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Attached>> {
                    Box::pin(self.subscribe(key))
                }

                fn read<'a>(
                    &'a self,
                    key: &'a SessionKey,
                    after: u64,
                    limit: ReadLimit,
                ) -> BoxFuture<'a, Result<Vec<Event>>> {
                    Log::read(self, key, after, limit)
                }
            }

            impl Inbox for $store {
                calls! {'a
                    write submit(key: &'a SessionKey, command: NewCommand)
                        -> Submitted = (&key, &command);
                    query find_command(key: &'a SessionKey, command: NewCommand)
                        -> Option<Submitted> = (&key, &command);
                }

                fn inbox<'a>(
                    &'a self,
                    claim: &'a Claim,
                ) -> BoxFuture<'a, Result<BoxStream<'static, Result<Command>>>> {
                    Box::pin(async move {
                        let (changed, guard) = self.watch(claim).await?;
                        let (store, claim) = (self.clone(), claim.clone());
                        let read = move |after| {
                            let (store, claim) = (store.clone(), claim.clone());
                            async move { store.query(move |tx| tx.next_command(&claim, after)).await }
                        };
                        Ok(commands(changed, guard, read))
                    })
                }
            }

            impl Interactions for $store {
                calls! {'a
                    write open_interaction(claim: &'a Claim, new: NewInteraction)
                        -> () = (&claim, &new);
                    write answer(key: &'a SessionKey, id: &'a InteractionId, answer: InteractionAnswer)
                        -> Verdict = (&key, &id, &answer);
                    write close_interaction(claim: &'a Claim, id: &'a InteractionId, closing: Closing)
                        -> Interaction = (&claim, &id, closing);
                    query interaction(key: &'a SessionKey, id: &'a InteractionId)
                        -> Interaction = (&key, &id);
                    query interactions(filter: &'a InteractionFilter)
                        -> Vec<Interaction> = (&filter);
                }
            }

            impl Nodes for $store {
                calls! {'a
                    write put_node(record: NodeRecord, expected: Revision)
                        -> Revision = (&record, expected);
                    query nodes() -> Vec<NodeRecord> = ();
                    query sessions_of(node: &'a NodeId, below: u64)
                        -> Vec<(SessionKey, Owner)> = (&node, below);
                }
            }

            impl Blobs for $store {
                fn put_blob<'a>(
                    &'a self,
                    claim: &'a Claim,
                    body: Bytes,
                ) -> BoxFuture<'a, Result<BlobRef>> {
                    Box::pin(async move {
                        let (claim, blob) = (claim.clone(), BlobRef::of(&body).await?);
                        let put = self.write(move |tx| {
                            tx.put_blob(&claim, &blob, &body).map(|()| blob.clone())
                        });
                        put.await
                    })
                }

                calls! {'a
                    query get_blob(key: &'a SessionKey, hash: &'a str, range: Range<u64>)
                        -> Bytes = (&key, &hash, &range);
                }
            }

            impl Mirror for $store {
                calls! {'a
                    write mirror(claim: &'a Claim, file: &'a str, expected_last: u64, lines: &'a [Bytes])
                        -> u64 = (&claim, &file, expected_last, &lines);
                    query mirrored_files(key: &'a SessionKey) -> Vec<(String, u64)> = (&key);
                    query mirrored(key: &'a SessionKey, file: &'a str, after: u64, limit: ReadLimit)
                        -> Vec<Bytes> = (&key, &file, after, limit);
                }
            }
        };
    };
}

pub(crate) use {calls, implement_store};

/// Receives commands as `read` finds them after a position, until it fails.
pub(crate) fn commands<F>(
    changed: Arc<Notify>,
    guard: impl Send + 'static,
    read: impl Fn(u64) -> F + Send + 'static,
) -> BoxStream<'static, Result<Command>>
where
    F: Future<Output = Result<Option<Command>>> + Send + 'static,
{
    let start = (0, read, guard);
    Box::pin(stream::try_unfold(start, move |(after, read, guard)| {
        let changed = changed.clone();
        async move {
            loop {
                // Created before the read: a later change notifies it.
                let later = changed.notified();
                match read(after).await {
                    Ok(Some(command)) => {
                        let next = (command.position, read, guard);
                        return Ok(Some((command, next)));
                    }
                    Ok(None) => later.await,
                    Err(StoreError::Unavailable { .. }) => {
                        tokio::time::sleep(Duration::from_millis(50)).await;
                    }
                    Err(error) => return Err(error),
                }
            }
        }
    }))
}
