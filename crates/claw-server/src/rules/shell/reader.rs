//! Reads a command line into simple commands, or says what in it is more than that.
//!
//! This is the part of bash that starts programs with plain words and joins them by `&&`, `||`,
//! `;`, `|` and line ends. Everything else (expansions, substitutions, assignments, redirections
//! to files, control words, here-documents, background jobs) is refused by name, because what it
//! does cannot be told from the words of a rule.

use super::word::Word;

/// Words that begin something other than a simple command.
const RESERVED: &[&str] = &[
    "!", "{", "}", "[[", "]]", "if", "then", "else", "elif", "fi", "case", "esac", "for", "select",
    "while", "until", "do", "done", "in", "function", "time", "coproc",
];

/// The only file that may be written: nothing is kept there.
const NOWHERE: &str = "/dev/null";

/// The commands of a line, each with at least one word.
pub(super) fn read_commands(line: &str) -> Result<Vec<Vec<Word>>, String> {
    let mut reader = Reader {
        rest: line,
        commands: Vec::new(),
        words: Vec::new(),
        redirected: false,
        joined: false,
    };
    reader.read()?;
    Ok(reader.commands)
}

struct Reader<'a> {
    rest: &'a str,
    commands: Vec<Vec<Word>>,
    /// Of the command that is being read.
    words: Vec<Word>,
    /// Whether it had a redirection: `> /dev/null` alone is no command.
    redirected: bool,
    /// Whether the last operator needs a command behind it.
    joined: bool,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), String> {
        loop {
            self.skip_blanks();
            let Some(next) = self.peek() else {
                break;
            };
            match next {
                '\n' => self.end_of_line()?,
                '#' => self.skip_comment(),
                ';' => self.semicolon()?,
                '&' => self.ampersand()?,
                '|' => self.bar()?,
                '<' => return refuse("input from a file or a here-document"),
                '>' => self.redirection("")?,
                '(' | ')' => return refuse("brackets of a subshell or a function"),
                _ => self.word()?,
            }
        }
        self.end_of_line()?;
        if self.joined {
            return refuse("an operator without a command behind it");
        }
        if self.commands.is_empty() {
            return refuse("no command");
        }
        Ok(())
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest = self.rest.get(next.len_utf8()..).unwrap_or_default();
        Some(next)
    }

    fn takes(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            let trimmed = self.rest.trim_start_matches([' ', '\t']);
            // A line that goes on in the next one.
            self.rest = match trimmed.strip_prefix("\\\n") {
                Some(next) => next,
                None => {
                    self.rest = trimmed;
                    return;
                }
            };
        }
    }

    /// To the end of the line; the line end itself stays.
    fn skip_comment(&mut self) {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        self.rest = self.rest.get(end..).unwrap_or_default();
    }

    /// A line end ends a command, if there is one; behind `&&` it means nothing.
    fn end_of_line(&mut self) -> Result<(), String> {
        let _ = self.takes("\n");
        if self.words.is_empty() && !self.redirected {
            return Ok(());
        }
        self.end_of_command()
    }

    fn end_of_command(&mut self) -> Result<(), String> {
        if self.words.is_empty() {
            return refuse("an operator or a redirection without a command");
        }
        self.commands.push(std::mem::take(&mut self.words));
        self.redirected = false;
        self.joined = false;
        Ok(())
    }

    fn semicolon(&mut self) -> Result<(), String> {
        let _ = self.take();
        if matches!(self.peek(), Some(';' | '&')) {
            return refuse("a case of control words");
        }
        self.end_of_command()
    }

    fn ampersand(&mut self) -> Result<(), String> {
        if self.takes("&&") {
            self.end_of_command()?;
            self.joined = true;
            return Ok(());
        }
        if self.takes("&>") {
            if self.takes(">") {
                return refuse("output into a file");
            }
            return self.read_nowhere();
        }
        refuse("a command in the background")
    }

    fn bar(&mut self) -> Result<(), String> {
        if !self.takes("||") && !self.takes("|&") {
            let _ = self.take();
        }
        self.end_of_command()?;
        self.joined = true;
        Ok(())
    }

    /// `>` and what follows, behind an optional number.
    fn redirection(&mut self, descriptor: &str) -> Result<(), String> {
        if !descriptor.chars().all(|c| c.is_ascii_digit()) {
            return refuse("a redirection that sets a variable");
        }
        let _ = self.take();
        if self.takes("&") {
            let digits = self.rest.len()
                - self
                    .rest
                    .trim_start_matches(|c: char| c.is_ascii_digit())
                    .len();
            self.rest = self.rest.get(digits..).unwrap_or_default();
            let ends = matches!(
                self.peek(),
                None | Some(' ' | '\t' | '\n' | ';' | '&' | '|')
            );
            if digits == 0 || !ends {
                return refuse("output into a file");
            }
            self.redirected = true;
            return Ok(());
        }
        if matches!(self.peek(), Some('>' | '|' | '(' | '<')) {
            return refuse("output into a file or a process");
        }
        self.read_nowhere()
    }

    /// The target must be spelled exactly: nothing is gained by guessing.
    fn read_nowhere(&mut self) -> Result<(), String> {
        self.skip_blanks();
        let ends = |rest: &str| {
            matches!(
                rest.chars().next(),
                None | Some(' ' | '\t' | '\n' | ';' | '&' | '|' | '>')
            )
        };
        match self.rest.strip_prefix(NOWHERE) {
            Some(rest) if ends(rest) => {
                self.rest = rest;
                self.redirected = true;
                Ok(())
            }
            _ => refuse("output into a file"),
        }
    }

    fn word(&mut self) -> Result<(), String> {
        let began = self.rest;
        let mut word = Word::default();
        let mut braces = Braces::default();
        let mut quoted = false;
        while let Some(next) = self.peek() {
            match next {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                '\'' => {
                    quoted = true;
                    self.single_quotes(&mut word)?;
                }
                '"' => {
                    quoted = true;
                    self.double_quotes(&mut word)?;
                }
                '\\' => {
                    quoted = true;
                    let _ = self.take();
                    match self.take() {
                        Some('\n') => {}
                        Some(escaped) => word.text.push(plain(escaped)?),
                        None => return refuse("a backslash at the end"),
                    }
                }
                '$' => return refuse("a variable or a substitution"),
                '`' => return refuse("a command substitution"),
                _ => {
                    let _ = self.take();
                    braces.see(next)?;
                    if matches!(next, '*' | '?' | '[') {
                        word.pattern_at.push(word.text.len());
                    }
                    word.home |= next == '~' && word.text.is_empty() && !quoted;
                    word.text.push(plain(next)?);
                }
            }
        }
        let raw = began
            .get(..began.len() - self.rest.len())
            .unwrap_or_default();
        if matches!(self.peek(), Some('<' | '>')) && is_descriptor(raw) {
            if self.peek() == Some('<') {
                return refuse("input from a file");
            }
            return self.redirection(raw);
        }
        self.add(word)
    }

    fn add(&mut self, word: Word) -> Result<(), String> {
        if self.words.is_empty() {
            if RESERVED.contains(&word.text.as_str()) {
                return refuse("a control word");
            }
            if word.text.contains('=') {
                return refuse("an assignment");
            }
            if word.is_pattern() {
                return refuse("a pattern for the name of a program");
            }
        }
        if word.is_pattern() && word.text.starts_with(['*', '?', '[', '-']) {
            // A file may be called `--output=x`.
            return refuse("a pattern that may stand for an option");
        }
        self.words.push(word);
        Ok(())
    }

    fn single_quotes(&mut self, word: &mut Word) -> Result<(), String> {
        let _ = self.take();
        loop {
            match self.take() {
                Some('\'') => return Ok(()),
                Some(next) => word.text.push(plain(next)?),
                None => return refuse("quotes without an end"),
            }
        }
    }

    fn double_quotes(&mut self, word: &mut Word) -> Result<(), String> {
        let _ = self.take();
        loop {
            match self.take() {
                Some('"') => return Ok(()),
                Some('`') => return refuse("a command substitution"),
                Some('$') => {
                    // Only in front of these it is a dollar sign and nothing else.
                    if !matches!(self.peek(), Some('"' | ' ' | '/' | '|' | ')')) {
                        return refuse("a variable or a substitution");
                    }
                    word.text.push('$');
                }
                Some('\\') => match self.take() {
                    Some('\n') => {}
                    Some(escaped @ ('$' | '`' | '"' | '\\')) => word.text.push(escaped),
                    Some(other) => {
                        word.text.push('\\');
                        word.text.push(plain(other)?);
                    }
                    None => return refuse("quotes without an end"),
                },
                Some(next) => word.text.push(plain(next)?),
                None => return refuse("quotes without an end"),
            }
        }
    }
}

