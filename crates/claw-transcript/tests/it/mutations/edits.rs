//! Edits of one line, as `edits.txt` lists them.

use serde_json::Value;

use super::session::{Broken, Session};

/// One row of the table.
pub(super) struct Edit {
    pub(super) rule: &'static str,
    pub(super) what: &'static str,
    conditions: &'static str,
    changes: Vec<&'static str>,
}

pub(super) fn all() -> impl Iterator<Item = Edit> {
    let rows = include_str!("edits.txt").lines();
    let rows = rows.filter(|row| !row.is_empty() && !row.starts_with('#'));
    rows.map(|row| {
        let mut columns = row.split('\t');
        let [rule, what, conditions] = [(); 3].map(|()| columns.next().expect("a column"));
        Edit {
            rule,
            what,
            conditions,
            changes: columns.collect(),
        }
    })
}

impl Edit {
    /// Breaks a line, if it is one of those that the row is about.
    pub(super) fn apply(&self, session: &Session, at: usize) -> Option<Broken> {
        let fits = |condition| match condition {
            "chain" => session.in_chain(at),
            "document" => session.in_chain(at) && session.of_the_document(at),
            "disk" => session.json(at)["version"].is_string(),
            "api" => session.is_of_the_api(at),
            "agent" => session.in_chain(at) && session.of_agent,
            "requested" => (0..at).any(|line| session.kind(line) == "api-request"),
            member => {
                let (name, value) = member.split_once('=').expect("NAME=VALUE");
                session.json(at)[name] == value
            }
        };
        if !self.conditions.split(' ').all(fits) {
            return None;
        }
        let mut line = session.json(at).clone();
        for edit in &self.changes {
            change(&mut line, edit)?;
        }
        // No `Value` can have half of a character in it.
        let line = line.to_string().replace("<half>", "\\ud83d cut");
        Some(session.with(at, line))
    }
}

/// Changes a member, or returns `None` if it is not there and is not to be added.
fn change(line: &mut Value, edit: &str) -> Option<()> {
    let (path, value) = match edit.strip_prefix('-') {
        Some(path) => (path, None),
        None => {
            let (path, value) = edit.split_once('=').expect("PATH=JSON");
            (path, Some(serde_json::from_str(value).expect("JSON")))
        }
    };
    let path = pointer(line, path)?;
    let added = path.strip_suffix('+');
    let (object, name) = added.unwrap_or(&path).rsplit_once('/')?;
    let object = line.pointer_mut(object)?.as_object_mut()?;
    if added.is_none() && object.get(name).is_none_or(Value::is_null) {
        return None;
    }
    match value {
        Some(value) => object.insert(name.to_owned(), value),
        None => object.remove(name),
    };
    Some(())
}

/// The JSON pointer of a path in which `[TYPE]` is the first block of that type.
pub(super) fn pointer(line: &Value, path: &str) -> Option<String> {
    let Some((list, rest)) = path.split_once("/[") else {
        return Some(path.to_owned());
    };
    let (kind, rest) = rest.split_once(']')?;
    let blocks = line.pointer(list)?.as_array()?;
    let at = blocks.iter().position(|block| block["type"] == kind)?;
    Some(format!("{list}/{at}{rest}"))
}
