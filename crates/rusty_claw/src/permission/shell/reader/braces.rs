//! Braces that expand to several words.

/// Distinguishes `{a,b}` and `{1..3}`, which expand to several words, from `stash@{0}` and
/// `@{u}..HEAD`, which do not. A brace that seems closed may not be: `{a},b}` expands to `a}` and
/// `b`. So two dots after a closed brace are text unless another brace follows.
#[derive(Debug, Default)]
pub(super) struct Braces {
    opened: bool,
    closed: bool,
    /// Whether two dots follow a closed brace.
    dots_behind: bool,
    dot: bool,
}

impl Braces {
    pub(super) fn see(&mut self, sign: char) -> Option<&'static str> {
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
