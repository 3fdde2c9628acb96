//! The characters of a command line, read into words and commands.
//!
//! What it knows of bash is the part that starts programs with plain words and joins them by
//! `&&`, `||`, `;`, `|` and line ends, and five forms whose result is known without running
//! anything: `"$(cat <<'E' …)"`, `"$?"`, `< file`, patterns, and variables of a fixed list that are
//! set in front of a command. Everything else (expansions, substitutions, other assignments,
//! redirections to files, control words, here-documents, background jobs) is named as beyond that,
//! because what it does cannot be told from the words of a rule. Reading goes on behind it, for
//! callers that look for what could be meant.

use super::programs::{is_control_word, is_reserved};
use super::word::Word;
use super::{Part, Script};

/// The only file that may be written: nothing is kept there.
const NOWHERE: &str = "/dev/null";

/// Variables that only change verbosity, language or strictness. None names a program, a file or an
/// address.
#[rustfmt::skip] // A table.
const HARMLESS_VARIABLES: &[&str] = &[
    "CARGO_INCREMENTAL", "CARGO_TERM_COLOR", "CARGO_TERM_VERBOSE", "CI", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS",
    "FORCE_COLOR", "GIT_TERMINAL_PROMPT", "LANG", "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "NODE_ENV",
    "NO_COLOR", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "RUST_BACKTRACE", "RUST_LIB_BACKTRACE", "RUST_LOG",
    "RUST_TEST_THREADS", "TZ",
];

#[derive(Debug)]
pub(super) struct Reader<'a> {
    text: &'a str,
    comments: Comments,
    /// Where the next character is.
    at: usize,
    /// Where the part begins.
    begin: usize,
    parts: Vec<Part>,
    part: Part,
    word: Option<Word>,
    braces: Braces,
    /// Whether the word has an unquoted `=`, so that it may be an assignment.
    sets: bool,
    /// Whether the part has a redirection or an assignment, and so may have no command.
    redirected: bool,
    /// Whether the part is what stands behind `&>`. To bash that belongs to the command before
    /// it; to other shells it is another one.
    behind_both: bool,
    /// Whether the last operator needs a command behind it.
    joined: bool,
    unread: Option<String>,
    beyond: Option<String>,
}

/// What is made of comments: not every shell knows them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Comments {
    Skipped,
    Words,
}

