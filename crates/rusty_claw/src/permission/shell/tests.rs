use super::*;

/// What a rule about the words says of a command line.
fn fit(words: &str, command: &str) -> Fit {
    Script::read(command).fit(&[CommandPattern::starting(words)])
}

#[test]
fn a_command_surely_fits_only_when_every_part_does() {
    let sure = [
        ("ls", "ls"),
        ("ls", "  ls -la  "),
        ("git log", "git log --oneline"),
        ("git log", "git 'log' \"--oneline\""),
        ("git log", "git \\\n log"),
        ("ls", "ls *.rs ~/x"),
        ("ls", "ls; ls -a && ls || ls | ls & ls\nls"),
        ("ls", "ls 2>&1 >/dev/null"),
        ("ls", "ls > /dev/null 2> /dev/null"),
        ("ls", "ls &>/dev/null"),
        ("ls", "ls 'a;b' \"c|d\" e\\;f"),
        ("ls", "ls '$(rm x)' \\$HOME"),
        ("echo", "echo a#b a=b"),
        ("[", "[ -f x ]"),
    ];
    for (words, command) in sure {
        assert_eq!(fit(words, command), Fit::Yes, "{words:?} {command:?}");
    }
}

#[test]
fn what_could_be_more_is_not_sure() {
    let unsure = [
        ("ls", "ls && rm x"),
        ("ls", "ls; rm x"),
        ("ls", "ls | sh"),
        ("ls", "ls & rm x"),
        ("ls", "ls\nrm x"),
        ("ls", "ls $(rm x)"),
        ("ls", "ls `rm x`"),
        ("ls", "ls \"$(rm x)\""),
        ("ls", "ls $HOME"),
        ("ls", "ls <(rm x)"),
        ("ls", "ls > out"),
        ("ls", "ls >> out"),
        ("ls", "ls >out 2>&1"),
        ("ls", "ls < in"),
        ("ls", "ls << END\nrm x\nEND"),
        ("ls", "ls >/dev/null/../x"),
        ("ls", "ls >/dev/null'x'"),
        ("ls", "ls >&x"),
        ("ls", "LD_PRELOAD=x ls"),
        ("ls", "(ls)"),
        ("ls", "{ ls; }"),
        ("ls", "! ls"),
        ("ls", "if ls; then ls; fi"),
        ("ls", "ls 'unbalanced"),
        ("ls", "ls \"unbalanced"),
        ("ls", "ls \\"),
        ("ls", "ls # all"),
        ("ls", "ls \u{0}"),
        ("ls", "ls\r"),
        ("ls", "/tmp/ls"),
        ("ls", "./ls"),
        ("git log", "git -C x log"),
        ("git log", "git $X log"),
    ];
    for (words, command) in unsure {
        assert_eq!(fit(words, command), Fit::Perhaps, "{words:?} {command:?}");
    }
    for (words, command) in [
        ("ls", "lsof"),
        ("git log", "git logs"),
        ("ls", ""),
        ("ls", " ;; "),
    ] {
        assert_eq!(fit(words, command), Fit::No, "{words:?} {command:?}");
    }
}

#[test]
fn a_forbidden_program_is_found_where_it_hides() {
    let hidden = [
        "rm x",
        "ls && rm x",
        "ls|rm",
        "/bin/rm x",
        "\\rm x",
        "r''m x",
        "\"rm\" x",
        "X=1 rm x",
        "sudo rm x",
        "ls | xargs rm",
        "sh -c 'rm x'",
        "bash -c \"cd y; rm x\"",
        "find . -exec rm {} +",
        "env -i rm x",
        "timeout 5 rm x",
        "echo $(rm x)",
        "echo `rm x`",
        "(rm x)",
        "if true; then rm x; fi",
        "for f in a; do rm $f; done",
        "$CMD x",
        "r{m,} x",
        "/bin/r? x",
        "cat <<END | sh\nrm x\nEND",
        "eval 'r''m x'; eval rm",
        "rm x > /dev/null",
        "rm 'unbalanced",
    ];
    for command in hidden {
        assert_ne!(fit("rm", command), Fit::No, "{command:?}");
    }
    for command in [
        "ls rm",
        "echo 'rm x'",
        "git rm-x",
        "firm",
        "cargo fmt",
        "ls > rm.txt",
    ] {
        assert_eq!(fit("rm", command), Fit::No, "{command:?}");
    }
    assert_eq!(fit("git push", "git -C x push"), Fit::Perhaps);
    assert_eq!(fit("git push", "git status"), Fit::No);
}

#[test]
fn exactly_means_no_more_words() {
    let exactly =
        |command: &str| Script::read(command).fit(&[CommandPattern::exactly("make test")]);
    assert_eq!(exactly("make test"), Fit::Yes);
    assert_eq!(exactly("make test && make 'test'"), Fit::Yes);
    assert_ne!(exactly("make test all"), Fit::Yes);
    assert_ne!(exactly("make tes?"), Fit::Yes);
    assert_ne!(
        Script::read("ls").fit(&[CommandPattern::starting("")]),
        Fit::Yes
    );
}

#[test]
fn several_patterns_cover_several_parts() {
    let patterns = [
        CommandPattern::starting("ls"),
        CommandPattern::starting("git log"),
    ];
    assert_eq!(Script::read("ls && git log").fit(&patterns), Fit::Yes);
    assert_eq!(Script::read("ls && git push").fit(&patterns), Fit::Perhaps);
}

proptest::proptest! {
    /// Whatever is put around it, what is surely allowed holds no second program.
    #[test]
    fn nothing_hides_behind_an_allowed_program(
        noise in proptest::collection::vec(
            proptest::sample::select(vec![
                "ls", " ", ";", "&", "|", "\n", "$", "(", ")", "`", "'", "\"", "\\", ">", "<", "x",
                "=", "#", "{", "}", "*", "~", "/dev/null", "1",
            ]),
            0..14,
        ),
    ) {
        // A word that stands alone on a line of its own runs as a program, unless a quote or a
        // here-document holds it; then the line is not sure for another reason, or quotes pair up.
        let noise = noise.concat();
        let command = format!("ls {noise}\nrm");
        let quotes = noise.contains(['\'', '"', '\\']);
        if !quotes {
            proptest::prop_assert_ne!(fit("ls", &command), Fit::Yes, "{:?}", command);
        }
    }
}
