//! The contexts in which replies were made.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

use crate::facts::Member;
use crate::files::{FileRole, SessionFile};
use crate::members::Members;
use crate::usage::reply::Reply;
use crate::usage::tables::{Context, Name, Tables};

pub(super) struct Contexts<'f> {
    index: u32,
    file: &'f SessionFile,
    agent_type: Option<Name>,
    /// Numbers of contexts, by the hash of their text.
    known: HashMap<u64, u32>,
}

impl<'f> Contexts<'f> {
    pub(super) fn new(
        index: u32,
        file: &'f SessionFile,
        agent_types: bool,
        tables: &mut Tables,
    ) -> Self {
        let agent_type = agent_types.then(|| agent_type(file)).flatten();
        Self {
            index,
            file,
            agent_type: agent_type.map(|agent_type| tables.names.number(&agent_type)),
            known: HashMap::new(),
        }
    }

    pub(super) fn number(&mut self, reply: &Reply<'_>, time: i64, tables: &mut Tables) -> u32 {
        // On the CLI's standard output it is `session_id`.
        let session = reply.get(Member::Session);
        let session = session.or_else(|| reply.get(Member::StreamSession));
        let others = [
            Member::Cwd,
            Member::GitBranch,
            Member::Agent,
            Member::AgentType,
        ];
        let others = others.map(|member| reply.get(member));
        let text = (session, others, reply.is_sidechain());
        let hash = BuildHasherDefault::<DefaultHasher>::new().hash_one(text);
        if let Some(number) = self.known.get(&hash) {
            return *number;
        }
        let names = &mut tables.names;
        let session = match (session, &self.file.session_id) {
            (Some(session), _) => names.number_of_json(session),
            (None, Some(session)) => names.number(session),
            (None, None) => names.number(&self.file.path.to_string_lossy()),
        };
        let [cwd, git_branch, agent, agent_type] =
            others.map(|name| name.map(|name| names.number_of_json(name)));
        let agent = match (agent, &self.file.role) {
            (None, FileRole::Agent { agent_id }) => Some(names.number(agent_id)),
            (agent, _) => agent,
        };
        let context = Context {
            file: self.index,
            session,
            cwd,
            git_branch,
            agent,
            agent_type: agent_type.or(self.agent_type),
            sidechain: reply.is_sidechain() || agent.is_some(),
            near: time,
        };
        let number = u32::try_from(tables.contexts.len()).unwrap_or(u32::MAX);
        tables.contexts.push(context);
        self.known.insert(hash, number);
        number
    }
}

/// Reads the type of an agent from its sidecar.
fn agent_type(file: &SessionFile) -> Option<String> {
    let text = std::fs::read_to_string(file.sidecar()?).ok()?;
    let agent_type = Members::read(text.trim())?.string("agentType")?;
    Some(agent_type.into_owned())
}
