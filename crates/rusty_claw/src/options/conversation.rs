//! The conversation, and how it is stored.

use std::sync::Arc;
use std::time::Duration;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::InitializeRequest;

use super::argv::Argv;
use super::check::{bad, named};
use super::fields::{Conversation, Options};
use crate::error::StartError;
use crate::store::{FlushMode, SessionStore};

impl Options {
    /// Resumes the conversation with this id. A new one begins by default. The CLI searches the
    /// sessions of the working folder first, then others; an id that it does not find fails the
    /// start.
    pub fn resume(mut self, session: impl Into<Str>) -> Self {
        self.conversation.resume = Some(session.into());
        self
    }

    /// Whether to continue the latest conversation of the working folder. Off by default. If there
    /// is none, a new one begins.
    pub fn continue_latest(mut self, continue_latest: bool) -> Self {
        self.conversation.continue_latest = continue_latest;
        self
    }

    /// Whether to continue a copy with a new id, so that the original conversation stays unchanged.
    /// Off by default; needs [`Options::resume`] or [`Options::continue_latest`].
    pub fn fork_session(mut self, fork: bool) -> Self {
        self.conversation.fork_session = fork;
        self
    }

    /// The id of the last entry of the resumed conversation to use; later entries are left out.
    /// Needs [`Options::resume`].
    pub fn resume_session_at(mut self, entry: impl Into<Str>) -> Self {
        self.conversation.resume_session_at = Some(entry.into());
        self
    }

    /// The turn that [`Options::resume_session_at`] is meant to leave out, by the id of its prompt.
    /// The CLI then refuses to start if anything else would be lost with it.
    pub fn resume_drops_turn(mut self, prompt: impl Into<Str>) -> Self {
        self.conversation.resume_drops_turn = Some(prompt.into());
        self
    }

    /// The id of the new conversation, a UUID. By default the CLI generates one, and reports it
    /// only with the first turn. An id that is in use fails the start.
    pub fn session_id(mut self, id: impl Into<Str>) -> Self {
        self.conversation.session_id = Some(id.into());
        self
    }

    /// Whether the CLI writes the conversation to a session file, without which it cannot be
    /// resumed. On by default.
    pub fn persist_session(mut self, persist: bool) -> Self {
        self.conversation.do_not_persist = !persist;
        self
    }

    /// The title of a new conversation. By default the CLI derives one from the first prompt. A
    /// resumed conversation keeps its own.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.conversation.title = Some(title.into());
        self
    }

    /// Whether the CLI backs up files before it changes them, so that they can be restored to their
    /// state at any prompt. Off by default.
    pub fn enable_file_checkpointing(mut self, enable: bool) -> Self {
        self.conversation.file_checkpointing = enable;
        self
    }
}

impl Options {
    /// A store that mirrors the session's file, line by line as the CLI writes it, and from which
    /// [`Options::resume`] loads the conversation. None by default.
    pub fn session_store(mut self, store: Arc<dyn SessionStore>) -> Self {
        self.conversation.store = Some(store);
        self
    }

    /// Whether the store only receives lines: [`Options::resume`] then loads the conversation from
    /// the CLI's own file, and the CLI keeps its configuration folder. Off by default: a resumed
    /// conversation is loaded from the store into a temporary configuration folder. Needs
    /// [`Options::session_store`].
    pub fn mirror_only(mut self, mirror_only: bool) -> Self {
        self.conversation.store_only_receives = mirror_only;
        self
    }

    /// The project key under which [`Options::resume`] looks for the conversation in the store, if
    /// it is not the key of the working folder: the conversation began in another folder or on
    /// another machine. It keeps its key.
    ///
    /// By default it is looked up under the CLI's own key for the working folder, then in the other
    /// projects if the store can [list them](SessionStore::list_projects).
    pub fn store_project_key(mut self, key: impl Into<Str>) -> Self {
        self.conversation.store_project = Some(key.into());
        self
    }

    /// When mirrored lines are passed to the store. By default in batches, at the end of a turn or
    /// when many are queued.
    pub fn session_store_flush(mut self, mode: FlushMode) -> Self {
        self.conversation.store_flush = mode;
        self
    }

    /// How long each call of the store may take while a conversation is resumed. The default is
    /// that of [`MaterializeOptions`](crate::store::MaterializeOptions).
    pub fn load_timeout(mut self, limit: Duration) -> Self {
        self.conversation.store_load = Some(limit);
        self
    }
}

impl Conversation {
    /// Whether an earlier conversation is continued.
    pub(super) fn resumes(&self) -> bool {
        self.resume.is_some() || self.continue_latest
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
        if self.store_only_receives && self.store.is_none() {
            return Err(bad(
                "mirror_only",
                "needs a store that receives the lines: add session_store",
            ));
        }
        let loads = self.store.is_some() && !self.store_only_receives;
        if loads && self.continue_latest {
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
        if loads && self.file_checkpointing {
            return Err(bad(
                "session_store",
                "does not keep the copies of enable_file_checkpointing, so files could not be \
                 brought back after a move; leave one of the two out",
            ));
        }
        if let Some(id) = &self.session_id {
            if uuid::Uuid::try_parse(id).is_err() {
                return Err(bad("session_id", format!("{id:?} is not a UUID")));
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
