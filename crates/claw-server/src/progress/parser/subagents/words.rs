//! The words for sub-agents and what they do.

use crate::progress::parser::tokens::Token;
use crate::progress::parser::words::{Words, listed};

pub(in crate::progress::parser) fn is_agent(word: &str) -> bool {
    let word = word.rsplit(['-', '\'']).next().unwrap_or(word);
    listed!(
        word,
        "agent agents subagent subagents agenten unteragent unteragenten agente agentes
        agenti subagente subagentes subagenti агент агента агентов агенты субагент
        субагента субагентов субагенты подагент подагента подагентов agentów agenta ajan
        ajanı ajanlar agenter"
    ) || ["代理", "智能体", "エージェント", "에이전트"]
        .iter()
        .any(|part| word.contains(part))
}

/// What agents are called by their work.
pub(super) fn is_role(word: &str) -> bool {
    let word = word.rsplit('-').next().unwrap_or(word);
    listed!(
        word,
        "reviewer reviewers researcher researchers explorer explorers scout scouts auditor auditors
        investigator investigators searcher searchers analyst analysts planner planners critic
        critics helper helpers worker workers tester testers writer writers"
    )
}

/// Several who do something, by the form of the word: "translators".
pub(super) fn may_be_role(word: &str) -> bool {
    let several = word.len() >= 7 && (word.ends_with("ers") || word.ends_with("ors"));
    several
        && !listed!(
            word,
            "servers containers browsers timers listeners routers loggers handlers runners clusters
            headers consumers producers customers drivers compilers watchers emulators simulators
            numbers folders filters buffers errors editors parameters others orders layers readers
            brokers schedulers controllers executors processors iterators operators"
        )
}

/// Other things that are called agents.
pub(super) fn is_other_agent(tokens: &[Token<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| tokens.get(at));
    let after = tokens.get(at + 1);
    let prefix = tokens[at]
        .low
        .rsplit_once('-')
        .map_or("", |(prefix, _)| prefix);
    listed!(prefix, "user ssh gpg build ci mail http browser support")
        || before.is_some_and(|t| {
            listed!(
                &t.low,
                "user browser ssh support estate insurance travel sales call ci jenkins
                build monitoring gpg http datadog buildkite free secret mail transfer
                cleaning each every any no puppet elastic consul azure backup of"
            )
        })
        || after.is_some_and(|t| {
            listed!(
                &t.low,
                "header headers string strings sdk framework file files definition
                definitions type types prompt prompts config mode tool tools api loop
                view id ids architecture protocol system model crate module code pool
                class forwarding interface settings registry count limit names name"
            )
        })
}

pub(super) static LEAD: Words = Words::new(
    "i i'll i'm i've am will have now let me us let's then first next also just going to
    ok okay so and we we'll we're we've again still currently good great alright right
    time already here ich wir jetzt nun habe werde dann zuerst parallel gleich je j'ai
    nous vais maintenant allons yo voy a ahora he vou agora ora adesso sto ho ik nu я
    сейчас теперь мы start",
);

pub(super) fn starts(word: &str) -> bool {
    listed!(
        word,
        "let letting get getting spin spinning spun resume resuming resumed having launch launching launched start starting started spawn spawning spawned dispatch
        dispatching dispatched kick kicking kicked fire firing fired send sending sent
        delegate delegating delegated use using run running ask asking asked hand
        handing handed deploy deploying deployed bring bringing invoke invoking call
        calling have put putting begin beginning give giving starte starten gestartet
        schicke beauftrage lasse setze lance lançons lancer lancé démarre démarrer lanzo
        lanzar lanzando lanzado inicio iniciar iniciando arranco avvio avviare avviato
        lancio lançando lançar start' запускаю запустил запустила запущу запускаем
        uruchamiam başlatıyorum startar"
    ) || [
        "启动",
        "啟動",
        "派出",
        "起動",
        "開始",
        "立ち上げ",
        "시작",
        "실행",
    ]
    .iter()
    .any(|part| word.contains(part))
}

/// The verbs among them that mean nothing but a beginning.
pub(super) fn sends(word: &str) -> bool {
    listed!(
        word,
        "launch launching launched start starting started spawn spawning spawned dispatch
        dispatching dispatched kick kicking kicked fire firing fired send sending sent spin
        spinning spun deploy deploying deployed"
    )
}

pub(super) fn ends(word: &str) -> bool {
    listed!(
        word,
        "finished answered replied through completed complete done returned back reported delivered ended
        succeeded finishes completes returns wrapped fertig zurück abgeschlossen beendet
        geliefert zurückgekehrt terminé fini revenu revenus terminado terminaron terminó acabado acabó
        finalizado completado finito terminato terminou terminaram concluiu concluíram
        klaar завершил завершили закончил закончили закончила готов готовы завершён
        zakończył bitirdi tamamladı klar klara"
    ) || ["完成", "返回", "完了", "終了", "終わ", "완료", "끝"]
        .iter()
        .any(|part| word.contains(part))
}

pub(super) fn fails(word: &str) -> bool {
    listed!(
        word,
        "hit encountered failed crashed died errored aborted fails stopped timed gave killed cancelled
        canceled stuck fehlgeschlagen gescheitert abgebrochen abgestürzt échoué planté arrêté interrompu
        falló fallado fallaron fallito falhou falharam mislukt упал упали провалился"
    ) || ["失败", "失敗", "실패"]
        .iter()
        .any(|part| word.contains(part))
}

/// An agent that comes back with this has failed.
pub(super) fn brings_nothing(word: &str) -> bool {
    listed!(
        word,
        "error exception timeout nothing empty-handed traceback fehler erreur"
    )
}

pub(super) fn works(word: &str) -> bool {
    let going = word.ends_with("ing")
        && !matches!(word, "being" | "having" | "missing" | "using" | "during");
    going
        || listed!(
            word,
            "busy launched started spawned läuft laufen arbeitet arbeiten sucht suchen travaille travaillent
            cherche trabaja trabajan trabajando lavora lavorano trabalhando работает
            работают ищет ищут underway progress"
        )
        || ["运行", "正在", "実行中", "作業中", "調べ", "작업"]
            .iter()
            .any(|part| word.contains(part))
}

/// Words that may stand between an agent and what it does.
pub(super) static LINKS: Words = Words::new(
    "has have is are was were just now all also already still both had came come got
    reported been it work its their successfully in on at running not and each hat haben
    ist sind noch jetzt alle a ont est sont ha han están está sono estão zijn weer up
    out wurde wurden",
);
