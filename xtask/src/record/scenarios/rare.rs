//! Frames that need a special set-up: plugins, memories.

use serde_json::json;

use super::super::scenario::Scenario;
use super::super::script::{bash, say};

pub(super) fn scenarios() -> Vec<Scenario> {
    let settings = json!({
        "extraKnownMarketplaces": {"local": {"source": {"source": "directory", "path": "/home/user/market"}}},
        "enabledPlugins": {"demo@local": true, "gone@local": true},
    });
    let market = json!({
        "name": "local", "owner": {"name": "somebody"},
        "plugins": [{"name": "demo", "source": "./demo", "description": "A demonstration"}],
    });
    vec![
        Scenario::new(
            "plugin_install",
            "plugins of a local marketplace installed at the start",
        )
        .env("CLAUDE_CODE_SYNC_PLUGIN_INSTALL", "1")
        .file("/home/user/.claude/settings.json", settings.to_string())
        .file(
            "/home/user/market/.claude-plugin/marketplace.json",
            market.to_string(),
        )
        .file(
            "/home/user/market/demo/.claude-plugin/plugin.json",
            json!({"name": "demo", "version": "1.0.0", "description": "A demonstration"})
                .to_string(),
        )
        .file(
            "/home/user/market/demo/commands/greet.md",
            "---\ndescription: Greets\n---\nGreet $ARGUMENTS\n",
        )
        .api([say("Hello, Ann.")])
        .init()
        .ask("/demo:greet Ann"),
        Scenario::new(
            "memory_recall",
            "a memory chosen for a prompt, seen from the second request on",
        )
        .flags("--allowedTools Bash")
        .env("CLAUDE_MEMORY_STORES", "[]")
        .env("CLAUDE_CODE_PROJECT_DIR_NAME", "zoo")
        .file(
            "/home/user/.claude/projects/zoo/memory/zebra.md",
            "---\nname: zebra\ndescription: The favourite animal\ntype: user\n---\nThe zebra.\n",
        )
        .file(
            "/home/user/.claude/projects/zoo/memory/MEMORY.md",
            "- [zebra](zebra.md): the favourite animal\n",
        )
        .api([
            say("{\"selected_memories\":[\"zebra.md\"]}").when("selecting memories"),
            bash("m", "ls").after(1_000),
            say("Zebra."),
        ])
        .init()
        .ask("what is my favourite animal?")
        .keep_sessions(),
    ]
}
