//! Tests of stored subjects and reported updates.

use super::*;

fn tests(done: u32, total: u32) -> ProgressUpdate {
    ProgressUpdate::new("tests", WorkKind::TestRun, ProgressSource::Prose).counted(done, total)
}

fn taken(subjects: &mut Subjects, at_ms: i64, update: ProgressUpdate) -> ProgressUpdate {
    subjects.take(at_ms, update, None).expect("it is news")
}

#[test]
fn a_rate_needs_two_events_that_are_apart() {
    let mut subjects = Subjects::default();
    assert_eq!(taken(&mut subjects, 0, tests(5, 20)).per_minute, None);
    assert_eq!(taken(&mut subjects, 999, tests(6, 20)).per_minute, None);
    let update = taken(&mut subjects, 60_000, tests(10, 20));
    assert_eq!(update.per_minute, Amount::new(5.0));
    assert_eq!(update.left_ms, Some(120_000));
    // The rate is that of the whole run, so one slow test changes it little.
    let update = taken(&mut subjects, 120_000, tests(15, 20));
    assert_eq!(
        (update.per_minute, update.left_ms),
        (Amount::new(5.0), Some(60_000))
    );
    let over = tests(20, 20).state(TaskStatus::Completed);
    assert_eq!(taken(&mut subjects, 180_000, over).left_ms, None);
}

#[test]
fn a_clock_that_goes_back_is_no_basis() {
    let mut subjects = Subjects::default();
    taken(&mut subjects, i64::MAX, tests(5, 20));
    let update = taken(&mut subjects, i64::MIN, tests(6, 20));
    assert_eq!((update.per_minute, update.left_ms), (None, None));
}

#[test]
fn what_says_nothing_new_is_no_update() {
    let mut subjects = Subjects::default();
    taken(&mut subjects, 0, tests(5, 20));
    assert_eq!(subjects.take(9, tests(5, 20), None), None);
}

#[test]
fn nothing_goes_back_without_a_reason() {
    let after = |now: ProgressUpdate, turn_ends: bool| {
        let mut subjects = Subjects::default();
        taken(&mut subjects, 0, tests(5, 20));
        if turn_ends {
            subjects.turn_ended();
        }
        taken(&mut subjects, 60_000, now).regression
    };
    assert_eq!(after(tests(6, 20), false), None);
    assert_eq!(after(tests(1, 20), false), Some(Regression::Restarted));
    assert_eq!(after(tests(5, 40), false), Some(Regression::ListGrew));
    assert_eq!(after(tests(1, 3), false), Some(Regression::NewRun));
    assert_eq!(after(tests(1, 20), true), Some(Regression::TurnEnded));
    let mut other = tests(1, 20);
    other.source = ProgressSource::ToolOutput;
    assert_eq!(after(other, false), Some(Regression::SourceChanged));
    let mut subjects = Subjects::default();
    taken(&mut subjects, 0, tests(20, 20).state(TaskStatus::Completed));
    let again = taken(&mut subjects, 1, tests(20, 20));
    assert_eq!(again.regression, Some(Regression::NewRun));
}

#[test]
fn only_so_many_that_are_over_are_remembered_and_all_that_run() {
    let mut subjects = Subjects::default();
    for number in 0..100 {
        let subject = format!("hook/{number}");
        let update = ProgressUpdate::new(subject.clone(), WorkKind::Hook, ProgressSource::Hook);
        taken(&mut subjects, 0, update.clone());
        if number >= 10 {
            taken(&mut subjects, 0, update.state(TaskStatus::Completed));
        }
    }
    assert_eq!(subjects.known.len(), 10 + REMEMBERED);
    assert!(subjects.last("main", "hook/99").is_some());
    assert!(subjects.last("main", "hook/11").is_none());
}

#[test]
fn a_subagent_that_is_taken_up_again_says_so_whatever_ran_meanwhile() {
    let mut subjects = Subjects::default();
    let agent = |uses: u64, state: TaskStatus| {
        let kind = WorkKind::Subagent;
        let mut update = ProgressUpdate::new("task/a1", kind, ProgressSource::TaskEvent);
        update.tool_uses = Some(uses);
        update.state(state)
    };
    taken(&mut subjects, 0, agent(50, TaskStatus::Completed));
    for number in 0..10 * REMEMBERED {
        let name = format!("hook/h{number}");
        let hook = ProgressUpdate::new(name, WorkKind::Hook, ProgressSource::Hook);
        taken(&mut subjects, 0, hook.state(TaskStatus::Completed));
    }
    assert!(subjects.known.len() <= REMEMBERED + 1);
    let again = taken(&mut subjects, 0, agent(1, TaskStatus::Running));
    assert_eq!(again.regression, Some(Regression::NewRun));
}
