//! Calls that wait for an answer while everything is killed.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use claw_gateway::{Answer, Pending};
use claw_server::event::{Fact, LifecycleState, TurnEnding};
use claw_server::registry::{PermissionResponse, QuestionAnswer};
use claw_server::{Json, SessionEvent};
use claw_testkit::Turn;
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::{Variants, call};
use rusty_claw::permission::PermissionMode;
use serde_json::json;

use crate::serving::{Stage, story};
use crate::{LIMIT, pause_of};

pub(crate) const CALL: &str = "toolu_a";
const FILE: &str = "note.txt";
const REASON: &str = "Not on my watch";

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Permission,
    Question,
    Plan,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Decision {
    Allow,
    Edit,
    Deny,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    kind: Kind,
    pub(crate) decision: Decision,
    is_elsewhere: bool,
    number: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.is_elsewhere { ", elsewhere" } else { "" };
        write!(f, "{:?}, {:?}{place}", self.kind, self.decision)
    }
}

/// The longest times after a request until the session file and its copy have the call.
#[derive(Debug, Default)]
struct Delays {
    file: Duration,
    copy: Duration,
}

pub(crate) async fn figure(per_kind: usize) -> Figure {
    let delays = Arc::new(Mutex::new(Delays::default()));
    let mut variants = Variants::new().limit(LIMIT);
    for (place, kind) in [Kind::Permission, Kind::Question, Kind::Plan]
        .into_iter()
        .enumerate()
    {
        for number in 0..per_kind {
            let which = number % 3;
            let case = Case {
                kind,
                decision: [Decision::Allow, Decision::Edit, Decision::Deny][which],
                is_elsewhere: (number / 3 + which + place) % 2 == 1,
                number,
            };
            let delays = Arc::clone(&delays);
            variants = variants.add(case.to_string(), async move { case.run(&delays).await });
        }
    }
    let name = format!(
        "a permission, a question and a plan asked, everything (gateway, holder, CLI) killed by \
         SIGKILL, answered later with allow, edited input and deny, in the same and in another home \
         folder; {per_kind} per kind"
    );
    let bar = "the same tool_use_id, 0 model calls before the answer, the right effect, 0 processes \
               in between";
    let figure = variants.figure(&name, bar).await;
    let delays = delays
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    figure.note(format!(
        "All processes are stopped, then killed. If the holder dies some milliseconds before its CLI, \
         the CLI receives SIGTERM, fails the call and may call the model; the call is then withdrawn. \
         Killed 0 to 300 ms after the session file has the call, which is up to {} ms after the \
         request reached the clients. For another home folder, killed after the copy in the store \
         has it, up to {} ms after the request.",
        delays.file.as_millis(),
        delays.copy.as_millis()
    ))
}

impl Case {
    pub(crate) fn permission(decision: Decision, number: usize) -> Self {
        Self {
            kind: Kind::Permission,
            decision,
            is_elsewhere: false,
            number,
        }
    }

    /// The model's turn with the call.
    pub(crate) fn asking(&self, stage: &Stage) -> Turn {
        let option = |label: &str| json!({"label": label, "description": "d"});
        match self.kind {
            Kind::Permission => {
                let path = stage.world.project().join(FILE);
                call(
                    "a",
                    "Write",
                    json!({"file_path": path, "content": "original"}),
                )
            }
            Kind::Question => {
                let question = json!({
                    "question": "Which color?", "header": "Color", "multiSelect": false,
                    "options": [option("Red"), option("Blue")],
                });
                call("a", "AskUserQuestion", json!({"questions": [question]}))
            }
            Kind::Plan => call("a", "ExitPlanMode", json!({"plan": "# Plan\n1. Do it\n"})),
        }
    }

    pub(crate) fn answer(&self, stage: &Stage) -> Answer {
        let question = format!("{CALL}:0");
        let edited = |input| {
            let response = PermissionResponse::allow().with_input(Json::from_value(&input));
            Answer::Permission(response)
        };
        match (self.kind, self.decision) {
            (_, Decision::Deny) => Answer::Permission(PermissionResponse::deny(REASON)),
            (Kind::Question, Decision::Allow) => {
                Answer::Questions(vec![QuestionAnswer::choice(question, "Blue")])
            }
            (Kind::Question, Decision::Edit) => {
                Answer::Questions(vec![QuestionAnswer::text(question, "Green, rather")])
            }
            (_, Decision::Allow) => Answer::Permission(PermissionResponse::allow()),
            (Kind::Permission, Decision::Edit) => {
                let path = stage.world.project().join(FILE);
                edited(json!({"file_path": path, "content": "edited"}))
            }
            (Kind::Plan, Decision::Edit) => edited(json!({"plan": "# Plan\n1. Do less\n"})),
        }
    }

