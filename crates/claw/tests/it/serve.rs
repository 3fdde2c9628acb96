//! `claw serve`.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use claw_testkit::FakeScript;
use serde_json::json;

use crate::gateway::{Home, TIMEOUT, read_until};

#[test]
fn an_isolated_agent_runs_without_the_home_folder_and_the_api_key() {
    let home = Home::new(FakeScript::new());
    let served = home.serve_with(&["--isolate"], |command| {
        command
            .env("ANTHROPIC_API_KEY", "a key")
            .env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9");
    });
    let session = served.create(&home.path("work"));
    served.ask(&session, "Hello");
    // The stand-in writes the file at its start, here into the empty home folder of the agent.
    assert!(!home.path("start.json").exists());
    let folder = home.path(".local/share");
    let body = json!({ "folder": folder });
    let (status, refused) = served.call("POST", "/v1/sessions", Some(&body));
    assert_eq!((status, &refused["code"]), (400, &json!("invalid")));
}

#[test]
fn isolation_without_bubblewrap_is_refused_with_what_to_do() {
    let home = Home::new(FakeScript::new());
    let mut command = home.command(&["serve", "--isolate", "--listen", "127.0.0.1:0"]);
    let output = command.env("PATH", home.path("work")).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && errors.contains("install bubblewrap"),
        "{errors}"
    );
}

#[test]
fn a_session_is_created_driven_and_followed() {
    let home = Home::new(FakeScript::new());
    let served = home.serve(&[]);
    let session = served.create(&home.path("work"));
    let (_, text) = served.ask(&session, "Hello");
    assert!(text.contains("Hello"), "{text}");
    let outside = json!({ "folder": home.path("") });
    let (status, refused) = served.call("POST", "/v1/sessions", Some(&outside));
    assert_eq!((status, &refused["code"]), (400, &json!("invalid")));
}

