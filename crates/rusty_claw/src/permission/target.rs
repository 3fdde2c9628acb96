//! The paths that a call works on.

use rusty_claw_protocol::Json;
use rusty_claw_protocol::tool::ToolView;

use super::ask::PermissionAsk;
use super::fit::Fit;
use super::glob::PathGlob;
use super::path::{Access, PlacedGlob};
use super::path_context::PathContext;

impl PermissionAsk {
    /// Returns whether the call names paths: its tool works on files, or an input member has the
    /// name of a path. A grant for the tool alone would cover every path.
    pub fn names_paths(&self) -> bool {
        !Target::of(self).is_empty()
    }
}

/// A path that a call works on.
#[derive(Debug, PartialEq)]
pub(super) enum Target {
    /// An unknown path.
    Unclear,
    File(String),
    /// A folder and everything below it; the working directory if absent.
    Folder(Option<String>),
    /// A path that is not the main subject of its tool. A rule about paths does not allow it.
    Beside(String),
}

impl Target {
    /// All targets of a call.
    pub(super) fn of(ask: &PermissionAsk) -> Vec<Self> {
        let file = |path: &str| vec![Self::File(path.to_owned())];
        let folder = |path: Option<&str>| vec![Self::Folder(path.map(str::to_owned))];
        let beside = |path: Option<&str>| path.map(|path| Self::Beside(path.to_owned()));
        match ask.tool() {
            ToolView::Read(input) => file(&input.file_path),
            ToolView::Write(input) => file(&input.file_path),
            ToolView::Edit(input) => file(&input.file_path),
            ToolView::MultiEdit(input) => file(&input.file_path),
            ToolView::NotebookEdit(input) => file(&input.notebook_path),
            ToolView::NotebookRead(input) => file(&input.notebook_path),
            ToolView::Ls(input) => folder(Some(&input.path)),
            ToolView::Grep(input) => folder(input.path.as_deref()),
            // A pattern can match files outside of its folder.
            ToolView::Glob(input)
                if input.pattern.contains("..") || input.pattern.starts_with(['/', '~']) =>
            {
                vec![Self::Unclear]
            }
            ToolView::Glob(input) => folder(input.path.as_deref()),
            ToolView::Artifact(input) => {
                let one = [input.file_path.as_deref(), input.out_dir.as_deref()];
                let many = input.file_paths.iter().flatten().map(|path| Some(&**path));
                one.into_iter().chain(many).filter_map(beside).collect()
            }
            ToolView::Projects(input) => beside(input.local_path.as_deref()).into_iter().collect(),
            ToolView::EnterWorktree(input) => beside(input.path.as_deref()).into_iter().collect(),
            ToolView::Workflow(input) => beside(input.script_path.as_deref()).into_iter().collect(),
            ToolView::Mcp { input, .. } if names_a_path(&input) => vec![Self::Unclear],
            ToolView::Other if is_file_tool(ask.tool_name()) || names_a_path(ask.input()) => {
                vec![Self::Unclear]
            }
            _ => Vec::new(),
        }
    }

    /// How well it matches one of the patterns of a rule. `writes` is whether the call may change
    /// the file.
    pub(super) fn fit(&self, globs: &[PathGlob], around: &PathContext, writes: bool) -> Fit {
        let (path, access) = match self {
            Self::Unclear => return Fit::Perhaps,
            Self::File(path) if writes => (path.as_str(), Access::Write),
            Self::File(path) => (path.as_str(), Access::Read),
            Self::Folder(Some(path)) | Self::Beside(path) => (path.as_str(), Access::ReadFolder),
            Self::Folder(None) => (".", Access::ReadFolder),
        };
        let whole_folder = access == Access::ReadFolder;
        let Ok(readings) = around.readings(path) else {
            return Fit::Perhaps;
        };
        let place = |glob| PlacedGlob::new(glob, around);
        let placed: Vec<PlacedGlob> = globs.iter().filter_map(place).collect();
        let surely = readings.check(&placed, access).is_ok();
        if surely && !matches!(self, Self::Beside(_)) {
            return Fit::Yes;
        }
        // A pattern that cannot be resolved could mean anything.
        let unclear = placed.len() < globs.len() || globs.iter().any(PathGlob::may_mean_more);
        let could_fit = |glob: &PlacedGlob| readings.could_fit(glob, whole_folder);
        if surely || unclear || placed.iter().any(could_fit) {
            Fit::Perhaps
        } else {
            Fit::No
        }
    }
}

fn is_file_tool(name: &str) -> bool {
    [
        "Read",
        "Write",
        "Edit",
        "MultiEdit",
        "NotebookEdit",
        "NotebookRead",
        "LS",
        "Grep",
        "Glob",
        "Artifact",
        "Projects",
        "EnterWorktree",
        "Workflow",
    ]
    .iter()
    .any(|known| known.eq_ignore_ascii_case(name))
}

/// Returns whether an input has text in a member with the name of a path.
fn names_a_path(input: &Json) -> bool {
    fn holds_text(value: &serde_json::Value) -> bool {
        match value {
            serde_json::Value::String(_) => true,
            serde_json::Value::Array(values) => values.iter().any(holds_text),
            _ => false,
        }
    }
    fn any_path(value: &serde_json::Value) -> bool {
        match value {
            serde_json::Value::Object(members) => members.iter().any(|(name, value)| {
                let name = name.to_lowercase();
                let is_path = name.contains("path")
                    || ["file", "dir", "folder", "cwd", "root", "notebook"]
                        .iter()
                        .any(|begin| name.starts_with(begin));
                is_path && holds_text(value) || any_path(value)
            }),
            serde_json::Value::Array(values) => values.iter().any(any_path),
            _ => false,
        }
    }
    any_path(&input.to_value())
}
