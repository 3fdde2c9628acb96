//! Redirections.

use super::Reader;

/// The only file that may be written: it stores nothing.
const NOWHERE: &str = "/dev/null";

impl Reader<'_> {
    /// Reads a redirection. One to `/dev/null` or to another stream has no effect, and one that
    /// reads a file is checked like a pipe. No rule covers any other.
    pub(super) fn redirect(&mut self, mark: char, both: bool) {
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
}

/// Returns whether a target of `<` is a file and not a device: `/dev/tcp/h/1` is a connection.
fn is_plain_file(target: &str) -> bool {
    let is_device = |name: &str| matches!(name, "dev" | "proc");
    let is_absolute = target.starts_with('/');
    !(target.is_empty() || is_absolute && target.split('/').any(is_device))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
