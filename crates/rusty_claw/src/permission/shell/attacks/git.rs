//! git: repositories that are not the session's own, and work that is discarded.

use std::fs;

use super::super::{Budget, CommandRule, Script, Surroundings};
use super::{all_allowed, all_asked};

#[test]
fn git_stays_in_the_repository_of_the_session() {
    all_asked(&[
        ("cd:* + git status", "cd src/x && git status"),
        ("cd:* + git status", "cd src/x; ls && git status"),
        ("cd:* + git status", "cd src && cd .. && git status"),
        (
            "cd:* + timeout 5 git status",
            "cd x && timeout 5 git status",
        ),
        ("cd:* + /usr/bin/git status", "cd x && /usr/bin/git status"),
        ("git push:*", "git push src/evil.git HEAD:refs/heads/x"),
        ("git push:*", "git push ./evil main"),
        ("git push:*", "git push ../evil main"),
        ("git push:*", "git push /evil main"),
        ("git push:*", "git push file:///evil main"),
        ("git push:*", "git push ext::id main"),
        ("git push:*", "git push git://h/x main"),
        ("git push:*", "git push ssh://-oProxyCommand=id/x"),
        ("git push:*", "git push ssh://me@-oProxyCommand=id/x"),
        ("git push:*", "git push me@-oProxyCommand=id:x"),
        ("git push:*", "git push -- src/evil.git"),
        ("git pull:*", "git pull src/evil.git"),
        ("git fetch:*", "git fetch ext*"),
        // Later commands check out what was fetched, or pull from the upstream that was set.
        ("git:*", "git fetch https://h.example/x main"),
        ("git:*", "git fetch git@h.example:me/x.git main"),
        ("git:*", "git fetch --set-upstream origin main"),
        ("git:*", "git pull --set-upstream origin main"),
        ("git:*", "git push -u https://h.example/x main"),
        ("git:*", "git push -qu https://h.example/x main"),
        ("git:*", "git push --set-upstream https://h.example/x main"),
        ("git:*", "git merge --all --no-edit x"),
        ("git fetch:*", "git fetch --depth 1 src/evil.git"),
        ("git fetch:*", "git fetch -j 4 src/evil.git"),
        ("git fetch:*", "git fetch --multiple origin src/evil.git"),
        (
            "git ls-remote:*",
            "git ls-remote --sort refname src/evil.git",
        ),
        ("git remote:*", "git remote show src/evil.git"),
        ("git clone:*", "git clone src/evil.git x"),
        ("git clone:*", "git clone --branch x src/evil.git"),
        ("git clone:*", "git clone https://h/x ../x"),
        ("git clone:*", "git clone https://h/x /etc/x"),
        ("git clone:*", "git clone https://h/x ~/x"),
        ("git clone:*", "git clone https://h/x .git/hooks"),
        ("git clone:*", "git clone https://h/.claude"),
        ("git clone:*", "git clone https://h/.claude.git"),
        ("git clone:*", "git clone https://h/.claude/.git/"),
        ("git worktree:*", "git worktree add ../x main"),
        ("git worktree:*", "git worktree add -b y .git/hooks"),
        ("git:*", "git worktree remove x"),
        ("git:*", "git format-patch HEAD~1"),
    ]);
    all_allowed(&[
        ("git push:*", "git push -u origin feature/x"),
        ("git push:*", "git push fork HEAD:feature/x"),
        ("git push:*", "git push https://h.example/x.git main"),
        ("git push:*", "git push git@h.example:me/x.git main"),
        ("git push:*", "git push ssh://git@h.example:22/x main"),
        ("git fetch:*", "git fetch --depth=1 origin main:main"),
        ("git pull:*", "git pull --rebase origin main"),
        ("git remote:*", "git remote show origin"),
        ("git:*", "git ls-remote https://h.example/x"),
        ("git:*", "git merge --no-edit x"),
        ("git clone:*", "git clone --depth=1 https://h.example/x.git"),
        ("git clone:*", "git clone https://h.example/x vendor/x"),
        ("git worktree:*", "git worktree add trees/x"),
        ("git worktree:*", "git worktree list"),
    ]);
}

