//! Lets phones, browsers and editors drive sessions on other machines.
//!
//! [`StoreLog`] is the event log of a controller in a store: appends are durable and fenced, and
//! any process can follow a session.

mod store_log;

pub use store_log::StoreLog;
