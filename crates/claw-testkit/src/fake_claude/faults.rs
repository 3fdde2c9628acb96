//! Faults by name.

use super::script::{FakeScript, UnknownFault};

/// A line for each fault: name, what it shows, script; tabs are between them.
const FAULTS: &str = include_str!("../../data/fake_claude_faults.txt");

fn columns(line: &'static str) -> [&'static str; 3] {
    let mut columns = line.split('\t');
    [(); 3].map(|()| columns.next().unwrap_or_default())
}

impl FakeScript {
    /// The script of a named fault. Every turn of it shows the fault.
    ///
    /// ```
    /// use claw_testkit::FakeScript;
    ///
    /// let script = FakeScript::fault("exit_before_result")?;
    /// assert_eq!(script.turns.len(), 1);
    /// assert!(FakeScript::fault("good_weather").is_err());
    /// # Ok::<(), claw_testkit::UnknownFault>(())
    /// ```
    pub fn fault(name: &str) -> Result<Self, UnknownFault> {
        let fault = FAULTS
            .lines()
            .map(columns)
            .find(|[known, ..]| *known == name);
        let [name, about, script] = fault.ok_or_else(|| UnknownFault {
            name: name.to_owned(),
        })?;
        let mut script: Self = serde_json::from_str(script).unwrap_or_default();
        script.description = format!("{name}: {about}");
        Ok(script)
    }

    /// The names that [`FakeScript::fault`] accepts.
    pub fn faults() -> Vec<&'static str> {
        FAULTS.lines().map(|line| columns(line)[0]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::FakeScript;

    #[test]
    fn every_fault_has_a_script() {
        for name in FakeScript::faults() {
            let mut script = FakeScript::fault(name).unwrap();
            script.description.clear();
            assert_ne!(script, FakeScript::default(), "{name}");
        }
    }
}
