//! Forms of tool servers, and dialogs of the CLI.

use claw_server::interactions::AnswerRefused;
use claw_server::registry::{Answerer, PermissionResponse};
use claw_server::{Json, UiMessage};
use claw_testkit::real_cli::{LAB, call, real_cli};
use claw_testkit::{Match, Turn};
use rusty_claw::control::messages::McpServerConfig;
use serde_json::{Value, json};

use crate::stage::{Prepared, Stage};

/// An interaction that is neither a permission nor a question.
struct Asked {
    id: String,
    kind: String,
    request: Value,
}

async fn asked(stage: &mut Stage) -> Asked {
    let is_asked = |message: &UiMessage| message.name() == "InteractionRequired";
    stage.desktop.find(is_asked).await;
    match stage.phone.find(is_asked).await {
        UiMessage::InteractionRequired {
            interaction_id: id,
            kind,
            request,
            ..
        } => Asked { id, kind, request },
        other => panic!("{other:?}"),
    }
}

impl Stage {
    async fn fill_in(&self, asked: &Asked, answer: Value) -> Result<(), AnswerRefused> {
        let registry = self.controller.interactions();
        let answer = Json::from_value(&answer);
        let answered =
            registry.respond_to_interaction(self.session, &asked.id, answer, Answerer::by("phone"));
        answered.await
    }
}

/// A session in which a tool server asks for a name and an age.
async fn with_a_form() -> (Stage, Asked) {
    let asks = call("e", "mcp__lab__ask_form", json!({}));
    let mut prepared = Prepared::new([asks, Turn::text("Asked.")]).await;
    let program = real_cli().lab;
    let lab = McpServerConfig::stdio(program.to_string_lossy(), vec![LAB.to_owned()]);
    prepared.options = prepared
        .options
        .external_mcp_server("lab", lab)
        .allowed_tools(["mcp__lab"]);
    let mut stage = prepared.open().await;
    stage.send("go").await;
    let asked = asked(&mut stage).await;
    assert_eq!(asked.kind, "Elicitation");
    assert_eq!(asked.request["message"], "Please give your name");
    (stage, asked)
}

/// The turn ends well, and the model received these words.
async fn ends_with(mut stage: Stage, asked: &Asked, words: &[&str]) {
    stage.ended(1, "EndTurn").await;
    for word in words {
        let result = stage.result("e").text;
        assert!(result.contains(word), "{result}");
    }
    let id = &asked.id;
    let story = format!(
        "turn 1 began, called e, asked {id}, answered {id} by phone, result e, \
         turn 1 ended: Succeeded"
    );
    stage.end_as(&story).await;
}

pub(crate) async fn filled_in() -> String {
    let (stage, asked) = with_a_form().await;
    let refused = stage.fill_in(&asked, json!({"name": "Ann"})).await;
    assert_matches!(refused, Err(AnswerRefused::Unfit { .. }));
    let form = json!({"action": "accept", "content": {"name": "Ann", "age": 7}});
    stage.fill_in(&asked, form).await.unwrap();
    ends_with(stage, &asked, &["accept", "Ann"]).await;
    "the server got the form, and the model what the server made of it".to_owned()
}

pub(crate) async fn left_empty() -> String {
    let (stage, asked) = with_a_form().await;
    let no = PermissionResponse::deny("Not now").by("phone");
    let registry = stage.controller.permissions();
    registry
        .respond(stage.session, &asked.id, no)
        .await
        .unwrap();
    ends_with(stage, &asked, &["decline"]).await;
    "a plain no declined the form; the server and the model received the refusal".to_owned()
}

/// A session in which a model refuses, and another one could be asked.
async fn with_a_dialog() -> (Stage, Asked) {
    // Without a category the CLI offers no other model.
    let category = json!({"type": "refusal", "category": "cyber", "explanation": "policy"});
    let refusal = Turn::text("I cannot help")
        .stop_reason("refusal")
        .stop_details(category)
        .when(Match::new().model("claude-fable-5"))
        .always();
    let mut prepared = Prepared::new([refusal]).await;
    prepared
        .world
        .api
        .fallback(Turn::text("The other model can."));
    prepared.options = prepared
        .options
        .model("claude-fable-5")
        .settings(json!({"switchModelsOnFlag": false}));
    let mut stage = prepared.open().await;
    stage.send("go").await;
    let asked = asked(&mut stage).await;
    assert_eq!(asked.kind, "Dialog");
    assert_eq!(asked.request["dialog_kind"], "refusal_fallback_prompt");
    (stage, asked)
}

impl Stage {
    /// The number of different models asked one after the other.
    fn models(&self) -> usize {
        let requests = self.requests();
        let mut models: Vec<_> = requests
            .iter()
            .filter_map(|request| request.model())
            .collect();
        models.dedup();
        models.len()
    }
}

pub(crate) async fn dialog_chosen() -> String {
    let (mut stage, asked) = with_a_dialog().await;
    let retry = json!({"behavior": "completed", "result": "retry_fallback"});
    stage.fill_in(&asked, retry).await.unwrap();
    stage.ended(1, "EndTurn").await;
    assert_eq!(stage.models(), 2);
    let (id, seen) = (&asked.id, stage.phone.seen());
    let after = seen.split_once(&format!("Answered {id} by phone"));
    assert!(
        after.is_some_and(|(_, after)| after.contains("The other model can.")
            && after.contains("complete 1 EndTurn")),
        "{seen}"
    );
    let story =
        format!("turn 1 began, asked {id}, answered {id} by phone, turn 1 ended: Succeeded");
    stage.end_as(&story).await;
    "the other model was asked, and its answer shown".to_owned()
}

pub(crate) async fn dialog_declined() -> String {
    let (mut stage, asked) = with_a_dialog().await;
    let registry = stage.controller.interactions();
    let declined = registry.decline(stage.session, &asked.id, "Not now", Answerer::by("phone"));
    declined.await.unwrap();
    let stop = stage.phone.completed(1).await;
    assert_eq!(stage.desktop.completed(1).await, stop);
    assert_eq!(stage.models(), 1);
    format!(
        "no other model was asked; the turn ended as {}",
        stop.as_str()
    )
}
