//! The built-in tools: what they take and what they return.
//!
//! Inputs and outputs of tools are kept as the text that came. [`ToolView`] reads an input in the
//! shape of its tool, for hosts that want to decide by it, and [`ToolOutputView`] an output.

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
use crate::wire::{Kind, Wire, WireMembers};

/// The server and the tool in the name of an MCP tool, `mcp__server__tool`.
pub fn mcp_tool(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

/// Reads a value that has all its required members, each in the shape of its field.
fn view<T: Wire + WireMembers>(json: &Json) -> Option<T> {
    let mut value: T = json.view()?;
    if let Some(Kind::Object(fields)) = T::shape().map(|shape| &shape.kind) {
        let extra = value.extra_mut();
        // A required member that did not come, or could not be read, is on record in `extra`.
        let lacking = |name: &str| extra.holds(name);
        if fields
            .iter()
            .any(|field| !field.rust.starts_with("Option") && lacking(field.name))
        {
            return None;
        }
    }
    Some(value)
}
