//! The project of a session.

use rusty_claw::sessions::ProjectKey;
use rusty_claw_protocol::messages::{Message, SystemMessage};
use serde::{Deserialize, Serialize};

/// A project: the folder that a session works in. Phones group conversations by it.
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
    /// The CLI's name for the folder where it keeps sessions. Folders that differ only in
    /// punctuation share it.
    pub id: String,
    /// The last part of the folder's path.
    pub name: String,
    /// The path of the folder.
    pub folder: String,
}

impl Project {
    /// Creates the project of a folder. Does not access the file system.
    pub fn of_folder(folder: &str) -> Self {
        let parts = folder.split(['/', '\\']);
        let name = parts.rev().find(|part| !part.is_empty());
        Self {
            id: ProjectKey::of_path(folder).as_str().to_owned(),
            name: name.unwrap_or(folder).to_owned(),
            folder: folder.to_owned(),
        }
    }

    /// The project of a session, if the message contains its working directory.
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
