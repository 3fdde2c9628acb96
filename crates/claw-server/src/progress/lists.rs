//! The lists that agents keep for themselves.

use std::collections::BTreeMap;

use rusty_claw_protocol::tool::{TaskEntry, TaskStatus as State, TodoWriteInput};
use serde::{Deserialize, Serialize};

use crate::event::{Lane, ProgressSource, ProgressUpdate, Regression, WorkKind};
use crate::ui_message::{TaskStatus, TodoItem, TodoStatus};

/// A list that is written whole: one in each lane.
const WRITTEN: &str = "todo";

/// A list whose points have ids: one for the whole session.
const NUMBERED: &str = "tasks";

/// All lists of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Lists {
    /// The lists that are written whole, by lane.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    written: BTreeMap<String, List>,
    #[serde(default, skip_serializing_if = "List::is_empty")]
    numbered: List,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct List {
    points: Vec<Point>,
    /// In which turn it was last written.
    turn: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Point {
    /// What names it: its id, or what is to be done.
    id: String,
    text: String,
    /// What is shown while the agent is at it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    active: String,
    status: TodoStatus,
}

/// An update, and why it goes back if it does.
pub(super) type News = (ProgressUpdate, Option<Regression>);

impl Lists {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a list says how far the work of a lane is: it has points that are open, or was
    /// written in this turn.
    pub(super) fn counts(&self, lane: &Lane, turn: u64) -> bool {
        let counts = |list: &List| {
            !list.points.is_empty()
                && (list.turn == turn || !list.points.iter().all(Point::is_done))
        };
        self.written.get(lane.id()).is_some_and(counts)
            || (lane.is_main() && counts(&self.numbered))
    }

    /// A call writes a list whole.
    pub(super) fn written(&mut self, lane: Lane, list: TodoWriteInput, turn: u64) -> News {
        let points = list.todos.into_iter().filter_map(|item| {
            Some(Point {
                id: item.content.clone(),
                text: item.content,
                active: item.active_form,
                status: status(&item.status)?,
            })
        });
        let points: Vec<Point> = points.collect();
        let before = self.written.remove(lane.id()).unwrap_or_default();
        let why = why(&before.points, &points);
        let update = update(WRITTEN, &points).in_lane(lane);
        if !points.is_empty() {
            let id = update.lane.id().to_owned();
            self.written.insert(id, List { points, turn });
        }
        (update, why)
    }

    /// A point was put on the list.
    pub(super) fn created(&mut self, id: String, text: String, active: String, turn: u64) -> News {
        self.changed(turn, |points| {
            points.retain(|point| point.id != id);
            points.push(Point {
                id,
                text,
                active,
                status: TodoStatus::Pending,
            });
        })
    }

    /// A point was changed, or taken from the list. Of a point that nobody saw come, nothing
    /// follows: how many there are is not known.
    pub(super) fn updated(
        &mut self,
        id: &str,
        text: Option<String>,
        active: Option<String>,
        state: Option<&State>,
        turn: u64,
    ) -> Option<News> {
        self.numbered.points.iter().find(|point| point.id == id)?;
        Some(self.changed(turn, |points| {
            if state.is_some_and(|state| status(state).is_none()) {
                points.retain(|point| point.id != id);
            }
            for point in points.iter_mut().filter(|point| point.id == id) {
                point.text = text.clone().unwrap_or_else(|| point.text.clone());
                point.active = active.clone().unwrap_or_else(|| point.active.clone());
                if let Some(status) = state.and_then(status) {
                    point.status = status;
                }
            }
        }))
    }

    /// The whole list was shown.
    pub(super) fn listed(&mut self, entries: Vec<TaskEntry>, turn: u64) -> Option<News> {
        if entries.is_empty() && self.numbered.points.is_empty() {
            return None;
        }
        Some(self.changed(turn, |points| {
            let before = std::mem::take(points);
            points.extend(entries.into_iter().filter_map(|entry| {
                let id = String::from(entry.id);
                let known = before.iter().find(|point| point.id == id);
                Some(Point {
                    active: known.map_or_else(String::new, |point| point.active.clone()),
                    text: entry.subject,
                    status: status(&entry.status)?,
                    id,
                })
            }));
        }))
    }

    fn changed(&mut self, turn: u64, change: impl FnOnce(&mut Vec<Point>)) -> News {
        let before = self.numbered.points.clone();
        change(&mut self.numbered.points);
        self.numbered.turn = turn;
        let points = &self.numbered.points;
        (update(NUMBERED, points), why(&before, points))
    }
}

impl List {
    fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}

impl Point {
    fn is_done(&self) -> bool {
        self.status == TodoStatus::Completed
    }
}

/// Where a point is; nothing when it is gone.
fn status(state: &State) -> Option<TodoStatus> {
    Some(match state {
        State::Pending => TodoStatus::Pending,
        State::InProgress => TodoStatus::InProgress,
        State::Completed => TodoStatus::Completed,
        State::Deleted => return None,
        other => TodoStatus::from(other.as_str()),
    })
}

fn update(subject: &str, points: &[Point]) -> ProgressUpdate {
    let update = ProgressUpdate::new(subject, WorkKind::Checklist, ProgressSource::Todo);
    let done = points.iter().filter(|point| point.is_done()).count();
    let is_at = |point: &&Point| point.status == TodoStatus::InProgress;
    let is_open = |point: &&Point| !point.is_done();
    let at = points.iter().find(is_at);
    let next = at.or_else(|| points.iter().find(is_open));
    let Some(next) = next.or(points.last()) else {
        // The list was put away; how far it was is known.
        return update.state(TaskStatus::Stopped);
    };
    let mut update = update
        .counted(done, points.len())
        .label(match next.active.as_str() {
            active if !active.is_empty() && next.status == TodoStatus::InProgress => active,
            _ => &next.text,
        });
    if done == points.len() {
        update.state = TaskStatus::Completed;
    }
    update.items = points
        .iter()
        .map(|point| TodoItem {
            text: point.text.clone(),
            status: point.status.clone(),
        })
        .collect();
    update
}

/// What happened to a list, should it be less far than it was.
fn why(before: &[Point], now: &[Point]) -> Option<Regression> {
    let find = |point: &Point| now.iter().find(|other| other.id == point.id);
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
    } else if now.len() > left {
        Some(Regression::ListGrew)
    } else {
        None
    }
}
