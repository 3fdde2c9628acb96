use std::path::Path;
use std::time::Duration;

use rusty_claw::store::{
    Batch, BatchId, MaterializeOptions, MemoryStore, SessionKey, SessionStore, StoreError,
    StoreFuture, UserConfig, materialize,
};
use rusty_claw::{Json, Str};

use super::line;

fn key() -> SessionKey {
    SessionKey::new("-home-user-p", "5e5e5e5e-2222-4222-8222-000000000601")
}

async fn store_with(lines: &[(&SessionKey, &[&str])]) -> MemoryStore {
    let store = MemoryStore::new();
    for (key, lines) in lines {
        let entries = lines.iter().map(|text| line(text)).collect();
        store
            .append(key, &Batch::new(BatchId::first(), entries))
            .await
            .unwrap();
    }
    store
}

fn files_below(folder: &Path) -> Vec<String> {
    fn walk(folder: &Path, root: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, root, found);
            } else {
                found.push(path.strip_prefix(root).unwrap().display().to_string());
            }
        }
    }
    let mut found = Vec::new();
    walk(folder, folder, &mut found);
    found.sort();
    found
}

#[tokio::test]
async fn a_session_is_laid_out_and_taken_away() {
    let within = tempfile::tempdir().unwrap();
    let subagent = key().with_subpath("subagents/agent-1");
    let store = store_with(&[
        (
            &key(),
            &[
                "{ \"type\" : \"user\",\n\"text\":\"a  b\" }",
                r#"{"type":"mode"}"#,
            ],
        ),
        (
            &subagent,
            &[
                r#"{"type":"agent_metadata","agentType":"x"}"#,
                r#"{"type":"user"}"#,
                r#"{"type":"agent_metadata","agentType":"x","finished":true}"#,
            ],
        ),
        (
            &key().with_subpath("subagents/agent-2"),
            &[r#"{"type":"agent_metadata","agentType":"y"}"#],
        ),
    ])
    .await;
    let options = MaterializeOptions::new().within(within.path());
    // A subpath in the key is passed over: a session is resumed as a whole.
    let resumed = materialize(&store, &subagent, options).await.unwrap();
    let folder = resumed.config_dir().to_owned();
    let read =
        |name: &str| std::fs::read_to_string(folder.join("projects/-home-user-p").join(name));
    let session = "5e5e5e5e-2222-4222-8222-000000000601";
    assert_eq!(
        files_below(&folder),
        [
            format!("projects/-home-user-p/{session}.jsonl"),
            format!("projects/-home-user-p/{session}/subagents/agent-1.jsonl"),
            format!("projects/-home-user-p/{session}/subagents/agent-1.meta.json"),
            format!("projects/-home-user-p/{session}/subagents/agent-2.meta.json"),
        ]
    );
    assert_eq!(
        read(&format!("{session}.jsonl")).unwrap(),
        "{\"type\":\"user\",\"text\":\"a  b\"}\n{\"type\":\"mode\"}\n"
    );
    assert_eq!(
        read(&format!("{session}/subagents/agent-1.jsonl")).unwrap(),
        "{\"type\":\"user\"}\n"
    );
    assert_eq!(
        read(&format!("{session}/subagents/agent-1.meta.json")).unwrap(),
        r#"{"agentType":"x","finished":true}"#
    );
    assert_eq!(resumed.session_id(), session);
    assert_eq!(resumed.entries(), 2);
    assert_eq!(resumed.subkeys().len(), 2);
    assert!(resumed.session_file().is_file());
    assert!(resumed.copied().is_empty());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(&folder.join("projects/-home-user-p")), 0o700);
        assert_eq!(mode(&resumed.session_file()), 0o600);
    }
    drop(resumed);
    assert_eq!(std::fs::read_dir(within.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn of_the_users_configuration_only_what_is_needed_comes_along() {
    let home = tempfile::tempdir().unwrap();
    let claude = home.path().join(".claude");
    std::fs::create_dir(&claude).unwrap();
    for (name, text) in [
        (
            ".credentials.json",
            r#"{"claudeAiOauth":{"accessToken":"a","refreshToken":"r"}}"#,
        ),
        (
            "settings.json",
            r#"{"model":"m","enabledPlugins":{"p":true}}"#,
        ),
        ("history.jsonl", "secret"),
        ("../.claude.json", r#"{"theme":"dark"}"#),
    ] {
        std::fs::write(claude.join(name), text).unwrap();
    }
    let store = store_with(&[(&key(), &[r#"{"type":"mode"}"#])]).await;
    let options = MaterializeOptions::new().user_config(UserConfig::in_home(home.path()));
    let resumed = materialize(&store, &key(), options).await.unwrap();
    let names: Vec<String> = files_below(resumed.config_dir())
        .into_iter()
        .filter(|name| !name.starts_with("projects/"))
        .collect();
    assert_eq!(
        names,
        [".claude.json", ".credentials.json", "settings.json"]
    );
    let read = |name| std::fs::read_to_string(resumed.config_dir().join(name)).unwrap();
    assert_eq!(
        read(".credentials.json"),
        r#"{"claudeAiOauth":{"accessToken":"a"}}"#
    );
    assert_eq!(read("settings.json"), r#"{"model":"m"}"#);
    assert_eq!(read(".claude.json"), r#"{"theme":"dark"}"#);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let credentials = resumed.config_dir().join(".credentials.json");
        let mode = std::fs::metadata(credentials).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert!(resumed.copied().iter().all(|file| file.left_out.is_none()));
    let folder = resumed.config_dir().to_owned();
    resumed.remove().await.unwrap();
    assert!(!folder.exists());
}

#[tokio::test]
async fn what_cannot_be_copied_is_said_and_left_out() {
    let config = tempfile::tempdir().unwrap();
    std::fs::write(config.path().join(".credentials.json"), "refreshToken: r").unwrap();
    std::fs::create_dir(config.path().join("settings.json")).unwrap();
    let store = store_with(&[(&key(), &[r#"{"type":"mode"}"#])]).await;
    let options = MaterializeOptions::new().user_config(UserConfig::in_folder(config.path()));
    let resumed = materialize(&store, &key(), options).await.unwrap();
    let left_out: Vec<&str> = resumed
        .copied()
        .iter()
        .filter(|file| file.left_out.is_some())
        .map(|file| file.file)
        .collect();
    assert_eq!(left_out, [".credentials.json", "settings.json"]);
    assert!(!resumed.config_dir().join(".credentials.json").exists());
}

/// A store with arbitrary subpaths, or none.
struct Odd {
    kept: MemoryStore,
    subpaths: Option<Vec<&'static str>>,
    hangs: bool,
}

impl SessionStore for Odd {
    fn append<'a>(&'a self, key: &'a SessionKey, batch: &'a Batch) -> StoreFuture<'a, ()> {
        self.kept.append(key, batch)
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<Json>>> {
        if self.hangs {
            return Box::pin(std::future::pending());
        }
        // The same for every subpath, so that a hostile one would be written if it could.
        let session = key.session();
        Box::pin(async move { self.kept.load(&session).await })
    }

    fn list_subkeys<'a>(&'a self, _key: &'a SessionKey) -> StoreFuture<'a, Vec<Str>> {
        let listed = match &self.subpaths {
            Some(subpaths) => Ok(subpaths.iter().map(|it| Str::from(*it)).collect()),
            None => Err(StoreError::Unsupported {
                operation: "list_subkeys",
            }),
        };
        Box::pin(async move { listed })
    }
}

#[tokio::test]
async fn subpaths_are_not_trusted() {
    let within = tempfile::tempdir().unwrap();
    let hostile = [
        "../../../x",
        "/x",
        "",
        "a/../../x",
        "a\0b",
        "a//b",
        "c:\\x",
        "..",
        "good",
    ];
    let odd = Odd {
        kept: store_with(&[(&key(), &[r#"{"type":"mode"}"#])]).await,
        subpaths: Some(hostile.to_vec()),
        hangs: false,
    };
    let options = MaterializeOptions::new().within(within.path());
    let resumed = materialize(&odd, &key(), options).await.unwrap();
    assert_eq!(resumed.subkeys(), ["good"]);
    assert_eq!(resumed.left_out().len(), hostile.len() - 1);
    let expected = [
        "projects/-home-user-p/5e5e5e5e-2222-4222-8222-000000000601.jsonl",
        "projects/-home-user-p/5e5e5e5e-2222-4222-8222-000000000601/good.jsonl",
    ];
    assert_eq!(files_below(resumed.config_dir()), expected);
    assert_eq!(files_below(within.path()).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn errors_say_what_to_do() {
    let odd = Odd {
        kept: store_with(&[(&key(), &[r#"{"type":"mode"}"#])]).await,
        subpaths: None,
        hangs: true,
    };
    let options = MaterializeOptions::new().load_limit(Duration::from_secs(3));
    let error = materialize(&odd, &key(), options.clone())
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the store did not finish load within 3 s"
    );

    let odd = Odd {
        hangs: false,
        ..odd
    };
    let resumed = materialize(&odd, &key(), options.clone()).await.unwrap();
    assert!(resumed.subkeys().is_empty());

    let unknown = SessionKey::new("-p", "nobody");
    let error = materialize(&MemoryStore::new(), &unknown, options.clone()).await;
    assert_eq!(
        error.unwrap_err().to_string(),
        "the store has no lines for -p/nobody; check the session id; if the session was started in \
         another folder, name its project with Options::store_project_key, or implement \
         SessionStore::list_projects so that it is found there"
    );
    let hostile = SessionKey::new("..", "x");
    let error = materialize(&MemoryStore::new(), &hostile, options)
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::BadKey { .. }), "{error}");
}
