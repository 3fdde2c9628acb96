//! Options and what becomes of them.

mod contradictions;
mod limits_page;
mod page;
mod table;

use super::Options;
use super::files::PrivateFiles;
use crate::transport::Launch;

/// What an options value becomes in an environment that is empty.
fn launch(options: &Options) -> (Launch, PrivateFiles) {
    match options.launch_where(&|_| false) {
        Ok(launch) => launch,
        Err(error) => panic!("{error}"),
    }
}
