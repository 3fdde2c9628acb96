//! Deterministic command lines that take long to check, for a test that counts steps and a proof
//! that measures time.

/// Programs that run others, their options, and shell operators.
#[rustfmt::skip] // A table.
const PIECES: &[&str] = &[
    "env ", "eval ", "sudo ", "xargs ", "timeout 5 ", "nice ", "sh -c ", "bash -c ", "command ", "find . -exec ", "ssh h ",
    "awk ", "git ", "python3 ", "python3 -c ", "make ", "cat ", "ls ", "x ", "x", "-c ", "-x ", "1 ", "A=1 ", "{} ", "? ", "* ",
    "~ ", "alias.x=!", "!", "'", "\"", "\\", "\\\n", " ", "$x ", "$(", "(", ")", "`", "{a,b}", "{", "}", "[", "#", " # ", ";",
    " ; ", "&&", "||", "|", "&", "\n", "<<E\n", "\"$(cat <<'E'\n", "<<", "E\n", ">", "<", ">/dev/null ", "2>&1 ", "&>", "if ", "time ", "é", "\u{200b}",
    "' ", " '", "';' ", "\" ", " \"", "push ", "install ",
];

/// The maximum length of a line.
pub(crate) const LONGEST: usize = 64 * 1024;

/// A pseudorandom generator of lines.
pub(crate) struct HostileLines(u64);

impl HostileLines {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or_default() % end
    }

    fn unit(&mut self) -> String {
        let pieces = 1 + self.below(5);
        (0..pieces)
            .map(|_| PIECES[self.below(PIECES.len())])
            .collect()
    }

    /// A line of at most [`LONGEST`] bytes: repeated units, or random pieces. Short lines are as
    /// frequent as long ones.
    pub(crate) fn line(&mut self) -> String {
        let most = 1_usize << (6 + self.below(11));
        let most = most.min(LONGEST);
        let begin = self.unit();
        let mut line = begin.clone();
        let stretches = 1 + self.below(3);
        for _ in 0..stretches {
            let end = line.len() + most / stretches;
            let unit = self.unit();
            let mixed = self.below(4) == 0;
            while line.len() < end {
                line.push_str(&if mixed { self.unit() } else { unit.clone() });
            }
            line.push_str(&begin);
        }
        let end = (0..=most).rev().find(|end| line.is_char_boundary(*end));
        line.truncate(end.unwrap_or_default());
        line
    }
}