/// What ends a command.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    /// A line, or all of them.
    Line,
    Semicolon,
    /// `&&` and `||`.
    Joined,
    /// `|` and `|&`.
    Pipe,
    /// `&`, and `&>`, which may be one.
    Ampersand,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, comments: Comments) -> Self {
        Self {
            text,
            comments,
            at: 0,
            begin: 0,
            parts: Vec::new(),
            part: Part::default(),
            word: None,
            braces: Braces::default(),
            sets: false,
            redirected: false,
            behind_both: false,
            joined: false,
            unread: None,
            beyond: None,
        }
    }

    pub(super) fn read(mut self) -> Script {
        while let Some(c) = self.next() {
            match c {
                '\n' => self.end_part(End::Line),
                ';' => {
                    if matches!(self.peek(), Some(';' | '&' | '|')) {
                        self.beyond("a case of control words");
                    }
                    self.end_part(End::Semicolon);
                }
                '|' if self.next_if(|c| c == '|').is_some() => self.end_part(End::Joined),
                '|' => {
                    self.next_if(|c| c == '&');
                    self.end_part(End::Pipe);
                }
                '&' if self.peek() == Some('>') => {
                    self.end_part(End::Ampersand);
                    self.next();
                    self.redirect('>', true);
                    self.behind_both = true;
                }
                '&' if self.next_if(|c| c == '&').is_some() => self.end_part(End::Joined),
                '&' => {
                    self.beyond("a command in the background");
                    self.end_part(End::Ampersand);
                }
                // What follows is text up to a line that this reader would have to find as the
                // shell does. It does not try: a quote in there would turn commands into text.
                '<' if self.peek() == Some('<') => {
                    self.beyond("a here-document");
                    self.unread = self.rest().get(1..).map(str::to_owned);
                    self.at = self.text.len();
                    self.part.opaque = true;
                }
                '<' | '>' => self.redirect(c, false),
                ' ' | '\t' => self.end_word(),
                '\'' => self.quoted(),
                '"' => self.double_quoted(),
                '\\' => self.escaped(),
                '$' => self.push_beyond(c, "a variable or a substitution"),
                '`' => self.push_beyond(c, "a command substitution"),
                '(' | ')' => self.push_beyond(c, "brackets of a subshell or a function"),
                '#' if self.word.is_none() => self.hash(),
                c => self.letter(c),
            }
        }
        self.end_part(End::Line);
        if self.joined {
            self.beyond("an operator without a command behind it");
        }
        if self.parts.is_empty() {
            self.beyond("no command");
        }
        Script {
            parts: self.parts,
            text: self.text.to_owned(),
            unread: self.unread,
            beyond: self.beyond,
        }
    }

    /// The first thing that is beyond simple commands is the one that is told.
    fn beyond(&mut self, what: impl Into<String>) {
        self.beyond.get_or_insert_with(|| what.into());
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        self.next_if(|_| true)
    }

    fn next_if(&mut self, wanted: impl Fn(char) -> bool) -> Option<char> {
        let c = self.peek().filter(|c| wanted(*c))?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_with(|| Word::plain(""))
    }

    fn push(&mut self, c: char) {
        self.word().text.push(c);
    }

    fn push_opaque(&mut self, c: char) {
        self.push(c);
        self.word().literal = false;
        self.part.opaque = true;
    }

    fn push_beyond(&mut self, c: char, what: &str) {
        self.beyond(what);
        self.push_opaque(c);
    }

    /// A letter in quotes or behind a backslash.
    fn push_quoted(&mut self, c: char) {
        if self.beyond.is_none()
            && let Some(hidden) = unseen(c).filter(|_| !joins_emoji(c))
        {
            self.beyond(hidden);
        }
        self.push(c);
    }

    /// A letter that stands for itself, or a sign for the names of files.
    fn letter(&mut self, c: char) {
        if let Some(list) = self.braces.see(c) {
            self.beyond(list);
        }
        match c {
            '*' | '?' | '[' | ']' | '{' | '}' | '~' | '!' => {
                let word = self.word();
                if matches!(c, '*' | '?' | '[') {
                    word.pattern_at.push(word.text.len());
                }
                word.home |= c == '~' && word.text.is_empty() && !word.quoted;
                word.literal = false;
                self.push(c);
            }
            // Some shells take other blanks for blanks.
            c if c.is_control() || c.is_whitespace() => {
                if self.beyond.is_none() {
                    self.beyond(invisible(c));
                }
                self.push_opaque(c);
            }
            c => {
                self.sets |= c == '=' && !self.word().quoted;
                if self.beyond.is_none()
                    && let Some(hidden) = unseen(c).or_else(|| looks_like_a_sign(c))
                {
                    self.beyond(hidden);
                }
                self.push(c);
            }
        }
    }

    fn hash(&mut self) {
        match self.comments {
            Comments::Skipped => {
                let comment = self.rest().split('\n').next().unwrap_or_default();
                // A sign that a person does not see may show a command as part of the comment.
                let mut signs = comment.chars().filter(|c| !joins_emoji(*c));
                if let Some(hidden) = signs.find_map(unseen) {
                    self.beyond(hidden);
                }
                self.at += comment.len();
            }
            Comments::Words => self.push_beyond('#', "a comment"),
        }
    }

    fn escaped(&mut self) {
        match self.next() {
            // A line that goes on in the next one.
            Some('\n') => {}
            Some(next) => {
                self.word().quoted = true;
                self.push_quoted(next);
            }
            None => {
                self.beyond("a backslash at the end");
                self.part.opaque = true;
            }
        }
    }

    fn quoted(&mut self) {
        self.word().quoted = true;
        while let Some(c) = self.next() {
            if c == '\'' {
                return;
            }
            self.push_quoted(c);
        }
        self.beyond("quotes without an end");
        self.part.opaque = true;
    }

    fn double_quoted(&mut self) {
        self.word().quoted = true;
        while let Some(c) = self.next() {
            match c {
                '"' => return,
                '`' => self.push_beyond(c, "a command substitution"),
                // Each attempt may read the rest of the line, so only the first one is made.
                '$' if self.beyond.is_none() && self.here_text() => {}
                '$' if self.next_if(|c| c == '?').is_some() => {
                    self.word().may_be_option = true;
                    self.push_opaque(c);
                    self.push('?');
                }
                '$' => {
                    // Only in front of these it is a dollar sign and nothing else.
                    if !matches!(self.peek(), Some('"' | ' ' | '/' | '|' | ')')) {
                        self.beyond("a variable or a substitution");
                    }
                    self.push_opaque(c);
                }
                '\\' => match self.next_if(|c| matches!(c, '$' | '`' | '"' | '\\' | '\n')) {
                    Some('\n') => {}
                    Some(next) => self.push_quoted(next),
                    None => self.push_quoted(c),
                },
                c => self.push_quoted(c),
            }
        }
        self.beyond("quotes without an end");
        self.part.opaque = true;
    }

    /// Reads the rest of `"$(cat <<'E' … E )"` after its dollar sign: the usual way to write a
    /// message of several lines. The text up to the delimiter is literal, without trailing line
    /// ends. Returns false, and reads nothing, for any other substitution.
    fn here_text(&mut self) -> bool {
        let Some((text, rest)) = here_text(self.rest()) else {
            return false;
        };
        self.at = self.text.len() - rest.len();
        text.chars().for_each(|c| self.push_quoted(c));
        self.part.opaque = true;
        true
    }

    /// Reads a redirection. One to `/dev/null` or to another stream has no effect, and one that
    /// reads a file is checked like a pipe. No rule covers any other.
    fn redirect(&mut self, mark: char, both: bool) {
        // A number right before the mark is a stream, not a word.
        let stream = self
            .word
            .take_if(|word| word.literal && !word.quoted && is_number(&word.text));
        if stream.is_none() {
            if self
                .word
                .as_ref()
                .is_some_and(|word| word.text.ends_with('}'))
            {
                self.beyond("a redirection that sets a variable");
            }
            self.end_word();
        }
        self.redirected = true;
        let reads = mark == '<' && !self.part.words.is_empty();
        let standard = stream.as_ref().is_none_or(|stream| stream.text == "0");
        let mut odd = mark == '<' && !(reads && standard);
        let mut double = false;
        if mark == '>' {
            odd |= self.next_if(|c| matches!(c, '>' | '|')).is_some();
        } else {
            double = matches!(self.peek(), Some('>' | '('));
        }
        let mut blanks = false;
        while self.next_if(|c| c == ' ').is_some() {
            blanks = true;
        }
        let to_stream = self.next_if(|c| c == '&').is_some();
        let mut target = String::new();
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.');
        while let Some(c) = self.next_if(plain) {
            target.push(c);
        }
        // What follows the target without a blank is part of it.
        let ends = matches!(
            self.peek(),
            None | Some(' ' | '\t' | '\n' | ';' | '|' | '&' | ')')
        );
        let nowhere = !to_stream && target == NOWHERE;
        let stream = mark == '>' && to_stream && !blanks && is_number(&target);
        let file = reads && !to_stream && is_plain_file(&target);
        self.part.piped |= mark == '<';
        if odd || !ends || !(nowhere || file || stream && !both) {
            self.beyond(if mark == '<' {
                "input from a file"
            } else {
                "output into a file or a process"
            });
        }
        let harmless = nowhere || to_stream && matches!(target.as_str(), "1" | "2");
        self.part.opaque |= double || !ends || !harmless;
    }

    fn end_word(&mut self) {
        self.braces = Braces::default();
        let Some(mut word) = self.word.take() else {
            return;
        };
        // Alone these two are a test and its end, not a pattern. A brace or a `!` alone is a mark,
        // and what follows it is the command.
        word.literal |= matches!(word.text.as_str(), "[" | "]" | "{" | "}" | "!");
        if word.text == "[" {
            word.pattern_at.clear();
        }
        // A word such as `PATH=/tmp` in front sets a variable, which can change what runs.
        let is_first = self.part.words.is_empty();
        let unquoted = std::mem::take(&mut self.sets);
        let sets = is_first
            && word
                .text
                .split_once('=')
                .is_some_and(|(name, _)| is_name(name));
        if is_first && unquoted && !self.behind_both && sets_harmless_variable(&word) {
            self.part.opaque = true;
            self.redirected = true;
            return;
        }
        if is_first {
            self.first_word(&word, sets);
        }
        // A matching file may be named `--output=x`.
        word.may_be_option |= word.is_pattern() && word.text.starts_with(['*', '?', '[', '-', '+']);
        if word.text.starts_with('=') && !word.quoted {
            // zsh looks for a program of that name.
            self.beyond("a word that begins with `=`");
        }
        if self.behind_both {
            self.beyond("words behind `&>`");
        }
        if !sets {
            self.part.words.push(word);
        }
    }

    fn first_word(&mut self, word: &Word, sets: bool) {
        if sets || is_reserved(&word.text) {
            self.part.opaque = true;
        }
        if word.text.contains('=') {
            self.beyond("an assignment");
        } else if is_control_word(&word.text) {
            self.beyond("a control word");
        } else if word.text.is_empty() {
            self.beyond("a program without a name");
        } else if word.is_pattern() || word.may_be_option {
            self.beyond("a program that only the shell can name");
        }
    }

    fn end_part(&mut self, end: End) {
        self.end_word();
        let needs_command = match end {
            End::Line => self.redirected,
            _ => true,
        };
        let redirected = std::mem::take(&mut self.redirected);
        let behind_both = std::mem::take(&mut self.behind_both);
        let next = Part {
            piped: end == End::Pipe || self.part.words.is_empty() && self.part.piped,
            ..Part::default()
        };
        let mut part = std::mem::replace(&mut self.part, next);
        if part.words.is_empty() && needs_command && !(behind_both && redirected) {
            self.beyond("an operator or a redirection without a command");
        }
        self.joined = match end {
            End::Joined | End::Pipe => true,
            _ => self.joined && part.words.is_empty(),
        };
        let begin = std::mem::replace(&mut self.begin, self.at);
        if !part.words.is_empty() || part.opaque {
            part.text = self.text.get(begin..self.at).unwrap_or_default().to_owned();
            self.parts.push(part);
        }
    }
}

