//! Which conversation, and how it is kept.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::InitializeRequest;

use super::Options;
use super::argv::Argv;
use super::check::{bad, named};
use crate::error::StartError;
use crate::store::{FlushMode, SessionStore};

/// Which conversation, and how it is kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conversation {
    resume: Option<Str>,
    continue_latest: bool,
    fork_session: bool,
    resume_session_at: Option<Str>,
    resume_drops_turn: Option<Str>,
    session_id: Option<Str>,
    do_not_persist: bool,
    title: Option<String>,
    file_checkpointing: bool,
    pub(crate) store: Option<Store>,
    pub(crate) store_flush: FlushMode,
    pub(crate) store_load: Option<Duration>,
    pub(crate) store_project: Option<Str>,
}

impl Conversation {
    /// The conversation that is gone on with, where it is named.
    pub(crate) fn resumed_id(&self) -> Option<Str> {
        self.resume.clone()
    }
}

/// Where the conversation is kept besides.
#[derive(Clone)]
pub(crate) struct Store(pub(crate) Arc<dyn SessionStore>);

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Store")
    }
}

impl Options {
    /// Goes on with the conversation that has this id. A new one begins unless set. The CLI looks
    /// for it among the sessions of the working folder first, then elsewhere; an id that it does
    /// not find fails the start.
    pub fn resume(mut self, session: impl Into<Str>) -> Self {
        self.conversation.resume = Some(session.into());
        self
    }

    /// Whether to go on with the latest conversation of the working folder. Off unless set. When
    /// there is none, a new one begins.
    pub fn continue_latest(mut self, continue_latest: bool) -> Self {
        self.conversation.continue_latest = continue_latest;
        self
    }

    /// Whether the conversation that is gone on with stays as it is and a copy with a new id goes
    /// on. Off unless set; needs [`Options::resume`] or [`Options::continue_latest`].
    pub fn fork_session(mut self, fork: bool) -> Self {
        self.conversation.fork_session = fork;
        self
    }

    /// The last entry of the resumed conversation that counts, by its id; what came after it is
    /// left behind. Needs [`Options::resume`].
    pub fn resume_session_at(mut self, entry: impl Into<Str>) -> Self {
        self.conversation.resume_session_at = Some(entry.into());
        self
    }

    /// The turn that [`Options::resume_session_at`] means to leave behind, by the id of its
    /// prompt. The CLI then refuses to start when anything else would be lost with it.
    pub fn resume_drops_turn(mut self, prompt: impl Into<Str>) -> Self {
        self.conversation.resume_drops_turn = Some(prompt.into());
        self
    }

    /// The id of the new conversation, a UUID. The CLI makes one unless set, and tells it with
    /// the first turn only. An id that is in use fails the start.
    pub fn session_id(mut self, id: impl Into<Str>) -> Self {
        self.conversation.session_id = Some(id.into());
        self
    }

    /// Whether the CLI writes the conversation to a session file. It does unless switched off;
    /// without one nothing can be resumed.
    pub fn persist_session(mut self, persist: bool) -> Self {
        self.conversation.do_not_persist = !persist;
        self
    }

    /// The title of a new conversation. Unless set the CLI makes one of the first prompt. A
    /// resumed conversation keeps its own.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.conversation.title = Some(title.into());
        self
    }

    /// Whether the CLI keeps copies of files before it changes them, so that they can be brought
    /// back to what they were at any prompt. Off unless set.
    pub fn enable_file_checkpointing(mut self, enable: bool) -> Self {
        self.conversation.file_checkpointing = enable;
        self
    }
}

impl Options {
    /// A store into which the session's file is mirrored, line by line as the CLI writes it, and
    /// from which [`Options::resume`] takes the conversation. None unless set.
    pub fn session_store(mut self, store: Arc<dyn SessionStore>) -> Self {
        self.conversation.store = Some(Store(store));
        self
    }

    /// The project key under which [`Options::resume`] looks for the conversation in the store,
    /// where that is not the one of the working folder: it was begun in another folder or on
    /// another machine. It goes on under the key that it has.
    ///
    /// Unless set it is looked for under the CLI's own key for the working folder, then in the
    /// other projects if the store can [list them](SessionStore::list_projects).
    pub fn store_project_key(mut self, key: impl Into<Str>) -> Self {
        self.conversation.store_project = Some(key.into());
        self
    }

