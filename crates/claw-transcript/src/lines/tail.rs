//! Finds the last lines of a file without reading the rest.

use std::io::{Read, Result, Seek, SeekFrom};

use memchr::memrchr_iter;

/// The number of bytes per read, backwards from the end.
const PIECE: u64 = 64 * 1024;

/// Returns the offset of the last `count` lines of a file; zero if it has fewer. Reads from the
/// end, only as far as needed.
///
/// The rest after the last `\n` counts as a line if it is not empty, as in
/// [`Lines`](crate::Lines). The file position afterwards is unspecified.
///
/// # Errors
/// The file cannot be read.
///
/// ```
/// use std::io::Cursor;
///
/// let mut file = Cursor::new(b"one\ntwo\nthree");
/// assert_eq!(claw_transcript::last_lines(&mut file, 2)?, 4);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn last_lines(file: &mut (impl Read + Seek), count: u64) -> Result<u64> {
    let length = file.seek(SeekFrom::End(0))?;
    if count == 0 {
        return Ok(length);
    }
    let mut piece = Vec::new();
    let mut end = length;
    let mut wanted = count;
    while end > 0 {
        let start = end.saturating_sub(PIECE);
        file.seek(SeekFrom::Start(start))?;
        piece.clear();
        file.by_ref().take(end - start).read_to_end(&mut piece)?;
        for at in memrchr_iter(b'\n', &piece) {
            let next = start + at as u64 + 1;
            // The newline at the end of the file does not start a line.
            if next == length {
                continue;
            }
            wanted -= 1;
            if wanted == 0 {
                return Ok(next);
            }
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn lines_are_found_from_the_end() {
        let long = [b"a\n".to_vec(), b"x".repeat(200_000), b"\nb\n".to_vec()].concat();
        let table: [(&[u8], u64, u64); 11] = [
            (b"", 3, 0),
            (b"a", 1, 0),
            (b"a\n", 1, 0),
            (b"a\nb", 1, 2),
            (b"a\nb\n", 1, 2),
            (b"a\nb\n", 2, 0),
            (b"a\nb\n", 9, 0),
            (b"a\n\n\n", 2, 2),
            (b"a\nb\n", 0, 4),
            (&long, 1, 200_003),
            (&long, 2, 2),
        ];
        for (bytes, count, start) in table {
            let found = last_lines(&mut Cursor::new(bytes), count).expect("memory does not fail");
            assert_eq!(found, start, "{count} of {} bytes", bytes.len());
        }
    }
}