    async fn run(self, delays: &Mutex<Delays>) -> Result<String> {
        let mut stage = Stage::new().await?;
        let ran = self.run_on(&mut stage, delays).await;
        stage.explain(ran)
    }

    async fn run_on(&self, stage: &mut Stage, delays: &Mutex<Delays>) -> Result<String> {
        let api = &stage.world.api;
        api.turn(self.asking(stage)).turn(Turn::text("Done."));
        stage.serve()?;
        let mode = match self.kind {
            Kind::Plan => PermissionMode::Plan,
            _ => PermissionMode::Default,
        };
        let session = stage
            .begin(|spec| spec.permission_mode = Some(mode))
            .await?;
        let asked = stage.asked(session, 1).await?.remove(0);
        let begin = Instant::now();
        stage.written(&[CALL]).await?;
        let file = begin.elapsed();
        let mut copy = Duration::ZERO;
        if self.is_elsewhere {
            stage.mirrored(session, &[CALL]).await?;
            copy = begin.elapsed();
        }
        if let Ok(mut delays) = delays.lock() {
            delays.file = delays.file.max(file);
            delays.copy = delays.copy.max(copy);
        }
        tokio::time::sleep(pause_of(self.number, 300)).await;
        stage.kill_all(self.number).await?;
        if self.is_elsewhere {
            stage.move_home()?;
        }
        stage.serve()?;
        stage.sleeps(session).await?;
        self.is_answered(stage, &asked).await?;
        stage.end(session).await?;
        Ok("the same call, one model call after the answer, the right effect".to_owned())
    }

    /// Answers a call that waits without a process, and checks what becomes of it.
    pub(crate) async fn is_answered(&self, stage: &Stage, asked: &Pending) -> Result<()> {
        let waits = stage.asked(asked.session, 1).await?;
        ensure!(waits.len() == 1, "{waits:?}");
        ensure!(waits[0].interaction.id == asked.interaction.id);
        ensure!(waits[0].interaction.tool_use_id.as_deref() == Some(CALL));
        ensure!(
            stage.world.message_requests().len() == 1,
            "the model was called"
        );
        ensure!(stage.processes().is_empty());
        ensure!(effect(stage).is_none(), "it ran before the answer");
        stage.answer(&waits[0], &self.answer(stage)).await?;
        let events = stage.done(asked.session, 1).await?;
        self.check(stage, &events).with_context(|| story(&events))
    }

    fn check(&self, stage: &Stage, events: &[SessionEvent]) -> Result<()> {
        let count = |is_it: fn(&Fact) -> bool| events.iter().filter(|one| is_it(&one.fact)).count();
        ensure!(count(|fact| matches!(fact, Fact::InteractionOpened(_))) == 1);
        ensure!(count(|fact| matches!(fact, Fact::InteractionAnswered(_))) == 1);
        ensure!(count(|fact| matches!(fact, Fact::InputProcessed(_))) == 1);
        let parked = |fact: &Fact| matches!(fact, Fact::Lifecycle(now) if now.state == LifecycleState::Parked);
        ensure!(count(parked) == 1);
        let ended = |fact: &Fact| matches!(fact, Fact::TurnEnded(ended) if ended.ending == TurnEnding::Succeeded);
        ensure!(count(ended) == 1);

        let requests = stage.world.message_requests();
        ensure!(requests.len() == 2, "{} model calls", requests.len());
        let result = stage.world.tool_result(CALL)?;
        ensure!(
            result.failed == (self.decision == Decision::Deny),
            "{result:?}"
        );
        let wanted = match (self.kind, self.decision) {
            (_, Decision::Deny) => REASON,
            (Kind::Question, Decision::Allow) => "Blue",
            (Kind::Question, Decision::Edit) => "Green, rather",
            (Kind::Plan, Decision::Edit) => "Do less",
            _ => "",
        };
        ensure!(result.text.contains(wanted), "{result:?}");
        let written = match (self.kind, self.decision) {
            (Kind::Permission, Decision::Allow) => Some("original"),
            (Kind::Permission, Decision::Edit) => Some("edited"),
            _ => None,
        };
        let found = effect(stage);
        ensure!(found.as_deref() == written, "{found:?}");
        Ok(())
    }
}

/// The text of the file that the call writes.
fn effect(stage: &Stage) -> Option<String> {
    std::fs::read_to_string(stage.world.project().join(FILE)).ok()
}
