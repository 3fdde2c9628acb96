use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Action {
    Push(usize),
    /// Drops this share of what is kept.
    Drop(f64),
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        3 => (0..300_usize).prop_map(Action::Push),
        2 => (0.0..1.2).prop_map(Action::Drop),
    ]
}

fn read_all(spool: &Spool, mut offset: u64) -> Vec<u8> {
    let mut read = Vec::new();
    loop {
        let piece = spool.read(offset, 7_000).unwrap();
        if piece.is_empty() {
            return read;
        }
        offset += piece.len() as u64;
        read.extend_from_slice(&piece);
    }
}

proptest! {
    #[test]
    fn output_is_read_from_every_offset(actions in proptest::collection::vec(action(), 1..60)) {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::new(folder.path().join("x.spool"), 200, 600);
        let (mut all, mut first) = (Vec::new(), 0);
        for action in actions {
            match action {
                Action::Push(count) if spool.has_room() => {
                    let bytes: Vec<u8> = (all.len()..all.len() + count).map(|n| (n % 251) as u8).collect();
                    spool.push(&bytes).unwrap();
                    all.extend(bytes);
                }
                Action::Push(_) => {}
                Action::Drop(share) => {
                    let kept = (all.len() - first) as f64;
                    let offset = first + (kept * share) as usize;
                    spool.drop_to(offset as u64).unwrap();
                    first = offset.min(all.len());
                }
            }
            prop_assert_eq!((spool.first(), spool.end()), (first as u64, all.len() as u64));
            let step = (all.len() - first) / 9 + 1;
            for offset in (first..=all.len()).step_by(step) {
                prop_assert!(read_all(&spool, offset as u64) == all[offset..]);
            }
            // A file is never larger than its limit and one piece, and never has a name.
            let file = spool.file.as_ref().map_or(0, |file| file.length);
            prop_assert!(file < 900 && spool.memory.len() <= 200);
            prop_assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        // Whatever happened, there is room once everything is stored.
        spool.drop_to(u64::MAX).unwrap();
        prop_assert!(spool.has_room() && spool.file.is_none());
    }
}

#[test]
fn a_full_spool_has_room_when_half_of_it_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let mut spool = Spool::new(folder.path().join("x.spool"), 0, 100);
    spool.push(&[1; 100]).unwrap();
    assert!(!spool.has_room());
    spool.drop_to(49).unwrap();
    assert!(!spool.has_room());
    spool.drop_to(51).unwrap();
    assert!(spool.has_room());
}

#[test]
fn nothing_is_added_if_the_file_cannot_be_created() {
    let mut spool = Spool::new("/nowhere/x.spool".into(), 10, 100);
    spool.push(&[1; 10]).unwrap();
    assert!(spool.push(&[2; 10]).is_err());
    assert_eq!(spool.end(), 10);
    spool.drop_to(10).unwrap();
    spool.push(&[2; 10]).unwrap();
    assert_eq!(spool.read(10, 99).unwrap(), [2; 10][..]);
}

#[test]
fn only_the_user_can_read_the_file() {
    use std::os::unix::fs::MetadataExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.spool");
    // A killed holder has left it.
    fs::write(&path, "old").unwrap();
    let file = create(&path).unwrap();
    assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o600);
    assert_eq!(file.metadata().unwrap().len(), 0);
}
