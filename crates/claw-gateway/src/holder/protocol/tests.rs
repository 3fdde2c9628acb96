use super::*;

fn frames() -> Vec<Frame> {
    let welcome = Welcome {
        version: 2,
        holder: 7,
        pid: Some(8),
        first: 1,
        end: u64::MAX,
        has_exited: true,
        config_dir: Some("/home/user/.claude".into()),
    };
    let id = "user:\u{e9}".to_owned();
    vec![
        Frame::Hello(Hello {
            version: 2,
            epoch: u64::MAX,
        }),
        Frame::Start(Bytes::from_static(b"{}")),
        Frame::Read { offset: 3 },
        Frame::More { until: 4 },
        Frame::Input {
            id: id.clone(),
            line: Bytes::from_static(b"\xff\n"),
        },
        Frame::CloseInput,
        Frame::stop(Stop::Kill),
        Frame::stop(Stop::Terminate),
        Frame::Done { offset: 5 },
        Frame::End,
        Frame::Welcome(welcome),
        Frame::Refused {
            reason: "why".to_owned(),
        },
        Frame::Output {
            offset: 6,
            bytes: Bytes::from_static(b"\xff\0"),
        },
        Frame::Wrote { id },
        Frame::Exited(Exited::new(Exit::Signal(9), "tail".to_owned())),
    ]
}

fn encoded(frames: &[Frame]) -> Vec<u8> {
    let frames = frames.iter().flat_map(|frame| frame.encode().unwrap());
    frames.collect()
}

fn decoded(decoder: &mut Decoder) -> Vec<Frame> {
    std::iter::from_fn(|| decoder.next().unwrap()).collect()
}

#[test]
fn frames_are_decoded_from_any_pieces() {
    let frames = frames();
    let bytes = encoded(&frames);
    for size in 1..bytes.len() {
        let mut decoder = Decoder::default();
        let mut found = Vec::new();
        for piece in bytes.chunks(size) {
            decoder.bytes.extend_from_slice(piece);
            found.extend(decoded(&mut decoder));
        }
        assert!(found == frames, "in pieces of {size}");
    }
}

#[test]
fn an_incomplete_frame_is_not_decoded() {
    for frame in frames() {
        let bytes = frame.encode().unwrap();
        let mut decoder = Decoder::default();
        decoder.bytes.extend_from_slice(&bytes[..bytes.len() - 1]);
        assert!(decoder.next().unwrap().is_none(), "{frame:?}");
    }
}

#[test]
fn unknown_kinds_and_members_are_skipped() {
    let mut decoder = Decoder::default();
    decoder.bytes.extend_from_slice(&[200, 0, 0, 0, 2, 1, 2]);
    let hello = br#"{"version":9,"epoch":1,"new":[1]}"#;
    decoder
        .bytes
        .extend_from_slice(&[1, 0, 0, 0, hello.len() as u8]);
    decoder.bytes.extend_from_slice(hello);
    let expected = Hello {
        version: 9,
        epoch: 1,
    };
    assert!(decoded(&mut decoder) == [Frame::Hello(expected)]);
}

#[test]
fn malformed_frames_are_errors() {
    let cases: [&[u8]; 5] = [
        &[200, 255, 255, 255, 255],
        &[3, 0, 0, 0, 2, 0, 0],
        &[5, 0, 0, 0, 5, 0, 0, 0, 9, b'x'],
        &[1, 0, 0, 0, 1, b'{'],
        &[68, 0, 0, 0, 1, 255],
    ];
    for case in cases {
        let mut decoder = Decoder::default();
        decoder.bytes.extend_from_slice(case);
        assert!(decoder.next().is_err(), "{case:?}");
    }
}

#[test]
fn the_body_of_a_frame_is_not_printed() {
    let start = Frame::Start(Bytes::from_static(b"sk-secret"));
    assert!(!format!("{start:?}").contains("sk-secret"));
}

#[test]
fn a_launch_is_the_same_after_it_was_sent() {
    use std::os::unix::ffi::OsStringExt as _;
    let mut launch = Launch::default();
    launch.program = Some("/usr/bin/claude".into());
    launch.args = vec!["-p".into(), OsString::from_vec(vec![0xff, b'x'])];
    launch.cwd = Some("/home/user".into());
    launch.env_clear = true;
    launch.env = vec![("A".into(), Some("1".into())), ("B".into(), None)];
    launch.die_with_parent = true;
    launch.search_node_modules = true;
    let sent = serde_json::to_string(&PlainLaunch::from(launch.clone())).unwrap();
    let received: PlainLaunch = serde_json::from_str(&sent).unwrap();
    assert!(Launch::from(received) == launch);
}
