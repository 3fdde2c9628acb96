//! Where replies were made.

use std::collections::HashMap;

use crate::files::{FileRole, SessionFile};
use crate::usage::facts::Reply;
use crate::usage::tables::{Name, Place, Tables};

/// The places of one file.
pub(super) struct Places<'f> {
    index: u32,
    file: &'f SessionFile,
    agent_type: Option<Name>,
    /// Whatever time they are near.
    known: HashMap<Place, u32>,
    last: Option<(PlaceText, u32)>,
}

/// What the place of the last reply was made from, to know the same one again at a glance.
#[derive(Debug, Default, PartialEq, Eq)]
struct PlaceText {
    parts: [Option<Vec<u8>>; 5],
    sidechain: bool,
}

impl PlaceText {
    fn is(&self, reply: &Reply<'_>) -> bool {
        let parts = parts(reply);
        self.sidechain == reply.sidechain
            && self
                .parts
                .iter()
                .zip(parts)
                .all(|(part, new)| part.as_deref() == new)
    }
}

fn parts<'a>(reply: &Reply<'a>) -> [Option<&'a [u8]>; 5] {
    [
        reply.session,
        reply.cwd,
        reply.git_branch,
        reply.agent,
        reply.agent_type,
    ]
}

impl<'f> Places<'f> {
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
            last: None,
        }
    }

    /// The number of the place that a reply was made at.
    pub(super) fn number(&mut self, reply: &Reply<'_>, time: i64, tables: &mut Tables) -> u32 {
        if let Some((text, place)) = &self.last
            && text.is(reply)
        {
            return *place;
        }
        let names = &mut tables.names;
        let session = match (reply.session, &self.file.session_id) {
            (Some(session), _) => names.number_of_json(session),
            (None, Some(session)) => names.number(session),
            (None, None) => names.number(&self.file.path.to_string_lossy()),
        };
        let agent = match (reply.agent, &self.file.role) {
            (Some(agent), _) => Some(names.number_of_json(agent)),
            (None, FileRole::Agent { agent_id }) => Some(names.number(agent_id)),
            (None, _) => None,
        };
        let agent_type = reply.agent_type.map(|name| names.number_of_json(name));
        let place = Place {
            file: self.index,
            session,
            cwd: reply.cwd.map(|cwd| names.number_of_json(cwd)),
            git_branch: reply.git_branch.map(|branch| names.number_of_json(branch)),
            agent,
            agent_type: agent_type.or(self.agent_type),
            sidechain: reply.sidechain || agent.is_some(),
            near: time,
        };
        let places = &mut tables.places;
        let number = *self
            .known
            .entry(Place { near: 0, ..place })
            .or_insert_with(|| {
                places.push(place);
                u32::try_from(places.len() - 1).unwrap_or(u32::MAX)
            });
        let text = PlaceText {
            parts: parts(reply).map(|part| part.map(<[u8]>::to_vec)),
            sidechain: reply.sidechain,
        };
        self.last = Some((text, number));
        number
    }
}

/// What the file beside an agent's says about it.
fn agent_type(file: &SessionFile) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Sidecar {
        #[serde(rename = "agentType")]
        agent_type: String,
    }
    let text = std::fs::read(file.sidecar()?).ok()?;
    let sidecar: Sidecar = serde_json::from_slice(&text).ok()?;
    Some(sidecar.agent_type)
}
