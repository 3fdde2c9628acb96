//! What can happen to a file.

use super::line::Line;
use super::truth::Truth;
use crate::dice::Dice;

/// Damage to one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Damage {
    None,
    /// Lines end in CR LF.
    Crlf,
    /// The end is missing.
    CutEnd,
    /// A line in the middle lost its end.
    Broken,
    /// A line in the middle lost its end and its newline.
    Glued,
}

/// A file as it is written.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) bytes: Vec<u8>,
    /// Newlines, and one more when the last line has none.
    pub(super) lines: u64,
    /// The unreadable line.
    pub(super) lost: Option<usize>,
}

impl Damage {
    /// The damage of a session, by its number, with each kind once in so many sessions.
    pub(super) fn of(session: usize, every: Option<usize>) -> Self {
        let Some(every) = every else {
            return Self::None;
        };
        let at = session % every;
        let places = [
            (every / 4, Self::Crlf),
            (every / 2, Self::CutEnd),
            (every * 3 / 4, Self::Broken),
            (every - 1, Self::Glued),
        ];
        let place = places.into_iter().find(|(place, _)| *place == at);
        place.map_or(Self::None, |(_, damage)| damage)
    }

    pub(super) fn apply(self, lines: &[Line], dice: &mut Dice, truth: &mut Truth) -> Written {
        let size: usize = lines.iter().map(|line| line.text.len() + 2).sum();
        let mut bytes = Vec::with_capacity(size);
        let middle = lines.len() / 2;
        let mut lost = None;
        let mut newlines = lines.len() as u64;
        for (at, line) in lines.iter().enumerate() {
            let text = line.text.as_bytes();
            match self {
                Self::Broken if at == middle => {
                    truth.broken_lines += 1;
                    lost = Some(at);
                    bytes.extend_from_slice(&text[..text.len().min(37)]);
                    bytes.push(b'\n');
                }
                // Cut before anything that could be taken for an entry of its own.
                Self::Glued if at == middle && at + 1 < lines.len() => {
                    truth.glued_lines += 1;
                    lost = Some(at);
                    newlines -= 1;
                    let end = dice.between(10, text.len().min(70));
                    bytes.extend_from_slice(&text[..end]);
                }
                _ => {
                    let end: &[u8] = if self == Self::Crlf { b"\r\n" } else { b"\n" };
                    bytes.extend_from_slice(text);
                    bytes.extend_from_slice(end);
                }
            }
        }
        if let (Self::CutEnd, Some(last)) = (self, lines.last()) {
            lost = Some(lines.len() - 1);
            let missing = dice.between(10, last.text.len().min(400) - 5);
            bytes.truncate(bytes.len() - missing);
        }
        Written {
            bytes,
            lines: newlines,
            lost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_damage_comes_once() {
        for every in [8, 11, 50] {
            let all: Vec<_> = (0..every).map(|at| Damage::of(at, Some(every))).collect();
            for kind in [Damage::Crlf, Damage::CutEnd, Damage::Broken, Damage::Glued] {
                let count = all.iter().filter(|damage| **damage == kind).count();
                assert_eq!(count, 1, "{kind:?} among {every}");
            }
        }
    }
}