#[test]
fn git_does_not_discard_work() {
    all_asked(&[
        ("git push:*", "git push origin :main"),
        ("git push:*", "git push origin +main"),
        ("git push:*", "git push origin :"),
        ("git push:*", "git push --branches"),
        ("git diff:*", "git diff --submodule=diff"),
        ("git push:*", "git push --force-with-lease origin main"),
        ("git push:*", "git push -- origin :main"),
        ("git stash:*", "git stash clear"),
        ("git stash:*", "git stash -q drop"),
        ("git checkout:*", "git checkout ."),
        ("git checkout:*", "git checkout -- src"),
        ("git restore:*", "git restore -- -S a"),
        ("git log:*", "git log --format=%G?"),
        ("git log:*", "git log --pretty=format:%GK"),
        ("git branch:*", "git branch '--format=%(signature)'"),
        ("git checkout:*", "git checkout HEAD -- src"),
        ("git checkout:*", "git checkout main src"),
        ("git checkout:*", "git checkout ':/'"),
        ("git checkout:*", "git checkout '*.rs'"),
        ("git checkout:*", "git checkout -b x y z"),
        ("git:*", "git restore src"),
        ("git:*", "git restore --staged --worktree src"),
        ("git:*", "git restore -SW src"),
        ("git:*", "git reset HEAD~3"),
        ("git:*", "git reset -q HEAD~3"),
        ("git:*", "git reset --merge"),
        ("git:*", "git reset --keep HEAD~1"),
        ("git:*", "git rm -r src"),
        ("git:*", "git reflog delete HEAD@{1}"),
        ("git:*", "git remote set-url origin https://h.example/x"),
        ("git:*", "git remote remove origin"),
        ("git:*", "git remote add x https://h.example/x"),
        ("git:*", "git branch -D x"),
        ("git:*", "git clean -f"),
        ("git tag:*", "git tag -v x"),
        ("git tag:*", "git tag -a x"),
        ("git cat-file:*", "git cat-file --text HEAD:x"),
        ("git pull:*", "git pull --rebase=interactive"),
        ("git config:*", "git config user.name x"),
        ("git config:*", "git config set user.name x"),
        ("git config:*", "git config --get x --unset"),
        ("git config:*", "git config --add user.name x"),
        ("git config:*", "git config core.pager -- --get"),
        ("git config:*", "git config --get x --file=/evil"),
        ("git:*", "git -p log"),
        ("git:*", "git --no-pager -c x=y log"),
    ]);
    all_allowed(&[
        ("git stash:*", "git stash push -m 'in progress'"),
        ("git stash:*", "git stash"),
        ("git checkout:*", "git checkout feature/x"),
        ("git checkout:*", "git checkout -"),
        ("git checkout -b:*", "git checkout -b x origin/x"),
        ("git restore:*", "git restore --staged src/a"),
        ("git reset:*", "git reset HEAD src/a"),
        ("git reset:*", "git reset -- src/a"),
        ("git:*", "git --no-pager log -3"),
        ("git:*", "git --version"),
        ("git:*", "git ls-files -o --exclude-standard"),
        ("git:*", "git config --get user.name"),
        ("git:*", "git config --list"),
        ("git:*", "git config user.name"),
        ("git:*", "git remote get-url origin"),
    ]);
}

/// Checks a command in a folder with these files.
fn check_among(files: &[&str], rules: &str, command: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a folder");
    let top = folder.path().canonicalize().expect("a folder");
    for file in files {
        let path = top.join(file);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, "/ignored\n").expect("a file");
    }
    let rules: Vec<CommandRule> = rules.split(" + ").filter_map(CommandRule::read).collect();
    let command = command.replace("TOP", &top.display().to_string());
    Script::read(&command).check(&rules, &Surroundings::new(top), &Budget::default())
}

