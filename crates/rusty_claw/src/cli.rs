//! Finding the CLI, and asking it what it is before it is started for good.

mod find;

pub use find::{Program, find};

use crate::error::StartError;
use crate::transport::Launch;

pub(crate) fn check_length(_launch: &Launch) -> Result<(), StartError> {
    Ok(())
}
