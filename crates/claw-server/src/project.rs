//! Which project a session belongs to.

use rusty_claw::sessions::ProjectKey;
use rusty_claw_protocol::messages::{Message, SystemMessage};
use serde::{Deserialize, Serialize};

/// A project, as a phone sorts its conversations: the folder that a session works in.
///
/// ```
/// use claw_server::Project;
///
/// let project = Project::of_folder("/home/user/my.project");
/// assert_eq!(project.name, "my.project");
/// assert_eq!(project.id, "-home-user-my-project");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Project {
    /// A name that only this folder has, as the CLI calls it where it keeps sessions.
    pub id: String,
    /// What people call it: the last part of the folder's path.
    pub name: String,
    /// The folder.
    pub folder: String,
}

impl Project {
    /// The project of a folder, by its path. Nothing is read from disk.
    pub fn of_folder(folder: &str) -> Self {
        let parts = folder.split(['/', '\\']);
        let name = parts.rev().find(|part| !part.is_empty());
        Self {
            id: ProjectKey::of_path(folder).as_str().to_owned(),
            name: name.unwrap_or(folder).to_owned(),
            folder: folder.to_owned(),
        }
    }

    /// The project of a session, when a message says where it works.
    pub fn of_message(message: &Message) -> Option<Self> {
        match message {
            Message::System(SystemMessage::Init { details, .. }) => {
                let folder = details.cwd.as_deref();
                folder
                    .filter(|folder| !folder.is_empty())
                    .map(Self::of_folder)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_a_name_however_it_is_written() {
        for (folder, name) in [
            ("/home/user/project", "project"),
            ("/home/user/project/", "project"),
            ("C:\\work\\project", "project"),
            ("/", "/"),
            ("/home/user/🦀", "🦀"),
        ] {
            assert_eq!(Project::of_folder(folder).name, name);
        }
    }
}
