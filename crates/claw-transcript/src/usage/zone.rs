//! Time zones and days.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Serialize, Serializer};

use crate::error::TranscriptError;

/// The time zone in which days begin and end.
///
/// ```
/// use claw_transcript::Zone;
///
/// assert!(Zone::named("Europe/Berlin").is_ok());
/// assert!(Zone::named("Middle/Earth").is_err());
/// ```
#[derive(Debug, Clone)]
pub struct Zone(TimeZone);

impl Zone {
    /// The zone of this machine, or UTC if it is unknown.
    pub fn local() -> Self {
        Self(TimeZone::system())
    }

    /// UTC.
    pub fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    /// A zone by its IANA name.
    ///
    /// # Errors
    /// There is no such zone in this machine's zone database.
    pub fn named(name: &str) -> Result<Self, TranscriptError> {
        let unknown = |error: jiff::Error| TranscriptError::UnknownName {
            what: "time zone",
            name: name.to_owned(),
            hint: format!("give a name such as Europe/Berlin, or UTC ({error})"),
        };
        TimeZone::get(name).map(Self).map_err(unknown)
    }

    /// The IANA name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.0.iana_name()
    }

    /// Returns the first second of a day; `None` if it is outside of the calendar.
    pub fn start_of(&self, day: Day) -> Option<i64> {
        // If clocks skip midnight, the day begins at the first time that exists.
        let start = day.0.to_zoned(self.0.clone()).ok()?;
        Some(start.timestamp().as_second())
    }

    /// Returns the day of a second since 1970.
    pub(super) fn day_of(&self, second: i64) -> Option<Day> {
        let time = Timestamp::from_second(second).ok()?;
        Some(Day(self.0.to_datetime(time).date()))
    }
}

impl Default for Zone {
    fn default() -> Self {
        Self::local()
    }
}

impl Serialize for Zone {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name().unwrap_or("local"))
    }
}

/// A calendar day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(Date);

impl Day {
    /// Parses `2026-12-31`; `None` if that day does not exist.
    pub fn parse(text: &str) -> Option<Self> {
        // Other notations of dates are not accepted.
        let date = text.parse().ok().filter(|_| text.len() == 10)?;
        Some(Self(date))
    }

    /// The next day.
    pub fn next(self) -> Option<Self> {
        self.0.tomorrow().ok().map(Self)
    }

    /// A time before or after all others, for a day at that end of the calendar.
    pub(super) fn beyond(self) -> i64 {
        if self.0.year() > 1970 {
            i64::MAX
        } else {
            i64::MIN
        }
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_and_ends_at_midnight_of_its_zone() {
        let (sep_30, oct_1) = ("2026-09-30", "2026-10-01");
        for (zone, times) in [
            (
                "Europe/Berlin",
                &[
                    ("2026-09-30T21:59:59Z", sep_30),
                    ("2026-09-30T22:00:00Z", oct_1),
                    ("2026-10-01T08:30:00+09:00", oct_1),
                ][..],
            ),
            ("UTC", &[("2026-09-30T22:00:00Z", sep_30)]),
            ("Asia/Tokyo", &[("2026-09-30T21:59:59Z", oct_1)]),
            // Clocks go back on 2026-11-01 and forward on 2026-03-08: 25 and 23 hours.
            (
                "America/New_York",
                &[
                    ("2026-11-01T03:59:59Z", "2026-10-31"),
                    ("2026-11-01T04:00:00Z", "2026-11-01"),
                    ("2026-11-02T04:59:59Z", "2026-11-01"),
                    ("2026-11-02T05:00:00Z", "2026-11-02"),
                    ("2026-03-08T04:59:59Z", "2026-03-07"),
                    ("2026-03-08T05:00:00Z", "2026-03-08"),
                    ("2026-03-09T03:59:59Z", "2026-03-08"),
                    ("2026-03-09T04:00:00Z", "2026-03-09"),
                ],
            ),
            // Clocks went forward at midnight of 2022-03-27, so that day has no 00:30.
            (
                "Asia/Beirut",
                &[
                    ("2022-03-26T21:59:59Z", "2022-03-26"),
                    ("2022-03-26T22:00:00Z", "2022-03-27"),
                ],
            ),
        ] {
            let zone = Zone::named(zone).expect("a zone of the database");
            for (time, expected) in times {
                let ms = crate::time::parse_ms(time).expect("a time");
                let day = zone.day_of(ms.div_euclid(1000)).expect("a day");
                assert_eq!(day.to_string(), *expected, "{time} in {zone:?}");
                let (start, next) = (zone.start_of(day), day.next().expect("a day"));
                let second = ms.div_euclid(1000);
                assert!(
                    start <= Some(second) && Some(second) < zone.start_of(next),
                    "{time}"
                );
            }
        }
    }

    #[test]
    fn days_are_read_as_they_are_written() {
        for text in ["2026-02-28", "2024-02-29"] {
            assert_eq!(Day::parse(text).expect("a day").to_string(), text);
        }
        for text in ["2026-02-29", "2026-2-1", "today", "2026-01-01T00:00:00Z"] {
            assert_eq!(Day::parse(text), None, "{text}");
        }
        let end = Day::parse("2026-12-31").and_then(Day::next);
        assert_eq!(end, Day::parse("2027-01-01"));
    }
}
