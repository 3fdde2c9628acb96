//! A disk that is full, by a small file system in memory.

use std::path::{Path, PathBuf};
use std::process::Command;

use bytes::Bytes;
use claw_store::{Batch, Directory as _, DurabilityLevel, Log as _, Store as _, StoreError};
use tempfile::TempDir;

use super::fixture::{append, open, owned, read_all};

/// A file system of a size. Mounting it needs root.
struct SmallDisk {
    dir: TempDir,
}

impl SmallDisk {
    fn mount(size: &str) -> Self {
        let dir = TempDir::new().unwrap();
        let options = format!("size={size}");
        run(
            "mount",
            &["-t", "tmpfs", "-o", &options, "tmpfs"],
            dir.path(),
        );
        Self { dir }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        run("umount", &["-l"], self.dir.path());
    }
}

fn run(program: &str, args: &[&str], path: &Path) {
    let run = |first: &str, rest: &[&str]| {
        let mut command = Command::new(first);
        command.args(rest).args(args).arg(path).output().unwrap()
    };
    let mut output = run(program, &[]);
    if !output.status.success() {
        output = run("sudo", &["-n", program]);
    }
    assert!(output.status.success(), "{program} needs root: {output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn full_disk_refuses_writes_and_serves_reads_until_there_is_space() {
    let disk = SmallDisk::mount("8m");
    let store = open(&disk.file("store.db")).await;
    let (key, claim) = owned(&store).await;
    append(&store, &claim, 0, 10).await;
    let (other, small) = owned(&store).await;
    let filler = disk.file("filler");
    std::fs::write(&filler, vec![0; 4 << 20]).unwrap();

    let large = Batch::from(vec![Bytes::from(vec![1; 256 * 1024])]);
    let mut last = 10;
    let full = loop {
        match store.append(&claim, last, &large).await {
            Ok(appended) => last = appended.last,
            Err(error) => break error,
        }
        assert!(last < 100, "the disk does not fill");
    };
    assert!(matches!(full, StoreError::Full { .. }), "{full:?}");
    assert_eq!(store.append(&claim, last, &large).await, Err(full));
    assert_eq!(read_all(&store, &key).await.len() as u64, last);
    assert_eq!(store.get(&key).await.unwrap().last, last);
    // Waits in the same group as one that does not fit.
    let tiny = Batch::from(vec![Bytes::from_static(b"tiny")]);
    let (large_result, small_result) = tokio::join!(
        store.append(&claim, last, &large),
        store.append(&small, 0, &tiny),
    );
    assert!(matches!(large_result, Err(StoreError::Full { .. })));
    let small_last = match small_result {
        Ok(appended) => appended.last,
        Err(error) => {
            assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
            0
        }
    };
    assert_eq!(read_all(&store, &other).await.len() as u64, small_last);

    std::fs::remove_file(filler).unwrap();
    store.append(&claim, last, &large).await.unwrap();
    assert_eq!(read_all(&store, &key).await.len() as u64, last + 1);
    assert_eq!(
        store.durability().await.level,
        DurabilityLevel::ProcessCrash
    );
}
