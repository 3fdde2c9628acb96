//! `claw devices` and `claw doctor`, against a gateway that runs.

use std::os::unix::fs::PermissionsExt as _;

use claw_testkit::FakeScript;
use serde_json::Value;

use crate::gateway::{Home, read_until};

fn json(home: &Home, args: &[&str]) -> (Option<i32>, Value) {
    let output = home.claw(args);
    let text = String::from_utf8(output.stdout).unwrap();
    let json = serde_json::from_str(&text);
    let json = json.unwrap_or_else(|_| panic!("{text} {:?}", String::from_utf8(output.stderr)));
    (output.status.code(), json)
}

#[test]
fn devices_are_listed_added_and_revoked() {
    let home = Home::new(FakeScript::new());
    let mut served = home.serve(&[]);
    let (code, added) = json(
        &home,
        &["devices", "--json", "add", "phone", "--scope", "view"],
    );
    assert_eq!(code, Some(0), "{added}");
    let (_, listed) = json(&home, &["devices", "--json"]);
    let names: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|device| device["name"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"phone") && names.contains(&"this machine"),
        "{names:?}"
    );
    let text = String::from_utf8(home.claw(&["devices"]).stdout).unwrap();
    assert!(text.contains("phone") && text.contains("never"), "{text}");
    assert!(!text.contains(added["token"].as_str().unwrap()), "{text}");

    let session = served.create(&home.path("work"));
    let local = std::mem::replace(
        &mut served.token,
        added["token"].as_str().unwrap().to_owned(),
    );
    let mut stream = served.stream(&session);
    read_until(&mut stream, "\r\n\r\n");
    let id = added["device"]["id"].as_str().unwrap();
    let revoked = home.claw(&["devices", "revoke", &id[..12]]);
    assert!(revoked.status.success());
    read_until(&mut stream, "never");
    assert_eq!(served.call("GET", "/v1/sessions", None).0, 401);
    served.token = local;
    assert_eq!(served.call("GET", "/v1/sessions", None).0, 200);
    let again = home.claw(&["devices", "revoke", id]);
    assert_eq!(again.status.code(), Some(3));
}

#[test]
fn without_a_gateway_the_token_is_sent_nowhere() {
    let home = Home::new(FakeScript::new());
    drop(home.serve(&[]));
    let refused = home.claw(&["devices"]);
    let text = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(3));
    assert!(text.contains("no gateway runs on"), "{text}");
}

#[test]
fn doctor_reports_errors_and_how_to_fix_them() {
    let home = Home::new(FakeScript::new());
    let served = home.serve(&[]);
    let level = |report: &Value, check: &str| {
        let findings = report["findings"].as_array().unwrap().iter();
        let found = findings.into_iter().find(|one| one["check"] == check);
        found.unwrap()["level"].as_str().unwrap().to_owned()
    };
    let (code, report) = json(&home, &["doctor", "--json"]);
    assert_eq!(code, Some(0), "{report}");
    for check in [
        "configuration",
        "claude",
        "root",
        "data",
        "token",
        "server",
        "store",
        "clock",
    ] {
        assert_eq!(level(&report, check), "ok", "{check}: {report}");
    }
    drop(served);
    let token = home.data("token");
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o644)).unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let file = home.path("claw.toml");
    std::fs::write(&file, "lissten = 1\n").unwrap();
    let args = [
        "doctor",
        "--json",
        "--listen",
        &address,
        "--root",
        "/nonexistent",
    ];
    let claude = [
        "--claude",
        "/nonexistent",
        "--config",
        file.to_str().unwrap(),
    ];
    let (code, report) = json(&home, &[&args[..], &claude[..]].concat());
    assert_eq!(code, Some(1));
    for check in ["configuration", "claude", "root", "token", "server"] {
        assert_eq!(level(&report, check), "error", "{check}: {report}");
    }
    for finding in report["findings"].as_array().unwrap() {
        let is_fine = finding["level"] == "ok";
        assert_eq!(is_fine, finding["fix"].is_null(), "{finding}");
    }
}
