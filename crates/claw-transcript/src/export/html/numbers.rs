//! Numbers and times for people.

pub(super) fn lines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1
}

/// A number with a separator between thousands.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A size in a fitting unit.
pub(super) fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}

/// A duration in fitting units.
pub(super) fn duration(ms: i64) -> String {
    let seconds = ms.max(0) / 1000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds / 3600 % 24),
    }
}

/// Dollars; small sums with more digits.
pub(super) fn dollars(sum: f64) -> String {
    if sum < 0.1 {
        format!("${sum:.4}")
    } else {
        format!("${sum:.2}")
    }
}

/// A number with its unit in the singular or plural.
pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        grouped(number),
        if number == 1 { one } else { many }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(bytes(999), "999 bytes");
        assert_eq!(bytes(12_345), "12 kB");
        assert_eq!(bytes(1_250_000), "1.2 MB");
        assert_eq!(duration(59_999), "59 s");
        assert_eq!(duration(3_720_000), "1 h 02 min");
        assert_eq!(duration(90_000_000), "1 d 1 h");
        assert_eq!(dollars(0.0016), "$0.0016");
        assert_eq!(dollars(12.345), "$12.35");
        assert_eq!(count(1, "reply", "replies"), "1 reply");
    }
}
