use super::super::test_cases::{self, text};
use super::*;

/// How well rules match a command line.
fn fit_all(rules: &[CommandRule], command: &str) -> Fit {
    let around = PathContext::default();
    Script::read(command).fit(rules, &around, Fit::Perhaps, &Budget::default())
}

fn fit(words: &str, command: &str) -> Fit {
    fit_all(&[CommandRule::starting(words)], command)
}

/// Checks the cases of a file: how well a rule matches a command.
fn check_file(name: &str, count: usize) {
    for case in test_cases::read("shell/fits", name, count) {
        let expected = match text(&case, "fit") {
            "yes" => Fit::Yes,
            "perhaps" => Fit::Perhaps,
            "no" => Fit::No,
            other => panic!("{other}"),
        };
        let fit = fit(text(&case, "rule"), text(&case, "command"));
        assert_eq!(fit, expected, "{case}");
    }
}

#[test]
fn a_command_surely_fits_only_when_every_part_does() {
    check_file("a_command_surely_fits_only_when_every_part_does", 15);
}

#[test]
fn what_could_be_more_is_not_sure() {
    check_file("what_could_be_more_is_not_sure", 45);
}

/// Each of these runs `rm`, or could; none of them is a plain call of it.
#[test]
fn a_forbidden_program_is_found_where_it_hides() {
    check_file("a_forbidden_program_is_found_where_it_hides", 90);
}

#[test]
fn forbidden_words_are_found_behind_other_words() {
    check_file("forbidden_words_are_found_behind_other_words", 15);
}

/// A deny that matches everything would be useless.
#[test]
fn a_name_that_nothing_runs_is_a_name() {
    check_file("a_name_that_nothing_runs_is_a_name", 20);
}

#[test]
fn exactly_means_no_more_words() {
    let exactly = |command: &str| fit_all(&[CommandRule::exactly("make test")], command);
    assert_eq!(exactly("make test"), Fit::Yes);
    assert_eq!(exactly("make test && make 'test'"), Fit::Yes);
    assert_eq!(exactly("make test all"), Fit::Perhaps);
    assert_eq!(exactly("make tes?"), Fit::Perhaps);
    assert_eq!(exactly("make all"), Fit::No);
    assert_eq!(fit("", "ls"), Fit::Perhaps);
}

#[test]
fn several_patterns_cover_several_parts() {
    let patterns = [
        CommandRule::starting("ls"),
        CommandRule::starting("git log"),
    ];
    assert_eq!(fit_all(&patterns, "ls && git log"), Fit::Yes);
    assert_eq!(fit_all(&patterns, "ls && git push"), Fit::Perhaps);
}

/// Random text with shell syntax.
fn noise() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::strategy::Strategy as _;
    let pieces = r##"ls ; & | $ ( ) ` ' " \ > < <<E x = # { } * ~ /dev/null 1 sh echo"##;
    let pieces = proptest::sample::select([pieces.split(' ').collect(), vec![" ", "\n"]].concat());
    proptest::collection::vec(pieces, 0..14).prop_map(|pieces| pieces.concat())
}

proptest::proptest! {
    /// Whatever precedes it, an allowed line contains no second program.
    #[test]
    fn nothing_hides_behind_an_allowed_program(noise in noise()) {
        // A word on its own line runs as a program, unless it is in quotes or in a here-document:
        // an even number of quotes of one kind, none of them escaped, encloses nothing.
        let count = |quote: char| noise.matches(quote).count();
        let closed = !noise.contains('\\')
            && (count('"') == 0 && count('\'') % 2 == 0 || count('\'') == 0 && count('"') % 2 == 0);
        let command = format!("ls {noise}\nrm");
        if closed {
            proptest::prop_assert_ne!(fit("ls", &command), Fit::Yes, "{:?}", command);
        }
    }

    /// Whatever surrounds it, a forbidden program on its own line is found.
    #[test]
    fn a_forbidden_line_is_found(before in noise(), after in noise()) {
        let count = |quote: char| before.matches(quote).count();
        let closed = !before.contains('\\')
            && (count('"') == 0 && count('\'') % 2 == 0 || count('\'') == 0 && count('"') % 2 == 0);
        let command = format!("{before}\nrm y\n{after}");
        if closed {
            proptest::prop_assert_ne!(fit("rm", &command), Fit::No, "{:?}", command);
        }
    }

    /// However its letters are quoted, in a script or not, a forbidden program is found.
    #[test]
    fn a_forbidden_name_is_found_in_quotes(
        r in proptest::sample::select(vec!["r", "\\r", "'r'", "\"r\"", "''r", "\\\nr"]),
        m in proptest::sample::select(vec!["m", "\\m", "'m'", "\"m\"", "m\"\"", "\\\nm"]),
        around in proptest::sample::select(vec![
            ("", ""), ("ls; ", ""), ("sudo ", ""), ("ls | xargs ", ""), ("echo $(", ")"),
            ("cat <<E\n'\nE\n", "\n'"), ("if ", "; then ls; fi"), ("nobody-knows --x=", ""),
            ("eval ", ""),
        ]),
    ) {
        let command = format!("{}{r}{m} y{}", around.0, around.1);
        proptest::prop_assert_ne!(fit("rm", &command), Fit::No, "{:?}", command);
    }
}
