//! State that a fork inherits besides the messages.

use crate::entry::{Kind, KindGroup};
use crate::facts::{Facts, Member};
use crate::members::{self, Members, quoted};

/// State of the original that also applies to its copy.
#[derive(Debug, Default)]
pub(super) struct Baggage {
    session_id: String,
    history_suppressed: bool,
    replacements: Vec<String>,
    latch: Option<String>,
    tools_used: Option<Vec<String>>,
    flow: Option<Flow>,
    /// Whether a compaction followed the last snapshot of records.
    flow_uncovered: bool,
    derived_from: Option<Vec<String>>,
    forked_from: Vec<String>,
    relocated: Option<String>,
}

/// Records of data flow.
#[derive(Debug, Default)]
struct Flow {
    records: Vec<String>,
    incomplete: bool,
}

impl Baggage {
    pub(super) fn new(session_id: &str) -> Self {
        Self {
            session_id: session_id.to_owned(),
            ..Self::default()
        }
    }

    /// Reads a line of the original.
    pub(super) fn note(&mut self, facts: &Facts<'_>) {
        let from = facts.object(Member::ForkedFrom);
        let from = from.and_then(|from| from.string("sessionId"));
        self.forked_from.extend(from.map(Into::into));
        let kind = facts.kind;
        self.history_suppressed |= kind == Kind::HistorySuppression;
        if facts.string(Member::Session).as_deref() != Some(&self.session_id) {
            return;
        }
        if kind.group() == KindGroup::Chain {
            let boundary = facts.string(Member::Subtype).as_deref() == Some("compact_boundary");
            let main = kind == Kind::System && !facts.is_true(Member::Sidechain);
            self.flow_uncovered |= main && boundary;
            return;
        }
        let line = Members::read(facts.text).unwrap_or_default();
        match kind {
            Kind::AtisLatch => {
                let latch = line.get("atis").filter(|latch| {
                    members::string(latch)
                        .is_some_and(|text| text.bytes().all(|b| b.is_ascii_graphic()))
                });
                self.latch = latch.map(str::to_owned).or(self.latch.take());
            }
            Kind::ToolsUsed => {
                if let Some(tools) = line.get("tools").filter(|tools| tools.starts_with('[')) {
                    let tools = members::list(tools).into_iter();
                    let named = tools.filter(|tool| tool.starts_with('"') && *tool != "\"\"");
                    self.tools_used = Some(named.map(str::to_owned).collect());
                }
            }
            Kind::ContentReplacement => {
                let replacements = members::list(line.get("replacements").unwrap_or_default());
                let objects = replacements
                    .into_iter()
                    .filter(|value| value.starts_with('{'));
                self.replacements.extend(objects.map(str::to_owned));
            }
            Kind::Relocated => {
                let cwd = line
                    .get("relocatedCwd")
                    .filter(|cwd| cwd.starts_with('"') && *cwd != "\"\"");
                self.relocated = cwd.map(str::to_owned).or(self.relocated.take());
            }
            Kind::DataFlowRecords | Kind::DataFlowIncomplete
                if facts.get(Member::Agent).is_none() =>
            {
                self.note_flow(&line, kind);
            }
            Kind::DerivedFrom => {
                let sessions = line.get("sessions").unwrap_or_default();
                let sessions = members::list(sessions).into_iter().map(str::to_owned);
                self.derived_from = Some(sessions.collect());
            }
            _ => {}
        }
    }

    fn note_flow(&mut self, line: &Members<'_>, kind: Kind) {
        let flow = self.flow.get_or_insert_default();
        let records = line
            .get("records")
            .filter(|records| records.starts_with('['));
        let Some(records) =
            records.filter(|_| kind == Kind::DataFlowRecords && line.get("v") == Some("1"))
        else {
            flow.incomplete = true;
            return;
        };
        if line.is_true("snapshot") {
            flow.records.clear();
            self.flow_uncovered = false;
        }
        flow.records
            .extend(members::list(records).into_iter().map(str::to_owned));
    }

    /// Entries before the messages.
    pub(super) fn before(&self, session: &str, now: &str) -> Option<String> {
        self.history_suppressed.then(|| {
            let session = quoted(session);
            format!(
                r#"{{"type":"history-suppression","sessionId":{session},"cause":"fork_inherit","ts":"{now}"}}"#
            )
        })
    }

    /// Entries after the messages.
    pub(super) fn behind(&self, session: &str, now: &str) -> Vec<String> {
        let id = quoted(session);
        let mut entries = Vec::new();
        if !self.replacements.is_empty() {
            let replacements = self.replacements.join(",");
            let uuid = uuid::Uuid::new_v4();
            entries.push(format!(
                r#"{{"type":"content-replacement","sessionId":{id},"replacements":[{replacements}],"uuid":"{uuid}","timestamp":"{now}"}}"#
            ));
        }
        if let Some(latch) = &self.latch {
            entries.push(format!(
                r#"{{"type":"atis-latch","sessionId":{id},"atis":{latch}}}"#
            ));
        }
        if let Some(tools) = &self.tools_used {
            let tools = tools.join(",");
            entries.push(format!(
                r#"{{"type":"tools-used","sessionId":{id},"tools":[{tools}]}}"#
            ));
        }
        self.flow_entries(&id, &mut entries);
        if let Some(cwd) = &self.relocated {
            entries.push(format!(
                r#"{{"type":"relocated","sessionId":{id},"relocatedCwd":{cwd}}}"#
            ));
        }
        entries
    }

    fn flow_entries(&self, id: &str, entries: &mut Vec<String>) {
        if let Some(flow) = &self.flow {
            let records = flow.records.join(",");
            entries.push(format!(
                r#"{{"type":"data-flow-records","v":1,"sessionId":{id},"records":[{records}],"snapshot":true}}"#
            ));
            if flow.incomplete || self.flow_uncovered {
                entries.push(format!(
                    r#"{{"type":"data-flow-incomplete","v":1,"sessionId":{id}}}"#
                ));
            }
        }
        if self.flow.is_some() || self.derived_from.is_some() {
            let mut sessions = self.derived_from.clone().unwrap_or_default();
            for from in self.forked_from.iter().chain([&self.session_id]) {
                let from = quoted(from);
                let known = sessions.iter().any(|session| session.contains(&*from));
                if !known {
                    sessions.push(format!(
                        r#"{{"type":"claude_code_session","id":{from},"via":"fork"}}"#
                    ));
                }
            }
            let sessions = sessions.join(",");
            entries.push(format!(
                r#"{{"type":"derived-from","v":1,"sessionId":{id},"sessions":[{sessions}]}}"#
            ));
        }
    }
}

/// The last entry of a fork: its title.
pub(super) fn title_entry(session: &str, title: &str, now: &str) -> String {
    let (session, title) = (quoted(session), quoted(title));
    let uuid = uuid::Uuid::new_v4();
    format!(
        r#"{{"type":"custom-title","sessionId":{session},"customTitle":{title},"uuid":"{uuid}","timestamp":"{now}"}}"#
    )
}
