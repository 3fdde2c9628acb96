//! Lets phones, browsers and editors drive sessions on other machines.
//!
//! A [`Gateway`] runs sessions over a [`Store`](claw_store::Store). Callers create sessions, send
//! input, answer interactions and follow the log through an [`Access`], which knows the tenant and
//! the [`Scope`] of its caller. Every command is stored under an idempotency key before it is
//! acknowledged, and the owner of the session applies it.
//!
//! [`StoreLog`] is the log of a [`Controller`](claw_server::Controller) in a store.

mod access;
mod adopt;
mod answer;
mod audit;
mod caller;
mod changes;
mod cli_host;
pub mod client;
mod clock;
mod command;
mod devices;
mod error;
mod expiry;
mod feed;
mod frame;
#[cfg(test)]
mod frames_page;
mod gateway;
mod history;
mod holder;
pub mod http;
mod isolation;
mod listing;
mod live_text;
mod numbers;
mod origin;
mod owner;
mod places;
mod relay;
mod runner;
mod session_files;
mod spec;
mod store_log;
mod tenant;
mod waking;

pub use access::{Access, AnswerOutcome, Pending, SessionInfo, SessionInfos, Stored};
pub use answer::Answer;
pub use caller::{Caller, Scope};
pub use cli_host::{CliHost, FoundCli, HostedSession};
pub use devices::{Device, Devices};
pub use error::GatewayError;
pub use feed::{Feed, Update};
pub use frame::{DialectName, Frame};
pub use gateway::{Gateway, Settings};
pub use history::History;
#[cfg(feature = "simulation")]
#[doc(hidden)]
pub use holder::simulated;
pub use holder::{Holders, hold};
pub use origin::Origin;
pub use relay::{Credential, Relay};
pub use runner::{Runner, RunnerCheck};
pub use spec::SessionSpec;
pub use store_log::StoreLog;

// The server's tests, whose files that module includes, name it so.
#[cfg(test)]
use frames_page::testdata;
