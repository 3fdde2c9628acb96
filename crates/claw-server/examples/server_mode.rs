//! A session with two front ends: both receive everything, and the first answer counts.

#[path = "../../rusty_claw/examples/support/demo.rs"]
mod demo;

use std::error::Error;
use std::time::Duration;

use claw_server::registry::{Answerer, PermissionResponse, QuestionAnswer};
use claw_server::{Controller, Input, SessionId, SessionSetup, UiMessage};
use rusty_claw::permission::PermissionMode;
use serde_json::json;
use tokio::sync::mpsc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let demo = demo::model([
        demo::calls(
            "Bash",
            json!({"command": "touch notes.txt", "description": "make a file"}),
        ),
        demo::calls(
            "AskUserQuestion",
            json!({"questions": [{
                "question": "Which colour?", "header": "Colour", "multiSelect": false,
                "options": [
                    {"label": "Blue", "description": "Like the sea"},
                    {"label": "Red", "description": "Like a crab"},
                ],
            }]}),
        ),
        demo::says("The notes will be blue."),
    ])?;

    let controller = Controller::builder()
        .interaction_timeout(Duration::from_secs(60))
        .build();
    let (phone, on_phone) = mpsc::channel(64);
    let (desktop, mut on_desktop) = mpsc::channel(64);
    let options = demo.options().permission_mode(PermissionMode::Default);
    let setup = SessionSetup::new(options)
        .folder(demo.folder())
        .sink(phone)
        .sink(desktop);
    let session = controller.open(setup).await?;

    let prompt = "Create notes.txt with touch, then ask me which colour it should be.";
    let input = Input::text(session, prompt).key("phone-1").by("phone");
    controller.input(input).await?;
    let answer = on_the_phone(&controller, session, on_phone).await?;
    println!("phone: {answer}");

    for closed in controller.shutdown(Duration::from_secs(10)).await {
        println!("session {}", closed.state.as_str().to_lowercase());
    }
    let mut seen = String::new();
    while let Some(message) = on_desktop.recv().await {
        if let UiMessage::TextChunk { text, .. } = message {
            seen.push_str(&text);
        }
    }
    println!("the desktop saw the same: {}", seen == answer);
    Ok(())
}

/// Answers interactions until the turn ends, and returns the agent's text.
async fn on_the_phone(
    controller: &Controller,
    session: SessionId,
    mut messages: mpsc::Receiver<UiMessage>,
) -> Result<String, Box<dyn Error>> {
    let mut answer = String::new();
    while let Some(message) = messages.recv().await {
        match message {
            UiMessage::TextChunk { text, .. } => answer.push_str(&text),
            UiMessage::PermissionRequired {
                tool_use_id,
                request,
                ..
            } => {
                println!("phone: yes to {}", request.target);
                let registry = controller.permissions();
                let yes = PermissionResponse::allow().by("phone");
                registry.respond(session, &tool_use_id, yes).await?;
                // The other front end answers the same question, too late.
                let no = PermissionResponse::deny("Not now").by("desktop");
                if let Err(refused) = registry.respond(session, &tool_use_id, no).await {
                    println!("desktop: {refused}");
                }
            }
            UiMessage::UserInteractionRequired {
                tool_use_id,
                request,
                ..
            } => {
                let mut answers = Vec::new();
                for question in request.questions {
                    let options = question.options.unwrap_or_default();
                    println!("phone: {} {}", question.text, options.join(" or "));
                    if let Some(first) = options.first() {
                        answers.push(QuestionAnswer::choice(question.id, first));
                    }
                }
                let registry = controller.interactions();
                let by = Answerer::by("phone");
                registry.respond(session, &tool_use_id, answers, by).await?;
            }
            UiMessage::Complete { .. } => break,
            _ => {}
        }
    }
    Ok(answer)
}
