//! The lines of a tool's output, each cut into tokens once.

use super::blocks;
use super::exhibits;
use super::glance;
use super::numbers::Notation;
use super::refusals;
use super::screen::Screen;
use super::sources;
use super::statistics;
use super::tokens::{self, Token};

/// A line with its tokens.
#[derive(Debug)]
pub(super) struct PageLine<'a> {
    /// Without the space around it.
    pub(super) text: &'a str,
    /// None when a glance tells that the line has nothing to count.
    pub(super) tokens: Vec<Token<'a>>,
    /// How far it is indented.
    pub(super) indent: usize,
    pub(super) redrawn: bool,
    /// It shows source, a hit of a search, an old log: it is not read.
    pub(super) shown: bool,
    /// It has a date and may be old, unless it goes on from line to line.
    pub(super) may_be_old: bool,
}

/// The output of a tool.
#[derive(Debug)]
pub(super) struct Page<'a> {
    pub(super) lines: Vec<PageLine<'a>>,
    screen: &'a Screen,
}

impl<'a> Page<'a> {
    pub(super) fn of(screen: &'a Screen, notation: Notation) -> Self {
        let texts: Vec<&str> = screen.lines.iter().map(|line| line.text.trim()).collect();
        let texts = sources::without_sources(&texts);
        let mut in_block = blocks::shown(&texts);
        let raw: Vec<&str> = screen.lines.iter().map(|line| line.text.as_str()).collect();
        let others = [
            exhibits::explained(&raw),
            exhibits::quoted(&texts),
            exhibits::listed_tests(&texts),
        ];
        for other in others {
            for (shown, also) in in_block.iter_mut().zip(other) {
                *shown |= also;
            }
        }
        let lines = screen.lines.iter().zip(texts).zip(in_block);
        let lines = lines.map(|((line, text), in_block)| {
            let counts = glance::may_report(text);
            PageLine {
                text,
                tokens: if counts {
                    tokens::tokens(text, notation)
                } else {
                    Vec::new()
                },
                indent: line.text.len() - line.text.trim_start().len(),
                redrawn: line.redrawn,
                may_be_old: counts && refusals::may_be_old(text),
                shown: in_block || (counts && refusals::shows_something_else(text)),
            }
        });
        let mut lines: Vec<PageLine<'_>> = lines.collect();
        let statistics = statistics::shown(&lines);
        for (line, shown) in lines.iter_mut().zip(statistics) {
            line.shown |= shown;
        }
        Self { lines, screen }
    }

    /// The lines that are read, with their places.
    pub(super) fn read(&self) -> impl DoubleEndedIterator<Item = (usize, &PageLine<'a>)> {
        self.lines
            .iter()
            .enumerate()
            .filter(|(_, line)| !line.shown && !line.may_be_old)
    }

    /// The last line for which `test` gives something.
    pub(super) fn last<T>(&self, test: impl Fn(&PageLine<'a>) -> Option<T>) -> Option<(usize, T)> {
        self.read()
            .rev()
            .find_map(|(at, line)| Some((at, test(line)?)))
    }

    /// The lines from one on, without reaching across a gap.
    pub(super) fn between(&self, from: usize, to: usize) -> &[PageLine<'a>] {
        let from = from.max(self.screen.unbroken_from(to.saturating_sub(1)));
        self.lines
            .get(from..to.min(self.lines.len()))
            .unwrap_or(&[])
    }

    /// Nothing was left out between the two lines.
    pub(super) fn unbroken(&self, from: usize, to: usize) -> bool {
        self.screen.unbroken_from(to) <= from
    }
}
