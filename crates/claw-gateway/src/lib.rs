//! Lets phones, browsers and editors drive sessions on other machines.
//!
//! [`StoreLog`] is the log of a controller on a store: what the sessions of this process append is
//! durable and fenced, and any process can follow it.

mod store_log;

pub use store_log::StoreLog;
