//! The generator, the laws and the scripted CLI of the server crate's tests.
#![allow(dead_code, reason = "not everything is needed here")]

#[path = "../../../claw-server/tests/it/batch_screen.rs"]
pub(crate) mod batch_screen;
#[path = "../../../claw-server/tests/common/front_end.rs"]
pub(crate) mod front_end;
#[path = "../../../claw-server/tests/it/generator.rs"]
pub(crate) mod generator;
#[path = "../../../claw-server/tests/it/laws.rs"]
pub(crate) mod laws;
#[path = "../../../claw-server/tests/it/controller/peer.rs"]
pub(crate) mod peer;
#[path = "../../../claw-server/tests/common/phone.rs"]
pub(crate) mod phone;
#[path = "../../../claw-server/tests/it/played.rs"]
pub(crate) mod played;
#[path = "../../../claw-server/tests/it/random.rs"]
pub(crate) mod random;
#[path = "../../../claw-server/tests/it/reconnecting.rs"]
pub(crate) mod reconnecting;
#[path = "../../../claw-server/tests/it/recorded.rs"]
pub(crate) mod recorded;
#[path = "../../../claw-server/tests/it/controller/front_end.rs"]
pub(crate) mod sessions;

/// A file or folder below `testdata/`.
pub(crate) fn testdata(path: &str) -> std::path::PathBuf {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("testdata").join(path)
}