/// Splits off the text of `(cat <<'E'`, lines, `E` and `)`. Returns `None` for any other form.
fn here_text(behind_dollar: &str) -> Option<(&str, &str)> {
    let marked = behind_dollar.strip_prefix("(cat <<'")?;
    let (mark, body) = marked.split_once("'\n")?;
    let is_mark = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if mark.is_empty() || !mark.chars().all(is_mark) {
        return None;
    }
    let end = format!("{mark}\n");
    let begins_line = |at: &usize| *at == 0 || body.get(..*at).is_some_and(|b| b.ends_with('\n'));
    let mut ends = body.match_indices(&end).map(|(at, _)| at);
    let at = ends.find(begins_line)?;
    let rest = body.get(at + end.len()..)?.trim_start_matches([' ', '\t']);
    let text = body.get(..at)?.trim_end_matches('\n');
    // Some versions of bash end the text at a line such as `E)`.
    let ends_early = |line: &str| line.trim_start().starts_with(mark);
    // Bash 3.2 ends the substitution at its first bracket, and the rest is in double quotes.
    let may_go_on = text.contains(')') && text.contains(['$', '`', '"']);
    if may_go_on || text.lines().any(ends_early) {
        return None;
    }
    Some((text, rest.strip_prefix(')')?))
}

