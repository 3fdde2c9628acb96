//! To-do lists of agents.

use std::collections::{BTreeMap, HashMap};

use rusty_claw_protocol::tool::{TaskEntry, TaskStatus as State, TodoWriteInput};
use serde::{Deserialize, Serialize};

use super::limits::{ITEMS, LISTS, POINTS, shortened};
use crate::event::{Lane, ProgressSource, ProgressUpdate, Regression, WorkKind};
use crate::ui_message::{TaskStatus, TodoItem, TodoStatus};

/// The subject of a list that is rewritten as a whole: one in each lane.
const WRITTEN: &str = "todo";

/// The subject of the list whose items have ids: one for the whole session.
const NUMBERED: &str = "tasks";

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Lists {
    /// Lists that are rewritten as a whole, by lane.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    written: BTreeMap<String, List>,
    #[serde(default, skip_serializing_if = "List::is_empty")]
    numbered: List,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct List {
    points: Vec<Point>,
    /// The turn in which it was last written.
    turn: u64,
    /// Items that are only counted.
    #[serde(default, skip_serializing_if = "crate::is_default::is_default")]
    beyond: Beyond,
}

/// The counts of items beyond the limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Beyond {
    done: usize,
    total: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Point {
    /// The id; empty if the item is identified by its text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    id: String,
    text: String,
    /// The label while the item is in progress.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    active: String,
    status: TodoStatus,
}

/// An update, and the reason if it goes back.
pub(super) type News = (ProgressUpdate, Option<Regression>);

impl Lists {
    /// Whether a list reports the progress of a lane: it has open items, or was written in this
    /// turn.
    pub(super) fn counts(&self, lane: &Lane, turn: u64) -> bool {
        let counts = |list: &List| {
            !list.points.is_empty() && (list.turn == turn || list.done() < list.total())
        };
        self.written.get(lane.id()).is_some_and(counts)
            || (lane.is_main() && counts(&self.numbered))
    }

    pub(super) fn written(&mut self, lane: Lane, list: TodoWriteInput, turn: u64) -> News {
        let points = list.todos.into_iter().filter_map(|item| {
            Some(Point {
                id: String::new(),
                text: shortened(item.content),
                active: shortened(item.active_form),
                status: status(&item.status)?,
            })
        });
        let mut list = List {
            points: points.collect(),
            turn,
            beyond: Beyond::default(),
        };
        let before = self.written.remove(lane.id()).unwrap_or_default();
        let why = why(&before, &list);
        let update = list.update(WRITTEN).in_lane(lane);
        if !list.points.is_empty() {
            list.limit(ITEMS);
            let id = update.lane.id().to_owned();
            self.written.insert(id, list);
            self.limit();
        }
        (update, why)
    }

    pub(super) fn lane_ended(&mut self, lane: &Lane) {
        self.written.remove(lane.id());
    }

    pub(super) fn process_ended(&mut self) {
        self.written.retain(|lane, _| lane == Lane::main().id());
    }

    fn limit(&mut self) {
        let main = Lane::main();
        let lists = self.written.iter().filter(|(lane, _)| *lane != main.id());
        if lists.clone().count() > LISTS
            && let Some((lane, _)) = lists.min_by_key(|(_, list)| list.turn)
        {
            let lane = lane.clone();
            self.written.remove(&lane);
        }
    }

    pub(super) fn created(&mut self, id: String, text: String, active: String, turn: u64) -> News {
        self.changed(turn, |list| {
            list.points.retain(|point| point.id != id);
            list.points.push(Point {
                id,
                text: shortened(text),
                active: shortened(active),
                status: TodoStatus::Pending,
            });
        })
    }

    /// Changes or removes an item. Returns `None` if the item is unknown, because the total is then
    /// unknown, too.
    pub(super) fn updated(
        &mut self,
        id: &str,
        text: Option<String>,
        active: Option<String>,
        state: Option<&str>,
        turn: u64,
    ) -> Option<News> {
        let state = state.map(State::from);
        self.numbered.points.iter().find(|point| point.id == id)?;
        Some(self.changed(turn, |list| {
            let points = &mut list.points;
            if state.as_ref().is_some_and(|state| status(state).is_none()) {
                points.retain(|point| point.id != id);
            }
            for point in points.iter_mut().filter(|point| point.id == id) {
                if let Some(text) = &text {
                    point.text = shortened(text.clone());
                }
                if let Some(active) = &active {
                    point.active = shortened(active.clone());
                }
                if let Some(status) = state.as_ref().and_then(status) {
                    point.status = status;
                }
            }
        }))
    }

    /// Replaces the items by a complete listing.
    pub(super) fn listed(&mut self, entries: Vec<TaskEntry>, turn: u64) -> Option<News> {
        if entries.is_empty() && self.numbered.points.is_empty() {
            return None;
        }
        Some(self.changed(turn, |list| {
            let before = std::mem::take(list).points;
            list.points.extend(entries.into_iter().filter_map(|entry| {
                let id = String::from(entry.id);
                let known = before.iter().find(|point| point.id == id);
                Some(Point {
                    active: known.map_or_else(String::new, |point| point.active.clone()),
                    text: shortened(entry.subject),
                    status: status(&entry.status)?,
                    id,
                })
            }));
        }))
    }

    fn changed(&mut self, turn: u64, change: impl FnOnce(&mut List)) -> News {
        let before = self.numbered.clone();
        change(&mut self.numbered);
        self.numbered.turn = turn;
        let why = why(&before, &self.numbered);
        let update = self.numbered.update(NUMBERED);
        self.numbered.limit(POINTS);
        (update, why)
    }
}

impl List {
    fn is_empty(&self) -> bool {
        self.points.is_empty() && self.beyond.total == 0
    }

    fn total(&self) -> usize {
        self.points.len() + self.beyond.total
    }

    fn done(&self) -> usize {
        self.points.iter().filter(|point| point.is_done()).count() + self.beyond.done
    }

    /// Drops items above the limit: completed ones first, then the last ones. They stay counted,
    /// but a change to a dropped item is missed until the list is shown or written again.
    fn limit(&mut self, most: usize) {
        for gone in leave(most, &mut self.points, Point::is_done) {
            self.beyond.total += 1;
            self.beyond.done += usize::from(gone.is_done());
        }
    }

    fn update(&self, subject: &str) -> ProgressUpdate {
        let update = ProgressUpdate::new(subject, WorkKind::Checklist, ProgressSource::Todo);
        let points = &self.points;
        let is_at = |point: &&Point| point.status == TodoStatus::InProgress;
        let is_open = |point: &&Point| !point.is_done();
        let at = points.iter().find(is_at);
        let next = at.or_else(|| points.iter().find(is_open));
        let Some(next) = next.or(points.last()) else {
            // The list was cleared; its last numbers are kept.
            return update.state(TaskStatus::Stopped);
        };
        let mut update =
            update
                .counted(self.done(), self.total())
                .label(match next.active.as_str() {
                    active if !active.is_empty() && next.status == TodoStatus::InProgress => active,
                    _ => &next.text,
                });
        if self.done() == self.total() {
            update.state = TaskStatus::Completed;
        }
        update.items = points
            .iter()
            .map(|point| TodoItem {
                text: point.text.clone(),
                status: point.status.clone(),
            })
            .collect();
        let is_done = |item: &TodoItem| item.status == TodoStatus::Completed;
        leave(ITEMS, &mut update.items, is_done);
        update.left_out = (self.total() - update.items.len()) as u64;
        update
    }
}

impl Point {
    fn name(&self) -> &str {
        match self.id.as_str() {
            "" => &self.text,
            id => id,
        }
    }

    fn is_done(&self) -> bool {
        self.status == TodoStatus::Completed
    }
}

/// The status of an item; `None` if it was deleted.
fn status(state: &State) -> Option<TodoStatus> {
    Some(match state {
        State::Pending => TodoStatus::Pending,
        State::InProgress => TodoStatus::InProgress,
        State::Completed => TodoStatus::Completed,
        State::Deleted => return None,
        other => TodoStatus::from(other.as_str()),
    })
}

/// Removes items above the limit: completed ones first, then the last ones. The others keep their
/// order. Returns the removed items.
fn leave<T>(most: usize, points: &mut Vec<T>, is_done: impl Fn(&T) -> bool) -> Vec<T> {
    let mut excess = points.len().saturating_sub(most);
    let gone = points.extract_if(.., |point| {
        let goes = excess > 0 && is_done(point);
        excess -= usize::from(goes);
        goes
    });
    let mut gone: Vec<T> = gone.collect();
    if points.len() > most {
        gone.extend(points.drain(most..));
    }
    gone
}

fn why(was: &List, is: &List) -> Option<Regression> {
    let (before, now) = (&was.points, &is.points);
    let mut names = HashMap::new();
    for point in now {
        names.entry(point.name()).or_insert(point);
    }
    let find = |point: &Point| names.get(point.name());
    let left = before.iter().filter(|point| find(point).is_some()).count();
    let was_done = || before.iter().filter(|point| point.is_done());
    if before.is_empty() {
        None
    } else if left * 2 < before.len() {
        Some(Regression::ListReplaced)
    } else if was_done().any(|point| find(point).is_some_and(|now| !now.is_done())) {
        Some(Regression::Reopened)
    } else if was_done().any(|point| find(point).is_none()) {
        Some(Regression::ListShrank)
    } else if is.total() > was.total() || (now.len() > left && was.beyond.total == 0) {
        Some(Regression::ListGrew)
    } else {
        None
    }
}
