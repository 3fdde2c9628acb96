//! Every request that a host may send, in a situation where it does something.

mod asking;
mod changing;
mod files;
mod ledger;
mod mcp;
mod tasks;

use std::collections::BTreeSet;

use anyhow::Result;

use self::ledger::{Ledger, Verdict};
use super::Inputs;
use crate::cli_package::workspace_root;
use crate::prove::figure::Figure;
use crate::type_file::{self, model::Direction};

/// Refused by this CLI when it runs without a terminal.
const UNSUPPORTED: &str = "set_color";

/// Does nothing that anybody else could see: its answer is all there is.
const NO_EFFECT: &str = "set_has_subscribers";

pub(crate) async fn figure(inputs: &Inputs) -> Result<Figure> {
    let model = type_file::pinned(&workspace_root())?;
    let declared: BTreeSet<&str> = model
        .control_requests
        .iter()
        .filter(|request| request.direction == Direction::SdkToCli)
        .map(|request| request.subtype.as_str())
        .collect();

    let mut ledger = Ledger::default();
    let cli = &inputs.cli;
    let asked = asking::run(cli, &mut ledger).await;
    ledger.situation("asking", asked);
    let changed = changing::run(cli, &mut ledger).await;
    ledger.situation("changing", changed);
    let filed = files::run(cli, &mut ledger).await;
    ledger.situation("files", filed);
    let tasked = tasks::run(cli, &mut ledger).await;
    ledger.situation("tasks", tasked);
    let served = mcp::run(cli, &mut ledger).await;
    ledger.situation("mcp", served);

    Ok(judge(&declared, &ledger))
}

fn judge(declared: &BTreeSet<&str>, ledger: &Ledger) -> Figure {
    let seen = declared
        .iter()
        .filter(|verb| matches!(ledger.verdict(verb), Some(Verdict::Seen(_))))
        .count();
    let acknowledged = ledger.only_acknowledged();
    let refused_alone = ledger.refused() == [UNSUPPORTED];
    let forgotten: Vec<&str> = declared
        .iter()
        .filter(|verb| ledger.verdict(verb).is_none())
        .copied()
        .collect();
    let unknown: Vec<&str> = ledger
        .verbs()
        .filter(|verb| !declared.contains(verb))
        .collect();
    let passed = declared.len() == 36
        && seen == 34
        && acknowledged == [NO_EFFECT]
        && refused_alone
        && forgotten.is_empty()
        && unknown.is_empty()
        && ledger.broken().is_empty();
    Figure::new(
        "control verbs sent by their methods, answered with success by the real CLI",
        "35 of 36; set_color refused",
    )
    .measured(
        format!(
            "{} of {}: {seen} with the effect seen, {} acknowledged ({}); refused: {}",
            seen + acknowledged.len(),
            declared.len(),
            acknowledged.len(),
            acknowledged.join(", "),
            ledger.refused().join(", ")
        ),
        passed,
    )
    .list("what became of each", ledger.lines())
    .list("declared and not sent", forgotten)
    .list("sent and not declared", unknown)
    .list("situations that broke", ledger.broken())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forgotten_verb_is_a_miss() {
        let mut ledger = Ledger::default();
        let names: Vec<String> = (0..34).map(|n| format!("verb_{n}")).collect();
        let mut declared: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        declared.extend([UNSUPPORTED, NO_EFFECT]);
        for name in &names {
            let name: &'static str = Box::leak(name.clone().into_boxed_str());
            ledger.note(name, Ok(Verdict::Seen("seen".to_owned())));
        }
        let refusal = rusty_claw::SessionError::Refused {
            verb: UNSUPPORTED,
            error: "no".to_owned(),
            code: Some("unsupported_request".to_owned()),
        };
        ledger.note(UNSUPPORTED, Err(refusal.into()));
        assert!(!judge(&declared, &ledger).passed);
        ledger.note(NO_EFFECT, Ok(Verdict::Acknowledged("said so".to_owned())));
        let figure = judge(&declared, &ledger);
        assert!(figure.passed);
        assert!(
            figure
                .measured
                .contains("34 with the effect seen, 1 acknowledged (set_has_subscribers)"),
            "{}",
            figure.measured
        );

        let fewer = judge(&declared.iter().copied().skip(1).collect(), &ledger);
        assert!(!fewer.passed);
        ledger.note("verb_3", Err(anyhow::anyhow!("no effect")));
        assert!(!judge(&declared, &ledger).passed);
    }

    #[test]
    fn a_verb_of_which_nothing_was_seen_does_not_count_as_seen() {
        let mut ledger = Ledger::default();
        ledger.note("verb", Ok(Verdict::Seen("there".to_owned())));
        ledger.note("verb", Ok(Verdict::Acknowledged("said so".to_owned())));
        assert_eq!(ledger.only_acknowledged(), ["verb"]);
        ledger.note("verb", Ok(Verdict::Seen("there".to_owned())));
        assert_eq!(ledger.only_acknowledged(), ["verb"]);
    }
}
