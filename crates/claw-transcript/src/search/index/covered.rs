//! What an index leaves to be searched.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::grams::{self, Place, Stored};
use super::path_id;
use super::record::{self, Part, Records, Stamp};
use crate::files::SessionFile;
use crate::search::SearchRole;
use crate::search::scan::{Question, Region};
use crate::search::tasks::{self, Task};

/// What is left to search when an index says where nothing can be.
pub(in crate::search) fn tasks(
    index: &Path,
    files: &[Arc<SessionFile>],
    question: &Question,
) -> Vec<Task> {
    let numbers = files.iter().enumerate();
    let numbers: HashMap<u64, usize> = numbers
        .map(|(at, file)| (path_id(&file.path), at))
        .collect();
    let wanted = Wanted::of(question);
    let mut covered: HashMap<usize, Covered> = HashMap::new();
    let mut records = Records::open(index);
    while let Some(mut payload) = records.as_mut().and_then(Records::next) {
        let Some(part) = Part::read(&mut payload) else {
            continue;
        };
        let Some(at) = numbers.get(&part.path) else {
            continue;
        };
        if part.start == 0 {
            covered.insert(*at, Covered::default());
        }
        if let Some(file) = covered.get_mut(at)
            && file.end == part.start
            && file.add(part, payload, &wanted).is_none()
        {
            covered.remove(at);
        }
    }
    let mut tasks = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let known = covered
            .remove(&at)
            .and_then(|covered| covered.checked(file));
        match known {
            Some((regions, stamp)) => tasks.push(Task {
                file: at,
                regions,
                known: Some(stamp),
            }),
            None => tasks::whole_file(at, file, &mut tasks),
        }
    }
    tasks
}

/// What must be in a block.
struct Wanted {
    /// All places of one of these.
    any: Vec<Vec<Place>>,
    said: bool,
    attached: bool,
}

impl Wanted {
    fn of(question: &Question) -> Self {
        let required = question.pattern.required.iter();
        let places = required.map(|texts| {
            let places = texts.iter().flat_map(|needle| grams::places(&needle.text));
            places.collect()
        });
        let any: Vec<Vec<Place>> = places.collect();
        let roles = SearchRole::ALL
            .iter()
            .filter(|role| question.roles.has(**role));
        Self {
            // Nothing known means that anything may match.
            any: if any.is_empty() {
                vec![Vec::new()]
            } else {
                any
            },
            said: roles.clone().any(|role| *role != SearchRole::Attachment),
            attached: roles.clone().any(|role| *role == SearchRole::Attachment),
        }
    }

    fn may_be_in(&self, said: Stored<'_>, attached: Stored<'_>) -> bool {
        self.any.iter().any(|places| {
            (self.said && said.has_all(places)) || (self.attached && attached.has_all(places))
        })
    }
}

/// What an index knows of a file.
#[derive(Default)]
struct Covered {
    regions: Vec<Region>,
    end: u64,
    lines: u64,
    last: Option<Part>,
}

impl Covered {
    /// Adds the blocks of a part; `None` when they are not what the part says.
    fn add(&mut self, part: Part, mut blocks: &[u8], wanted: &Wanted) -> Option<()> {
        for _ in 0..record::take_u32(&mut blocks)? {
            let bytes = record::take_u64(&mut blocks)?;
            let lines = record::take_u64(&mut blocks)?;
            let said = Stored::read(&mut blocks)?;
            let attached = Stored::read(&mut blocks)?;
            let end = self.end.checked_add(bytes)?;
            if wanted.may_be_in(said, attached) {
                match self.regions.last_mut() {
                    Some(last) if last.bytes.end == self.end => last.bytes.end = end,
                    _ => self.regions.push(Region {
                        bytes: self.end..end,
                        first_line: Some(self.lines),
                    }),
                }
            }
            (self.end, self.lines) = (end, self.lines.checked_add(lines)?);
        }
        let fits = (self.end, self.lines) == (part.end, part.lines);
        self.last = Some(part);
        fits.then_some(())
    }

    /// What is to be searched, when the file is still the one that was read. A file that was
    /// written to is searched whole: to tell what changed it would have to be read anyway.
    fn checked(mut self, file: &SessionFile) -> Option<(Vec<Region>, Stamp)> {
        let last = self.last.filter(|last| last.is_fresh(&file.path))?;
        if last.stamp.has_more_than(self.end) {
            self.regions.push(Region {
                // Half a line.
                bytes: self.end..u64::MAX,
                first_line: Some(self.lines),
            });
        }
        Some((self.regions, last.stamp))
    }
}
