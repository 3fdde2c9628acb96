//! Tests of options.

mod contradictions;
mod limits_page;
mod page;
mod table;

use super::Options;
use super::files::PrivateFiles;
use crate::transport::Launch;

/// Launches options with an empty environment.
fn launch(options: &Options) -> (Launch, PrivateFiles) {
    match options.launch_where(&|_| false) {
        Ok(launch) => launch,
        Err(error) => panic!("{error}"),
    }
}
