//! Bytes as the files in `data` write them.

/// A part of a data file that starts with a line of `====`.
#[derive(Debug)]
pub(crate) struct Fixture {
    /// The columns behind `====`; tabs are between them.
    columns: Vec<&'static str>,
    /// Lines of `----`, which start a file, and the bytes behind each.
    pub(crate) files: Vec<(&'static str, Vec<u8>)>,
    /// The bytes before the first file.
    pub(crate) bytes: Vec<u8>,
}

impl Fixture {
    /// A column, which is empty when it is missing.
    pub(crate) fn column(&self, at: usize) -> &'static str {
        self.columns.get(at).copied().unwrap_or_default()
    }
}

/// The fixtures of a data file.
pub(crate) fn read(data: &'static str) -> Vec<Fixture> {
    let mut fixtures: Vec<Fixture> = Vec::new();
    for line in data.lines() {
        if let Some(columns) = line.strip_prefix("==== ") {
            fixtures.push(Fixture {
                columns: columns.split('\t').collect(),
                files: Vec::new(),
                bytes: Vec::new(),
            });
        } else if let Some(fixture) = fixtures.last_mut() {
            if let Some(path) = line.strip_prefix("---- ") {
                fixture.files.push((path, Vec::new()));
                continue;
            }
            let bytes = match fixture.files.last_mut() {
                Some((_, bytes)) => bytes,
                None => &mut fixture.bytes,
            };
            match line.strip_suffix("<end>") {
                Some(line) => bytes.extend(decode(line)),
                None => {
                    bytes.extend(decode(line));
                    bytes.push(b'\n');
                }
            }
        }
    }
    fixtures
}

/// Bytes from a text in which `<ff00>` is two bytes and `<3*ab>` is `ababab`.
pub fn decode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, from)) = rest.split_once('<') {
        let (escape, behind) = from.split_once('>').unwrap_or((from, ""));
        bytes.extend_from_slice(before.as_bytes());
        match escape.split_once('*') {
            Some((times, text)) => {
                bytes.extend(text.repeat(times.parse().unwrap_or_default()).bytes());
            }
            None => bytes.extend(from_hex(escape)),
        }
        rest = behind;
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// Bytes from hexadecimal digits. Other characters are skipped, and so is half a byte.
pub(crate) fn from_hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u32> = digits
        .chars()
        .filter_map(|digit| digit.to_digit(16))
        .collect();
    digits
        .chunks_exact(2)
        .map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap_or(0))
        .collect()
}