/// Returns whether a target of `<` is a file and not a device: `/dev/tcp/h/1` is a connection.
fn is_plain_file(target: &str) -> bool {
    let is_device = |name: &str| matches!(name, "dev" | "proc");
    let is_absolute = target.starts_with('/');
    !(target.is_empty() || is_absolute && target.split('/').any(is_device))
}

/// Returns whether a word before a command sets a listed variable to a plain value. A value with a
/// slash would be a path.
fn sets_harmless_variable(word: &Word) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.,:=+-@%".contains(c);
    let set = word.text.split_once('=').filter(|_| word.literal);
    set.is_some_and(|(name, value)| {
        HARMLESS_VARIABLES.contains(&name) && value.chars().all(is_plain)
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_name(text: &str) -> bool {
    // `x+=1` and `x[1]=1` set variables too.
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '[' | ']'))
}

fn invisible(c: char) -> String {
    format!("an invisible sign (U+{:04X})", u32::from(c))
}

/// Signs that a person does not see, or sees in another place.
fn unseen(c: char) -> Option<String> {
    let blank = matches!(c, '\n' | '\t');
    let hidden = matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}');
    (hidden || c.is_control() && !blank).then(|| invisible(c))
}

/// What makes one picture of several: fine in a message.
fn joins_emoji(c: char) -> bool {
    matches!(c, '\u{200D}' | '\u{FE0F}')
}

