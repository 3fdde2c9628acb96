//! The words for tests and their verdicts.

use crate::progress::parser::prose::words;
use crate::progress::parser::tokens::Token;
use crate::progress::parser::words::listed;

pub(super) fn is_test(word: &str) -> bool {
    // "Unit-Tests"
    let word = word.rsplit('-').next().unwrap_or(word);
    listed!(
        word,
        "test tests spec specs pruebas prueba testes teste тест тестов тесты теста testen
        testler testów"
    ) || ["测试", "測試", "テスト", "테스트"]
        .iter()
        .any(|part| word.contains(part))
}

pub(super) fn is_suite(word: &str) -> bool {
    matches!(word, "suite" | "testsuite" | "test-suite" | "suites")
}

pub(super) fn is_pass(word: &str) -> bool {
    listed!(
        word,
        "pass passed passes passing green succeed succeeded bestanden grün passent passé
        verts durch durchgelaufen pasan pasaron pasado verde passano passati passaram passam slagen geslaagd
        réussi réussis réussissent superados aprobados riusciti superati aprovados gelungen
        прошли пройдены проходят geçti"
    ) || ["通过", "合格", "成功", "통과"]
        .iter()
        .any(|part| word.contains(part))
}

pub(super) fn is_fail(word: &str) -> bool {
    listed!(
        word,
        "failed fail failing fails red failure failures fehlgeschlagen schlugen échoué
        échouent fallaron fallan fallado falliti falharam gefaald упали упало
        провалились"
    ) || ["失败", "失敗", "실패"]
        .iter()
        .any(|part| word.contains(part))
}

/// Other hands run these.
pub(super) fn of_others(tokens: &[Token<'_>]) -> bool {
    words(tokens).any(|word| {
        listed!(
            word,
            "ci nightly upstream github pipeline must that sure ensure verify confirm
            expect make want whether why"
        )
    })
}