/// `2` in `2>`, or `{name}`, which is a variable that gets the number.
fn is_descriptor(raw: &str) -> bool {
    (!raw.is_empty() && raw.chars().all(|c| c.is_ascii_digit()))
        || (raw.starts_with('{') && raw.ends_with('}'))
}

/// Refuses signs that a person does not see, or sees in another place.
fn plain(sign: char) -> Result<char, String> {
    let is_blank = matches!(sign, '\n' | '\t');
    let turns_text = matches!(sign, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    if (sign.is_control() && !is_blank) || turns_text {
        return Err(format!("an invisible sign (U+{:04X})", u32::from(sign)));
    }
    Ok(sign)
}

/// Tells `{a,b}` and `{1..3}`, which become several words, from `stash@{0}`, which does not.
#[derive(Default)]
struct Braces {
    open: usize,
    dot: bool,
}

impl Braces {
    fn see(&mut self, sign: char) -> Result<(), String> {
        match sign {
            '{' => self.open += 1,
            '}' => self.open = self.open.saturating_sub(1),
            ',' if self.open > 0 => return refuse("a list in braces"),
            '.' if self.open > 0 && self.dot => return refuse("a range in braces"),
            _ => {}
        }
        self.dot = sign == '.';
        Ok(())
    }
}

fn refuse<T>(what: &str) -> Result<T, String> {
    Err(format!("the line has {what}"))
}
