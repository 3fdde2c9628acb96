//! Copies lines of the original to the fork.

use std::collections::HashMap;

use crate::conversation::{Id, Ids, Node};
use crate::entry::Kind;
use crate::lines::readable;
use crate::members::{self, Members, Rewrite, quoted};

/// Members that are meaningless in the fork.
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

/// State shared by all lines of a fork.
pub(super) struct Copy<'a> {
    ids: &'a Ids,
    /// New uuids of all lines, including those that are not copied.
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

    /// Returns the new line. Unchanged values keep their text.
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
        let or_null = |name: Option<String>| name.unwrap_or_else(|| "null".to_owned());
        out.set("uuid", or_null(self.name(node.id)));
        out.set("parentUuid", or_null(self.parent(node)));
        if !matches!(line.get("logicalParentUuid"), None | Some("null")) {
            let parent = node.logical_parent.and_then(|parent| self.name(parent));
            out.set("logicalParentUuid", or_null(parent));
        }
        out.set("sessionId", quoted(self.new_session));
        if last {
            out.set("timestamp", quoted(self.now));
        }
        out.set("isSidechain", "false".to_owned());
        for name in DROPPED {
            out.remove(name);
        }
        let session = quoted(self.old_session);
        let from = format!(r#"{{"sessionId":{session},"messageUuid":{old_uuid}}}"#);
        out.set("forkedFrom", from);
        Some(out.finish())
    }

    /// The new uuid of a line, quoted.
    fn name(&self, id: Id) -> Option<String> {
        self.names.get(&id).map(|name| quoted(name))
    }

    /// The new uuid for a JSON string with an old one.
    fn renamed(&self, value: &str) -> Option<String> {
        let old = members::string(value)?;
        self.name(self.ids.known(&old)?)
    }

    fn parent(&self, node: &Node) -> Option<String> {
        let mut above = node.parent;
        // A cycle of progress lines cannot be longer than the file.
        for _ in 0..=self.parents.len() {
            let (kind, parent) = self.parents.get(&above?)?;
            if *kind != Kind::Progress {
                break;
            }
            above = *parent;
        }
        self.name(above?)
    }

    /// Replaces the uuids of other lines in an attachment.
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

    /// Replaces the uuids of kept messages in a compaction.
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

    /// Replaces a uuid or a list of uuids. Unknown ones stay.
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
