//! One line of the original becomes one line of the fork.

use std::collections::HashMap;

use crate::conversation::{Id, Ids, Kind, Node};
use crate::lines::readable;
use crate::members::{self, Members};

/// Members of the original that mean nothing in the fork.
const DROPPED: [&str; 8] = [
    "teamName",
    "agentName",
    "sessionKind",
    "slug",
    "sourceToolAssistantUUID",
    "summarizedTurnPromptUuids",
    "droppedPromptUuids",
    "turnAttributionKey",
];

/// What all lines of a fork share.
pub(super) struct Copy<'a> {
    ids: &'a Ids,
    /// New names of all lines, those that are left out too.
    names: HashMap<Id, String>,
    parents: HashMap<Id, (Kind, Option<Id>)>,
    old_session: &'a str,
    new_session: &'a str,
    now: &'a str,
}

impl<'a> Copy<'a> {
    pub(super) fn new(
        nodes: &[Node],
        ids: &'a Ids,
        old_session: &'a str,
        new_session: &'a str,
        now: &'a str,
    ) -> Self {
        let mut names = HashMap::new();
        for node in nodes {
            names
                .entry(node.id)
                .or_insert_with(|| uuid::Uuid::new_v4().to_string());
        }
        Self {
            ids,
            names,
            parents: nodes
                .iter()
                .map(|node| (node.id, (node.kind, node.parent)))
                .collect(),
            old_session,
            new_session,
            now,
        }
    }

    /// Steps of old releases are not copied; what hung under them hangs higher.
    pub(super) fn written<'n>(&self, nodes: &'n [Node]) -> impl Iterator<Item = &'n Node> {
        nodes.iter().filter(|node| node.kind != Kind::Progress)
    }

    /// The new line. Values that stay the same stay the same text.
    pub(super) fn entry(&self, line: &[u8], node: &Node, last: bool) -> Option<String> {
        let text = readable(line);
        let line = Members::read(&text)?;
        let old_uuid = line.get("uuid")?;
        let mut out = Rewrite::of(&line);
        if node.kind == Kind::System
            && line.string("subtype").as_deref() == Some("model_refusal_fallback")
        {
            out.set("neutralizedByFork", "true".to_owned());
        }
        if let Some(attachment) = self.attachment(&line, node) {
            out.set("attachment", attachment);
        }
        if let Some(compaction) = self.compaction(&line, node) {
            out.set("compactMetadata", compaction);
        }
        out.set(
            "uuid",
            self.name(node.id).unwrap_or_else(|| "null".to_owned()),
        );
        out.set(
            "parentUuid",
            self.parent(node).unwrap_or_else(|| "null".to_owned()),
        );
        match line.get("logicalParentUuid") {
            None | Some("null") => {}
            Some(_) => {
                let parent = node.logical_parent.and_then(|parent| self.name(parent));
                out.set(
                    "logicalParentUuid",
                    parent.unwrap_or_else(|| "null".to_owned()),
                );
            }
        }
        out.set("sessionId", quoted(self.new_session));
        if last {
            out.set("timestamp", quoted(self.now));
        }
        out.set("isSidechain", "false".to_owned());
        for name in DROPPED {
            out.remove(name);
        }
        out.set(
            "forkedFrom",
            format!(
                "{{\"sessionId\":{},\"messageUuid\":{old_uuid}}}",
                quoted(self.old_session)
            ),
        );
        Some(out.finish())
    }

    /// A line's new name, in quotes.
    fn name(&self, id: Id) -> Option<String> {
        self.names.get(&id).map(|name| quoted(name))
    }

    /// The new name for a JSON string that is an old one.
    fn renamed(&self, value: &str) -> Option<String> {
        let old = members::string(value)?;
        self.name(self.ids.known(&old)?)
    }

    fn parent(&self, node: &Node) -> Option<String> {
        let mut above = node.parent;
        // A circle of steps cannot be longer than the file.
        for _ in 0..=self.parents.len() {
            let (kind, parent) = self.parents.get(&above?)?;
            if *kind != Kind::Progress {
                break;
            }
            above = *parent;
        }
        self.name(above?)
    }

    /// Names of other lines inside an attachment.
    fn attachment(&self, line: &Members<'_>, node: &Node) -> Option<String> {
        if node.kind != Kind::Attachment {
            return None;
        }
        let attachment = line.object("attachment")?;
        let mut out = Rewrite::of(&attachment);
        if attachment.string("type").as_deref() == Some("deferred_tools_record") {
            let announced = attachment.get("nameOnlyAnnouncements")?;
            if !announced.starts_with('[') {
                return None;
            }
            let names = members::list(announced).into_iter();
            let names: Vec<String> = names.filter_map(|name| self.renamed(name)).collect();
            out.set("nameOnlyAnnouncements", format!("[{}]", names.join(",")));
        } else {
            let source = node.queued.as_ref()?.source?;
            out.set("source_uuid", self.name(source)?);
        }
        Some(out.finish())
    }

    /// Names of kept messages inside a compaction.
    fn compaction(&self, line: &Members<'_>, node: &Node) -> Option<String> {
        const KEPT: [(&str, &[&str]); 2] = [
            ("preservedMessages", &["anchorUuid", "uuids", "allUuids"]),
            ("preservedSegment", &["headUuid", "anchorUuid", "tailUuid"]),
        ];
        if node.kind != Kind::System {
            return None;
        }
        let data = line.object("compactMetadata")?;
        let mut out = Rewrite::of(&data);
        out.remove("runningTurnSends");
        if node.forget_preserved {
            out.remove("postTokens");
        }
        for (name, inner) in KEPT {
            out.remove(name);
            let Some(value) = data.get(name).filter(|_| !node.forget_preserved) else {
                continue;
            };
            let Some(kept) = Members::read(value) else {
                out.set(name, value.to_owned());
                continue;
            };
            let mut kept_out = Rewrite::of(&kept);
            for member in inner {
                if let Some(value) = kept.get(member) {
                    kept_out.set(member, self.rename_in(value));
                }
            }
            out.set(name, kept_out.finish());
        }
        Some(out.finish())
    }

    /// A name or a list of names; what is none of ours stays.
    fn rename_in(&self, value: &str) -> String {
        if !value.starts_with('[') {
            return self.renamed(value).unwrap_or_else(|| value.to_owned());
        }
        let names = members::list(value).into_iter();
        let names: Vec<String> = names
            .map(|name| self.renamed(name).unwrap_or_else(|| name.to_owned()))
            .collect();
        format!("[{}]", names.join(","))
    }
}

/// An object whose members keep their order while some change.
struct Rewrite(Vec<(String, String)>);

impl Rewrite {
    fn of(members: &Members<'_>) -> Self {
        let members = members.iter();
        Self(
            members
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        )
    }

    fn set(&mut self, name: &str, value: String) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| known != name);
    }

    fn finish(self) -> String {
        let members: Vec<String> = self
            .0
            .into_iter()
            .map(|(name, value)| format!("{}:{}", quoted(&name), members::compact(&value)))
            .collect();
        format!("{{{}}}", members.join(","))
    }
}

/// A text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
