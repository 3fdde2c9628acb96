//! The inputs and outputs of the built-in tools.
//!
//! Inputs and outputs are kept as received. [`ToolView`] reads an input in the shape of its tool,
//! for hosts that decide on it; [`ToolOutputView`] reads an output.

mod agent_input;
mod agent_output;
mod change_output;
mod file_input;
mod file_output;
mod output_view;
mod plan_input;
mod plan_output;
mod product_input;
mod schedule_input;
mod shell_input;
mod shell_output;
mod task_input;
mod task_output;
mod view;
mod web_input;
mod web_output;
mod web_search_part;

pub use agent_input::*;
pub use agent_output::*;
pub use change_output::*;
pub use file_input::*;
pub use file_output::*;
pub use output_view::*;
pub use plan_input::*;
pub use plan_output::*;
pub use product_input::*;
pub use schedule_input::*;
pub use shell_input::*;
pub use shell_output::*;
pub use task_input::*;
pub use task_output::*;
pub use view::*;
pub use web_input::*;
pub use web_output::*;
pub use web_search_part::*;

use crate::json::Json;
use crate::wire::{Wire, WireMembers};

/// Splits the name of an MCP tool, `mcp__server__tool`, into server and tool.
pub fn mcp_tool(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

/// Reads a value if all its required members are present and have the shape of their fields.
fn view<T: Wire + WireMembers>(json: &Json) -> Option<T> {
    let mut value: T = json.view()?;
    let extra = value.extra_mut();
    // `extra` records required members that are missing or could not be read.
    let is_complete = !T::REQUIRED.iter().any(|name| extra.holds(name));
    is_complete.then_some(value)
}
