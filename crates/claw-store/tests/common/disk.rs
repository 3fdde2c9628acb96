//! A disk whose power can be cut.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A file system in a file. Cutting its power loses everything that was not synced.
///
/// Needs root, for loop devices.
#[derive(Debug)]
pub(crate) struct LoopDisk {
    folder: tempfile::TempDir,
    cuts: u32,
}

impl LoopDisk {
    /// Makes an empty disk.
    pub(crate) fn new(megabytes: u64) -> io::Result<Self> {
        let disk = Self {
            folder: tempfile::tempdir()?,
            cuts: 0,
        };
        std::fs::create_dir(disk.path())?;
        let image = std::fs::File::create(disk.image())?;
        image.set_len(megabytes * 1024 * 1024)?;
        run(Command::new("mkfs.ext4")
            .args(["-q", "-F"])
            .arg(disk.image()))?;
        disk.mount()?;
        Ok(disk)
    }

    /// Returns the folder of the disk.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("disk")
    }

    /// Cuts the power: continues with what was synced. The processes that use the disk must have
    /// been killed.
    pub(crate) fn cut(&mut self) -> io::Result<()> {
        let before = self.image();
        self.cuts += 1;
        // Unmounting writes what was not synced, but only to the image that is thrown away.
        run(Command::new("cp")
            .arg("--sparse=always")
            .arg(&before)
            .arg(self.image()))?;
        unmount(&self.path())?;
        std::fs::remove_file(before)?;
        self.mount()
    }

    fn image(&self) -> PathBuf {
        self.folder.path().join(format!("image-{}", self.cuts))
    }

    fn mount(&self) -> io::Result<()> {
        run(Command::new("mount")
            .args(["-o", "loop"])
            .arg(self.image())
            .arg(self.path()))
    }
}

impl Drop for LoopDisk {
    fn drop(&mut self) {
        // The folder cannot be deleted while it is mounted.
        if let Err(error) = unmount(&self.path()) {
            eprintln!("{} stays mounted: {error}", self.path().display());
        }
    }
}

/// Unmounts, also if a process that was killed still holds a file for a moment.
fn unmount(path: &Path) -> io::Result<()> {
    run(Command::new("umount").arg(path))
        .or_else(|_| run(Command::new("umount").arg("-l").arg(path)))
}

fn run(command: &mut Command) -> io::Result<()> {
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let reason = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!(
        "{command:?} failed, root is needed: {reason}"
    )))
}