    /// When mirrored lines are handed to the store. Together, at the end of a turn or when many
    /// wait, unless set.
    pub fn session_store_flush(mut self, mode: FlushMode) -> Self {
        self.conversation.store_flush = mode;
        self
    }

    /// How long the store may take to hand over a conversation that is resumed. As
    /// [`MaterializeOptions`](crate::store::MaterializeOptions) has it unless set.
    pub fn load_timeout(mut self, limit: Duration) -> Self {
        self.conversation.store_load = Some(limit);
        self
    }
}

impl Conversation {
    /// Whether the conversation began earlier.
    pub(super) fn resumes(&self) -> bool {
        self.resume.is_some() || self.continue_latest
    }

    pub(super) fn file_checkpointing(&self) -> bool {
        self.file_checkpointing
    }

    pub(super) fn check(&self) -> Result<(), StartError> {
        let ids = [
            ("resume", &self.resume),
            ("resume_session_at", &self.resume_session_at),
            ("resume_drops_turn", &self.resume_drops_turn),
            ("session_id", &self.session_id),
        ];
        for (option, id) in ids {
            if let Some(id) = id {
                named(option, id)?;
            }
        }
        let goes_on = self.resumes();
        if self.resume.is_some() && self.continue_latest {
            return Err(bad(
                "continue_latest",
                "contradicts resume: one names a conversation, the other takes the latest; \
                 leave one of the two out",
            ));
        }
        if self.fork_session && !goes_on {
            return Err(bad(
                "fork_session",
                "needs a conversation to copy: add resume or continue_latest",
            ));
        }
        if self.resume_session_at.is_some() && self.resume.is_none() {
            return Err(bad(
                "resume_session_at",
                "needs the conversation that it cuts: add resume",
            ));
        }
        if self.resume_drops_turn.is_some() && self.resume_session_at.is_none() {
            return Err(bad(
                "resume_drops_turn",
                "guards a cut, and there is none: add resume_session_at",
            ));
        }
        if self.store.is_some() && self.do_not_persist {
            return Err(bad(
                "session_store",
                "mirrors the session's file, and persist_session(false) leaves none; leave one of \
                 the two out",
            ));
        }
        if self.store.is_some() && self.continue_latest {
            return Err(bad(
                "continue_latest",
                "takes the latest conversation of this machine, which need not be the latest in \
                 the session_store; name one with resume",
            ));
        }
        if let Some(key) = &self.store_project {
            named("store_project_key", key)?;
            if self.store.is_none() {
                return Err(bad(
                    "store_project_key",
                    "says where in a store to look, and there is none: add session_store",
                ));
            }
        }
        if self.store.is_some() && self.file_checkpointing {
            return Err(bad(
                "session_store",
                "does not keep the copies of enable_file_checkpointing, so files could not be \
                 brought back after a move; leave one of the two out",
            ));
        }
        if let Some(id) = &self.session_id {
            if uuid::Uuid::try_parse(id).is_err() {
                return Err(bad("session_id", format!("{id:?} is no UUID")));
            }
            if goes_on && !self.fork_session {
                return Err(bad(
                    "session_id",
                    "contradicts going on with a conversation, which has an id already; leave it \
                     out, or add fork_session to go on with a copy under this id",
                ));
            }
        }
        Ok(())
    }

    pub(super) fn argv(&self, argv: &mut Argv) {
        argv.flag_if("--continue", self.continue_latest);
        argv.value_if("--resume", self.resume.as_ref());
        argv.flag_if("--fork-session", self.fork_session);
        argv.value_if("--resume-session-at", self.resume_session_at.as_ref());
        argv.value_if("--resume-drops-turn", self.resume_drops_turn.as_ref());
        argv.value_if("--session-id", self.session_id.as_ref());
        argv.flag_if("--session-mirror", self.store.is_some());
        argv.flag_if("--no-session-persistence", self.do_not_persist);
    }

    pub(super) fn initialize(&self, initialize: &mut InitializeRequest) {
        initialize.title.clone_from(&self.title);
    }
}
