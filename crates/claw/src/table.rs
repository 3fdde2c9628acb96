//! Tables for people.

use anstyle::Style;
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table as Grid, presets};

use crate::printer::style;

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// Text.
    Left(&'static str),
    /// Numbers.
    Right(&'static str),
}

/// A table without borders, so that it can be copied, cut and read aloud.
pub(crate) struct Table {
    grid: Grid,
    columns: Vec<Column>,
    /// Whether the last row sums up the others.
    summed: bool,
}

impl Table {
    pub(crate) fn new(columns: &[Column]) -> Self {
        let mut grid = Grid::new();
        grid.load_style(presets::NOTHING);
        grid.set_content_arrangement(ContentArrangement::Disabled);
        grid.set_header(columns.iter().map(|column| match column {
            Column::Left(title) => Cell::new(title),
            Column::Right(title) => Cell::new(title).set_alignment(CellAlignment::Right),
        }));
        Self {
            grid,
            columns: columns.to_vec(),
            summed: false,
        }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells = cells.into_iter().zip(&self.columns);
        self.grid.add_row(cells.map(|(text, column)| match column {
            Column::Left(_) => Cell::new(one_line(&text)),
            Column::Right(_) => Cell::new(one_line(&text)).set_alignment(CellAlignment::Right),
        }));
    }

    /// Adds the last row, which sums up the others.
    pub(crate) fn sum(&mut self, cells: impl IntoIterator<Item = String>) {
        self.row(cells);
        self.summed = true;
    }
}

/// The width of the terminal, if standard output is one.
pub(crate) fn terminal_width() -> Option<usize> {
    Grid::new().width().map(usize::from)
}

/// Names come from files and must not control the terminal.
fn one_line(text: &str) -> String {
    text.chars().filter(|c| !crate::words::steers(*c)).collect()
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lines: Vec<String> = self.grid.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let look = match at {
                0 => style::FAINT,
                _ if self.summed && at + 1 == lines.len() => style::TITLE,
                _ => Style::new(),
            };
            writeln!(f, "{look}{}{look:#}", line.trim_end())?;
        }
        Ok(())
    }
}