/// Signs that look like those of the shell or of options. In quotes they are text; outside of
/// them somebody meant to be misread.
fn looks_like_a_sign(c: char) -> Option<String> {
    let looks = matches!(c,
        '\u{37E}' | '\u{1680}' | '\u{1806}' | '\u{2000}'..='\u{203F}' | '\u{2044}'
        | '\u{204E}'..='\u{205F}' | '\u{2200}'..='\u{22FF}' | '\u{2571}' | '\u{2572}'
        | '\u{27E8}' | '\u{27E9}' | '\u{2E3A}' | '\u{2E3B}' | '\u{3000}'..='\u{303F}'
        | '\u{A4FE}' | '\u{A78C}' | '\u{A789}' | '\u{FE10}'..='\u{FE6F}' | '\u{FF00}'..='\u{FF0F}'
        | '\u{FF1A}'..='\u{FF20}' | '\u{FF3B}'..='\u{FF40}' | '\u{FF5B}'..='\u{FF65}'
        | '\u{FFE0}'..='\u{FFEE}');
    looks.then(|| format!("a sign that looks like another (U+{:04X})", u32::from(c)))
}

/// Tells `{a,b}` and `{1..3}`, which become several words, from `stash@{0}` and `@{u}..HEAD`, which
/// do not. A brace that seems closed may not be: `{a},b}` becomes `a}` and `b`. So behind a closed
/// one two dots are text as long as no further brace follows.
#[derive(Debug, Default)]
struct Braces {
    opened: bool,
    closed: bool,
    /// Whether two dots stand behind a closed brace.
    dots_behind: bool,
    dot: bool,
}

impl Braces {
    fn see(&mut self, sign: char) -> Option<&'static str> {
        const RANGE: Option<&str> = Some("a range in braces");
        let dots = self.dot && sign == '.';
        self.dot = sign == '.';
        match sign {
            '{' | '}' if self.dots_behind => return RANGE,
            '{' => self.opened = true,
            '}' => self.closed = self.opened,
            ',' if self.opened => return Some("a list in braces"),
            '.' if dots && self.closed => self.dots_behind = true,
            '.' if dots && self.opened => return RANGE,
            _ => {}
        }
        None
    }
}
