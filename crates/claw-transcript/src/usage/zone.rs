//! Which day a message belongs to.

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
    /// The zone of this machine, or UTC when it does not say.
    pub fn local() -> Self {
        Self(TimeZone::system())
    }

    /// Universal time.
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

    /// Its name, where it has one.
    pub fn name(&self) -> Option<&str> {
        self.0.iana_name()
    }

    /// The first second of a day.
    pub fn start_of(&self, day: Day) -> Option<i64> {
        let midnight = Date::new(day.year, day.month, day.day).ok()?;
        // Where clocks jump over midnight, the day begins at the first time there is.
        let start = midnight.to_zoned(self.0.clone()).ok()?;
        Some(start.timestamp().as_second())
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

/// A day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day {
    year: i16,
    month: i8,
    day: i8,
}

impl Day {
    /// Reads `2026-12-31`; `None` when that day does not exist.
    pub fn parse(text: &str) -> Option<Self> {
        let date: Date = text.parse().ok()?;
        // Other notations of a date are not days of this notation.
        (text.len() == 10).then(|| Self::of(date))
    }

    fn of(date: Date) -> Self {
        Self {
            year: date.year(),
            month: date.month(),
            day: date.day(),
        }
    }

    /// The day after.
    pub fn next(self) -> Option<Self> {
        let date = Date::new(self.year, self.month, self.day).ok()?;
        date.tomorrow().ok().map(Self::of)
    }

    /// A second before all days or behind them, for a day at that end of the calendar.
    pub(super) fn beyond(self) -> i64 {
        if self.year > 1970 { i64::MAX } else { i64::MIN }
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// Finds the day of many times that are mostly near each other.
#[derive(Debug)]
pub(super) struct Calendar<'a> {
    zone: &'a Zone,
    /// The last answer, with the seconds for which it holds.
    last: Option<(i64, i64, Day)>,
}

impl<'a> Calendar<'a> {
    pub(super) fn new(zone: &'a Zone) -> Self {
        Self { zone, last: None }
    }

    /// The day in which a second since 1970 lies.
    pub(super) fn day(&mut self, second: i64) -> Option<Day> {
        if let Some((from, to, day)) = self.last
            && (from..to).contains(&second)
        {
            return Some(day);
        }
        let time = Timestamp::from_second(second).ok()?;
        let day = Day::of(time.to_zoned(self.zone.0.clone()).date());
        let from = self.zone.start_of(day);
        let to = day.next().and_then(|next| self.zone.start_of(next));
        self.last = from.zip(to).map(|(from, to)| (from, to, day));
        Some(day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(zone: &str, times: &[&str]) -> Vec<String> {
        let zone = Zone::named(zone).expect("a zone of the database");
        let mut calendar = Calendar::new(&zone);
        let day = |time: &&str| {
            let ms = crate::time::parse_ms(time).expect("a time");
            let day = calendar.day(ms.div_euclid(1000)).expect("a day");
            day.to_string()
        };
        times.iter().map(day).collect()
    }

    #[test]
    fn a_day_begins_where_the_person_is() {
        let times = [
            "2026-09-30T21:59:59Z",
            "2026-09-30T22:00:00Z",
            "2026-09-30T23:30:00Z",
            "2026-10-01T08:30:00+09:00",
        ];
        let berlin = ["2026-09-30", "2026-10-01", "2026-10-01", "2026-10-01"];
        assert_eq!(days("Europe/Berlin", &times), berlin);
        assert_eq!(days("UTC", &times), ["2026-09-30"; 4]);
        let tokyo = ["2026-10-01"; 4];
        assert_eq!(days("Asia/Tokyo", &times), tokyo);
    }

    /// New York: clocks go back on 2026-11-01 and forth on 2026-03-08, so these days have 25 and 23
    /// hours.
    #[test]
    fn days_of_other_lengths_end_at_their_own_midnight() {
        let times = [
            "2026-11-01T03:59:59Z",
            "2026-11-01T04:00:00Z",
            "2026-11-02T04:59:59Z",
            "2026-11-02T05:00:00Z",
            "2026-03-08T04:59:59Z",
            "2026-03-08T05:00:00Z",
            "2026-03-09T03:59:59Z",
            "2026-03-09T04:00:00Z",
        ];
        let expected = [
            "2026-10-31",
            "2026-11-01",
            "2026-11-01",
            "2026-11-02",
            "2026-03-07",
            "2026-03-08",
            "2026-03-08",
            "2026-03-09",
        ];
        assert_eq!(days("America/New_York", &times), expected);
    }

    /// In Beirut clocks went forth at midnight of 2022-03-27: that day has no 00:30.
    #[test]
    fn a_day_without_midnight_begins_an_hour_later() {
        let times = ["2022-03-26T21:59:59Z", "2022-03-26T22:00:00Z"];
        assert_eq!(days("Asia/Beirut", &times), ["2022-03-26", "2022-03-27"]);
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
