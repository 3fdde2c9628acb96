//! The exports of the TypeScript SDK that are neither messages nor declared verbs.

use anyhow::Result;
use rusty_claw::permission::PermissionMode;
use rusty_claw::{Session, resolve_settings};

use super::{Inputs, World};
use crate::counterparts;
use crate::prove::figure::Figure;

pub(super) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    Ok(vec![
        counterparts::figure(&inputs.cli)?,
        inputs.runtime.block_on(settings(inputs))?,
    ])
}

/// Settings of a project as the CLI resolves them, and a server's own permission mode.
async fn settings(inputs: &Inputs) -> Result<Figure> {
    let world = World::new(&inputs.cli).await?;
    let folder = world.project().join(".claude");
    std::fs::create_dir_all(&folder)?;
    let text = r#"{"cleanupPeriodDays":7,"permissions":{"defaultMode":"acceptEdits"}}"#;
    std::fs::write(folder.join("settings.json"), text)?;
    let settings = resolve_settings(world.options()).await?;
    let source = settings.source_of("cleanupPeriodDays");
    let source = source.map_or("no source", |source| source.as_str());
    let safe = settings.without_escalating_mode();
    let filtered = settings.effective.text().contains("acceptEdits")
        && !safe.text().contains("acceptEdits")
        && safe.text().contains("cleanupPeriodDays");
    let (session, messages) = Session::start(world.options()).await?;
    drop(messages);
    let set = session.set_mcp_permission_mode_override("nowhere", Some(PermissionMode::Default));
    let warned = set.await?.warning.is_some();
    let cleared = session.set_mcp_permission_mode_override("nowhere", None);
    let cleared = cleared.await.is_ok();
    session.close().await;
    let bar = "the source named, the project's mode left out; an unknown server warned of";
    let measured = format!(
        "{source}, mode left out: {filtered}; warned: {warned}, taken away again: {cleared}"
    );
    let passed = source == "projectSettings" && filtered && warned && cleared;
    let name = "settings resolved, and a server's own permission mode set, on the real CLI";
    Ok(Figure::new(name, bar).measured(measured, passed))
}