#[test]
fn no_holder_outlives_a_session_that_sleeps_or_is_closed() {
    let home = Home::new(FakeScript::new());
    let served = home.serve(&["--idle", "1s"]);
    let session = served.create(&home.path("work"));
    let path = format!("/v1/sessions/{session}");
    let sockets = || std::fs::read_dir(home.data("holders")).unwrap().count();
    let reaches = |wanted: &str| {
        let begin = Instant::now();
        while served.call("GET", &path, None).1["state"] != wanted {
            assert!(
                begin.elapsed() < TIMEOUT,
                "{:?}",
                served.call("GET", &path, None)
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    served.ask(&session, "Hello");
    assert_eq!(sockets(), 1);
    reaches("asleep");
    assert_eq!(sockets(), 0);
    served.ask(&session, "Hello again");
    let (status, closed) = served.call("POST", &format!("{path}/close"), None);
    assert_eq!(status, 202, "{closed}");
    reaches("ended");
    assert_eq!(sockets(), 0);
}

#[test]
fn agents_inherit_listed_variables_only() {
    let home = Home::new(FakeScript::new());
    let served = home.serve_with(&["--pass-env", "FAKE_CLAUDE_SCRIPT,EXTRA"], |command| {
        command
            .env("EXTRA", "1")
            .env("AWS_SECRET_ACCESS_KEY", "secret")
            .env("CLAW_RATE", "77")
            .env("CLAUDE_CODE_MESSAGING_TOKEN", "secret")
            .env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9");
    });
    let session = served.create(&home.path("work"));
    served.ask(&session, "Hello");
    let start = std::fs::read_to_string(home.path("start.json")).unwrap();
    let start: serde_json::Value = serde_json::from_str(start.lines().next().unwrap()).unwrap();
    let names: Vec<&str> = match &start["env"] {
        serde_json::Value::Array(names) => {
            names.iter().map(|name| name.as_str().unwrap()).collect()
        }
        serde_json::Value::Object(names) => names.keys().map(String::as_str).collect(),
        other => panic!("{other}"),
    };
    for name in [
        "HOME",
        "PATH",
        "EXTRA",
        "ANTHROPIC_BASE_URL",
        "GIT_CONFIG_VALUE_0",
    ] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    for name in [
        "AWS_SECRET_ACCESS_KEY",
        "CLAUDE_CODE_MESSAGING_TOKEN",
        "CLAUDE_CONFIG_DIR",
    ] {
        assert!(!names.contains(&name), "{name}");
    }
    assert!(
        !names.iter().any(|name| name.starts_with("CLAW_")),
        "{names:?}"
    );
}

#[test]
fn the_token_is_private_and_stays_the_same() {
    let home = Home::new(FakeScript::new());
    let mut first = home.serve(&["--log", "debug"]);
    let (status, devices) = first.call("GET", "/v1/devices", None);
    assert_eq!((status, &devices[0]["scope"]), (200, &json!("admin")));
    let mode = |name: &str| home.data(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(""), 0o700);
    for name in ["token", "claw.db", "url", "node", "lock"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    let node = std::fs::read_to_string(home.data("node")).unwrap();
    first.signal("TERM");
    assert!(first.wait().success());
    assert!(!home.data("url").exists());

    let second = home.serve(&[]);
    assert_eq!(second.token, first.token);
    assert_eq!(std::fs::read_to_string(home.data("node")).unwrap(), node);
    let (_, devices) = second.call("GET", "/v1/devices", None);
    assert_eq!(devices.as_array().unwrap().len(), 1);
    let secret = first.token.rsplit('_').next().unwrap();
    let log = std::fs::read_to_string(home.path("log")).unwrap();
    assert!(log.contains("created the token"), "{log}");
    assert!(!log.contains(secret), "the token is in the log");
}

#[test]
fn a_second_gateway_on_the_same_folder_is_refused() {
    let home = Home::new(FakeScript::new());
    let served = home.serve(&[]);
    let refused = home.claw(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.status.code(), Some(3));
    let text = String::from_utf8(refused.stderr).unwrap();
    let id = served.child.id();
    assert!(
        text.contains(&format!("another claw serve (process {id}) uses")),
        "{text}"
    );
}

#[test]
fn a_killed_gateway_starts_again_at_once() {
    let home = Home::new(FakeScript::new());
    let mut first = home.serve(&[]);
    let session = first.create(&home.path("work"));
    first.child.kill().unwrap();
    first.wait();
    let second = home.serve(&[]);
    let (status, found) = second.call("GET", &format!("/v1/sessions/{session}"), None);
    assert_eq!((status, &found["id"]), (200, &json!(session)));
}

#[test]
fn requests_for_other_hosts_and_of_other_pages_are_refused() {
    let home = Home::new(FakeScript::new());
    let served = home.serve(&["--public-url", "https://claw.example"]);
    let (address, token) = (&served.address, &served.token);
    let own = format!("host: {address}");
    let bearer = format!("authorization: Bearer {token}");
    let get = |headers: &[&str]| served.send("GET", "/v1/sessions", headers, "").0;
    assert_eq!(get(&[&own, &bearer]), 200);
    assert_eq!(get(&["host: claw.example", &bearer]), 200);
    assert_eq!(get(&[&own]), 401);
    assert_eq!(get(&["host: evil.example", &bearer]), 421);
    assert_eq!(get(&["host: 127.0.0.1:1", &bearer]), 421);
    assert_eq!(get(&[&own, &bearer, "origin: https://evil.example"]), 403);
    assert_eq!(get(&[&own, &bearer, "origin: https://claw.example"]), 200);
    let cookie = format!("cookie: __Host-claw={token}");
    let origin = "origin: https://claw.example";
    assert_eq!(get(&["host: claw.example", &cookie, origin]), 200);
    assert_eq!(get(&["host: claw.example", &cookie]), 403);
    assert_eq!(get(&[&own, &cookie, origin]), 403);
}

#[test]
fn oversized_requests_are_refused() {
    let home = Home::new(FakeScript::new());
    let served = home.serve(&[]);
    let body = json!({ "folder": "x".repeat(1 << 20) });
    let (status, problem) = served.call("POST", "/v1/sessions", Some(&body));
    assert_eq!((status, &problem["code"]), (413, &json!("too_large")));
    let mut stream = served.connect();
    let head = format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "x".repeat(40_000));
    // The response may come before everything is written.
    let _ = stream.write_all(head.as_bytes());
    let mut response = [0; 12];
    stream.read_exact(&mut response).unwrap();
    assert_eq!(&response, b"HTTP/1.1 431");
}

#[test]
fn a_signal_ends_the_gateway_and_its_streams() {
    for name in ["INT", "TERM"] {
        let home = Home::new(FakeScript::new());
        let mut served = home.serve(&[]);
        let session = served.create(&home.path("work"));
        let (mut stream, _) = served.ask(&session, "Hello");
        served.signal(name);
        read_until(&mut stream, "never");
        assert!(served.wait().success(), "{name}");
    }
}

#[test]
fn a_wrong_configuration_file_is_reported() {
    let home = Home::new(FakeScript::new());
    let folder = home.path(".config/claw");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("config.toml");
    std::fs::write(&file, "# mine\nlissten = \"127.0.0.1:1\"\n").unwrap();
    let refused = home.claw(&["serve"]);
    assert_eq!(refused.status.code(), Some(3));
    let text = String::from_utf8(refused.stderr).unwrap();
    let expected = format!(
        "{}:2: there is no setting lissten; did you mean listen?",
        file.display()
    );
    assert!(text.contains(&expected), "{text}");
    assert!(!home.data("").exists(), "nothing is created");
}

#[test]
fn variables_take_precedence_over_the_file_and_flags_over_both() {
    let home = Home::new(FakeScript::new());
    let file = home.path("claw.toml");
    std::fs::write(&file, "data = \"from-file\"\nlisten = \"256.0.0.1:1\"\n").unwrap();
    let config = file.to_str().unwrap();
    // The flag --listen replaces the value that is not valid.
    let served = home.serve(&["--config", config]);
    assert!(home.path("from-file/token").exists());
    drop(served);
    let variable = home.path("from-variable");
    let served = home.serve_with(&["--config", config], |command| {
        command.env("CLAW_DATA", &variable);
    });
    assert!(variable.join("token").exists());
    drop(served);
    let flag = home.path("from-flag");
    let _served = home.serve_with(
        &["--config", config, "--data", flag.to_str().unwrap()],
        |command| {
            command.env("CLAW_DATA", &variable);
        },
    );
    assert!(flag.join("token").exists());
}

#[test]
fn unsafe_settings_are_refused() {
    let home = Home::new(FakeScript::new());
    let cases: [(&[&str], &str); 5] = [
        (&["--listen", "0.0.0.0:0"], "--public-url"),
        (&["--root", "/nonexistent"], "is not a folder"),
        (
            &["--public-url", "claw.example", "--listen", "127.0.0.1:0"],
            "is not the URL of a site",
        ),
        (
            &["--origin", "*", "--listen", "127.0.0.1:0"],
            "is not the URL of a site",
        ),
        (&["--pass-env", "CLAW_DATA"], "not passed to the agent"),
    ];
    for (args, expected) in cases {
        let refused = home.claw(&[&["serve"], args].concat());
        assert!(!refused.status.success(), "{args:?}");
        let text = String::from_utf8(refused.stderr).unwrap();
        assert!(text.contains(expected), "{args:?}: {text}");
    }
    let served = home.serve(&[]);
    drop(served);
    let token = home.data("token");
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o644)).unwrap();
    let refused = home.claw(&["serve", "--listen", "127.0.0.1:0"]);
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(text.contains("others may read"), "{text}");
}