#[test]
fn files_decide_what_words_of_git_mean() {
    let asked: &[(&[&str], &str, &str)] = &[
        // Git later runs programs that the configuration of a stored repository names.
        (
            &["src/sub/.git/config"],
            "git add:*",
            "git add src/sub && git add x",
        ),
        (&["src/sub/.git/config"], "git add:*", "git add src"),
        (&["src/sub/.git/config"], "git add:*", "git add src/sub/a"),
        (&["src/sub/.git/config"], "git add:*", "git add ."),
        (&["src/sub/.git/config"], "git add:*", "git add -A"),
        (&["src/sub/.git/config"], "git add:*", "git add '*'"),
        (&["src/sub/.git/config"], "git add:*", "git add TOP/src"),
        (&["src/sub/.git"], "git add:*", "git add src"),
        (&["src/.GIT/config"], "git add:*", "git add src"),
        (
            &["x/y/.git/config", ".gitignore", "ignored/a"],
            "git add:*",
            "git add .",
        ),
        (
            &["src/ignored/.git/config", ".gitignore"],
            "git add:*",
            "git add .",
        ),
        (&["a"], "git add:* + mv:*", "mv a b && git add b"),
        // A folder with the name of a remote is a repository.
        (&["evil/HEAD"], "git push:*", "git push evil main"),
        (&["evil.git/HEAD"], "git push:*", "git push evil main"),
        (&["evil/HEAD"], "git remote:*", "git remote show evil"),
        // A file with the name of a branch is restored.
        (&["main"], "git checkout:*", "git checkout main"),
        // The next command line runs there.
        (&["src/x/.git/config"], "cd:*", "cd src/x"),
        (&["src/x/.git/config", "src/x/y/a"], "cd:*", "cd src/x/y"),
        (&["x/HEAD", "x/objects/a", "x/refs/a"], "cd:*", "cd x"),
        (&["a"], "cd:* + git status", "cd TOP/.. && git status"),
    ];
    for (files, rules, command) in asked {
        assert!(
            check_among(files, rules, command).is_err(),
            "{files:?} {command}"
        );
    }
    let allowed: &[(&[&str], &str, &str)] = &[
        (
            &[".git/config", "src/a"],
            "git add:* + git status",
            "git add src && git status",
        ),
        (
            &[".git/config", ".gitignore", "ignored/x/.git/config"],
            "git add:*",
            "git add -A",
        ),
        (&["src/a"], "git add:*", "git add src/a other"),
        (&["src/a"], "cd:* + git status", "cd TOP && git status"),
        (&["src/a"], "git checkout:*", "git checkout main"),
    ];
    for (files, rules, command) in allowed {
        assert_eq!(
            check_among(files, rules, command),
            Ok(()),
            "{files:?} {command}"
        );
    }
}

#[test]
fn the_paths_of_git_add_share_one_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let top = folder.path().canonicalize().expect("a folder");
    for name in ["a", "b"] {
        fs::create_dir(top.join(name)).expect("a folder");
        for number in 0..14_000 {
            fs::File::create(top.join(name).join(number.to_string())).expect("a file");
        }
    }
    let rules = [CommandRule::read("git add:*").expect("a rule")];
    let around = Surroundings::new(&top);
    let check = |command: &str| Script::read(command).check(&rules, &around, &Budget::default());
    assert_eq!(check("git add a"), Ok(()));
    assert_eq!(check("git add b"), Ok(()));
    assert!(check("git add a b").is_err());
}

#[test]
fn without_a_folder_what_depends_on_files_is_asked() {
    let check = |rule: &str, command: &str| {
        let rules = [CommandRule::read(rule).expect("a rule")];
        Script::read(command).check(&rules, &Surroundings::default(), &Budget::default())
    };
    for (rule, command) in [
        ("git add:*", "git add -A"),
        ("git checkout:*", "git checkout main"),
        ("git push:*", "git push evil main"),
        ("cp:*", "cp a /home/me/b"),
        ("cp:*", "cp a ../b"),
        ("cp:*", "cp a src/b"),
        ("cd:*", "cd src"),
    ] {
        assert!(check(rule, command).is_err(), "{command}");
    }
    assert_eq!(check("git push:*", "git push origin main"), Ok(()));
}
