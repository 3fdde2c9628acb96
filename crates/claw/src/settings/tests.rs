use std::path::Path;

use super::*;
use crate::args::Command;
use crate::serve::ServeArgs;

fn serve(words: &[&str]) -> ServeArgs {
    let words = ["claw", "serve"].iter().chain(words);
    let args = parse_words(words.map(OsString::from).collect());
    match args.command {
        Command::Serve(args) => *args,
        other => panic!("{other:?}"),
    }
}

/// Parses a command line with a configuration file.
fn with(file: &str, words: &[&str]) -> (ServeArgs, String) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("config.toml");
    std::fs::write(&path, file).unwrap();
    let config = format!("--config={}", path.display());
    let args = serve(&[&[config.as_str()], words].concat());
    let problems = args.settings.file_problems.join("\n");
    let problems = problems.replace(&dir.path().display().to_string(), "DIR");
    (args, problems)
}

#[test]
fn every_flag_of_serve_is_a_variable_and_a_key() {
    let program = Args::command();
    let serve = program.find_subcommand("serve").unwrap();
    let mut settings = 0;
    for arg in serve.get_arguments() {
        let id = arg.get_id().as_str();
        if ["help", "version", "color"].contains(&id) {
            continue;
        }
        settings += 1;
        let variable = format!("CLAW_{}", id.to_uppercase());
        assert_eq!(arg.get_env(), Some(variable.as_ref()), "{id}");
        assert_eq!(arg.get_long(), Some(id.replace('_', "-").as_str()));
        assert!(arg.get_help().is_some(), "{id}");
        // For a known key, the error is about the type of the value.
        let (_, problems) = with(&format!("{id} = 1979-05-27"), &[]);
        let expected = match id {
            "config" => "there is no setting config",
            _ => "has a value of the wrong type",
        };
        assert!(problems.contains(expected), "{id}: {problems}");
    }
    assert!(settings >= 14, "{settings}");
}

#[test]
fn flags_take_precedence_over_the_file() {
    let file = "listen = \"127.0.0.1:1\"\ninteraction-timeout = \"2h\"\nrate = 7\njson = true\n\
                origin = [\"https://a.example\", \"https://b.example\"]";
    let (args, problems) = with(file, &["--listen", "127.0.0.1:2"]);
    assert_eq!(problems, "");
    assert_eq!(args.settings.listen.port(), 2);
    assert_eq!(args.site.rate.get(), 7);
    assert_eq!(args.site.origin, ["https://a.example", "https://b.example"]);
    assert_eq!(args.interaction_timeout, Duration::from_secs(7200));
    assert!(args.json);
    let (args, _) = with(file, &["--origin=https://c.example"]);
    assert_eq!(args.site.origin, ["https://c.example"]);
    assert_eq!(args.settings.listen.port(), 1);
}

#[test]
fn paths_of_a_file_are_relative_to_it() {
    let (args, problems) = with("root = [\"src\", \"/srv\"]\nclaude = \"bin/claude\"", &[]);
    assert_eq!(problems, "");
    let folder = args.settings.config.as_deref().and_then(Path::parent);
    let folder = folder.unwrap();
    assert_eq!(args.settings.root, [folder.join("src"), "/srv".into()]);
    assert_eq!(args.settings.claude, Some(folder.join("bin/claude")));
}

#[test]
fn mistakes_are_reported_with_their_line() {
    let cases = [
        (
            "listen = 1\nroots = []",
            "DIR/config.toml:2: there is no setting roots; did you mean root?",
        ),
        (
            "\n\nlisten_on = 1",
            "DIR/config.toml:3: there is no setting listen_on; did you mean listen?",
        ),
        ("zzz = 1", "DIR/config.toml:1: there is no setting zzz"),
        (
            "[serve]\nlisten = 1",
            "DIR/config.toml:1: there is no setting serve",
        ),
        ("rate = 5\nlisten = ", "DIR/config.toml:2: "),
        (
            "json = \"yes\"",
            "DIR/config.toml:1: json has a value of the wrong type",
        ),
        (
            "listen = [\"127.0.0.1:1\"]",
            "DIR/config.toml:1: listen has a value of the wrong type",
        ),
        (
            "rate = 5\nlisten = \"here\"",
            "DIR/config.toml:2: \"here\" is not valid for listen: ",
        ),
        (
            "pass-env = \"CLAW_DATA\"",
            "DIR/config.toml:1: \"CLAW_DATA\" is not valid for pass_env: ",
        ),
    ];
    for (file, expected) in cases {
        let (_, problems) = with(file, &[]);
        assert!(
            problems.lines().any(|line| line.starts_with(expected)),
            "{file}: {problems}"
        );
    }
    let missing = serve(&["--config", "/nonexistent/config.toml"]);
    assert_eq!(missing.settings.file_problems.len(), 1);
}

#[test]
fn the_password_of_a_store_is_not_repeated() {
    let (_, problems) = with("store = \"http://me:secret@host\"", &[]);
    assert!(problems.contains("config.toml:1: "), "{problems}");
    assert!(!problems.contains("secret"), "{problems}");
}

#[test]
fn sizes_have_a_unit() {
    assert_eq!(parse_size("4G"), Ok(4 << 30));
    assert_eq!(parse_size("512M"), Ok(512 << 20));
    for wrong in ["", "5", "G", "0G", "-1G", "1.5G", "4g"] {
        assert!(parse_size(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn times_have_a_unit() {
    let seconds = |text: &str| parse_time(text).ok().map(|time| time.as_secs());
    assert_eq!(seconds("90s"), Some(90));
    assert_eq!(seconds("30m"), Some(1800));
    assert_eq!(seconds("8h"), Some(28_800));
    assert_eq!(seconds("366d"), Some(31_622_400));
    for wrong in [
        "",
        "5",
        "s",
        "0s",
        "-1s",
        "1.5h",
        "367d",
        "9999999999999999999s",
        "1 h",
        "5é",
    ] {
        assert_eq!(seconds(wrong), None, "{wrong}");
    }
}
