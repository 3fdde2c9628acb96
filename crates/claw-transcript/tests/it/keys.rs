//! The folder keys that the real CLI made.
//!
//! Every row was observed: CLI 2.1.325 ran in that directory, and this folder appeared.

use claw_transcript::{ProjectKey, SessionLibrary, TranscriptError};

#[test]
fn keys_are_those_of_the_real_cli() {
    let deep = vec!["deep folder"; 25].join("/");
    let observed = [
        ("/tmp/kk/plain", "-tmp-kk-plain".to_owned()),
        (
            "/tmp/kk/with.dot_under score",
            "-tmp-kk-with-dot-under-score".to_owned(),
        ),
        ("/tmp/kk/ünïcödé", "-tmp-kk--n-c-d-".to_owned()),
        // Not normalised on Linux: decomposed and composed are two keys.
        ("/tmp/kk/e\u{301}nfd", "-tmp-kk-e-nfd".to_owned()),
        ("/tmp/kk/\u{e9}nfc", "-tmp-kk--nfc".to_owned()),
        ("/tmp/kk/日本語", "-tmp-kk----".to_owned()),
        ("/tmp/kk/🦀crab", "-tmp-kk---crab".to_owned()),
        ("/tmp/kk/Ａfull", "-tmp-kk--full".to_owned()),
        ("/tmp/kk/a-b", "-tmp-kk-a-b".to_owned()),
        ("/tmp/kk/UPPER", "-tmp-kk-UPPER".to_owned()),
        (
            &*format!("/tmp/kk/{}", "x".repeat(192)),
            format!("-tmp-kk-{}", "x".repeat(192)),
        ),
        (
            &*format!("/tmp/kk/{}", "x".repeat(193)),
            format!("-tmp-kk-{}-sx0z3k", "x".repeat(192)),
        ),
        (
            &*format!("/tmp/kk/{}", "y".repeat(240)),
            format!("-tmp-kk-{}-ys6myw", "y".repeat(192)),
        ),
        (
            &*format!("/tmp/kk/{}", "🦀".repeat(60)),
            format!("-tmp-kk-{}", "-".repeat(120)),
        ),
        (
            &*format!("/tmp/kk/{}", "long_é_".repeat(25)),
            format!("-tmp-kk-{}", "long---".repeat(25)),
        ),
        (
            &*format!("/tmp/kk/{deep}"),
            format!("-tmp-kk-{}-2xwy76", "deep-folder-".repeat(16)),
        ),
    ];
    for (path, key) in observed {
        assert_eq!(ProjectKey::of_path(path).as_str(), key, "{path}");
    }
}

#[test]
fn symbolic_links_are_resolved() {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().join("real");
    std::fs::create_dir(&real).unwrap();
    #[cfg(unix)]
    {
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert_eq!(ProjectKey::of_dir(&link), ProjectKey::of_dir(&real));
    }
    assert!(ProjectKey::of_dir(&real).as_str().ends_with("-real"));
}

#[test]
fn a_name_counts_when_the_cli_takes_it() {
    // Observed: the first two became folders, the others were ignored.
    for name in ["mykey", &"a".repeat(64)] {
        assert_eq!(ProjectKey::named(name).unwrap().as_str(), name);
    }
    for name in ["my key", "my.key", "con", "COM1", "", &"a".repeat(65)] {
        let refused = ProjectKey::named(name).unwrap_err();
        assert!(
            matches!(refused, TranscriptError::BadProjectName { .. }),
            "{name}"
        );
    }
}

#[test]
fn the_environment_says_where_sessions_are() {
    let library = |vars: &'static [(&str, &str)]| {
        SessionLibrary::from_vars(|name| {
            let found = vars.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).into())
        })
    };
    let named = library(&[
        ("CLAUDE_CONFIG_DIR", "/c"),
        ("HOME", "/h"),
        ("CLAUDE_CODE_PROJECT_DIR_NAME", "mykey"),
    ])
    .unwrap();
    assert_eq!(named.config_dir(), "/c");
    assert_eq!(named.project_of("/x").key.as_str(), "mykey");

    if cfg!(unix) {
        // Observed: the CLI ignores the name unless a config folder is set.
        let home = library(&[("HOME", "/h"), ("CLAUDE_CODE_PROJECT_DIR_NAME", "mykey")]).unwrap();
        assert_eq!(
            home.projects_dir(),
            std::path::Path::new("/h/.claude/projects")
        );
        assert_eq!(home.project_of("/no/such/dir").key.as_str(), "-no-such-dir");
    }
    assert!(matches!(library(&[]), Err(TranscriptError::NoConfigDir)));
}

#[cfg(unix)]
#[test]
fn a_config_folder_need_not_be_utf_8() {
    use std::os::unix::ffi::OsStringExt as _;

    let odd = || std::ffi::OsString::from_vec(b"/c\xff".to_vec());
    let library = SessionLibrary::from_vars(|name| match name {
        "HOME" => Some("/h".into()),
        _ => Some(odd()),
    })
    .unwrap();
    assert_eq!(library.config_dir(), std::path::Path::new(&odd()));
    // A name that is none is passed over.
    assert_eq!(
        library.project_of("/no/such/dir").key.as_str(),
        "-no-such-dir"
    );
}
