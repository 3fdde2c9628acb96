//! Numbers as languages write them.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::progress::parser::words::Words;

/// How the language of a text writes numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Notation {
    /// The comma is for fractions; points and spaces are for thousands.
    pub(super) decimal_comma: bool,
    /// A space is for thousands, whatever the language is.
    pub(super) spaces_group: bool,
}

/// Small words that only languages with a decimal comma have.
static COMMA_WORDS: Words = Words::new(
    "der die das und ich von den noch ist sind dateien zeilen datensätze datensätzen
    verarbeitet jetzt schritt le la les des sur du et je fichiers lignes étape el los
    las del archivos filas registros ficheros paso y il di che righe file passo os
    arquivos linhas etapa het een van bestanden rijen stap из и файлов строк шаг записей
    plików wierszy krok filer rader av och dosya satır de pour en est traités
    heruntergeladen wird werden bei zu",
);
/// Small words of languages that group with the comma.
static POINT_WORDS: Words = Words::new(
    "the of and is are to in files rows records processed now done so far out i we it for
    step a at have",
);

impl Notation {
    /// Judged by the small words of the text.
    pub(super) fn of(text: &str) -> Self {
        let (mut comma, mut point) = (0usize, 0usize);
        let words = text
            .split(|c: char| !c.is_alphabetic())
            .filter(|word| !word.is_empty());
        for word in words.take(400) {
            let word = word.to_lowercase();
            comma += usize::from(COMMA_WORDS.has(&word));
            point += usize::from(POINT_WORDS.has(&word));
        }
        Self {
            decimal_comma: comma > point,
            spaces_group: comma > point || groups_by_spaces(text),
        }
    }

    /// The value of digits with separators between them, if they form a number.
    pub(super) fn read(self, raw: &str) -> Option<f64> {
        let is_separator = |c: char| !c.is_ascii_digit();
        let Some(first) = raw.chars().find(|&c| is_separator(c)) else {
            return parse(raw);
        };
        let last = raw.chars().rev().find(|&c| is_separator(c))?;
        if first != last {
            // 1,204.5 or 1.204,5: what comes last is the fraction.
            let (whole, fraction) = raw.rsplit_once(last)?;
            return parse(&format!("{}.{fraction}", grouped(whole, first)?));
        }
        let groups = raw.split(first).count();
        let fraction = raw.rsplit(first).next().unwrap_or("");
        let looks_grouped = fraction.len() == 3 && !raw.starts_with('0');
        match first {
            ',' | '.' if groups == 2 => {
                let groups_here = (first == ',') != self.decimal_comma;
                if looks_grouped && groups_here {
                    parse(&grouped(raw, first)?)
                } else {
                    parse(&raw.replace(first, "."))
                }
            }
            _ => parse(&grouped(raw, first)?),
        }
    }
}

/// "80 / 1 250": nobody has done 80 of one, so the space groups; "1 000 / 4 812" groups on both
/// sides.
fn groups_by_spaces(text: &str) -> bool {
    let number = |text: &str| text.parse::<u32>().ok().filter(|_| text.len() <= 3);
    let is_group = |text: &str| text.len() == 3 && number(text).is_some();
    // The stroke is one of them, so that a text of strokes is not read again for each.
    let parts = |c: char| !c.is_alphanumeric();
    let strokes = text.match_indices('/').take(400);
    let mut strokes = strokes.map(|(at, _)| (&text[..at], &text[at + 1..]));
    strokes.any(|(before, after)| {
        let mut before = before.strip_suffix(' ').unwrap_or(before).rsplit(parts);
        let last = before.next().unwrap_or("");
        let both = is_group(last) && before.next().is_some_and(|first| number(first).is_some());
        let after = after.strip_prefix(' ').unwrap_or(after);
        let end = after.find(parts).unwrap_or(after.len());
        let (first, rest) = after.split_at(end);
        let (first, rest) = (number(first), rest.strip_prefix(' ').unwrap_or(""));
        let more = number(last)
            .zip(first)
            .is_some_and(|(done, first)| done > first);
        let group = rest.split(parts).next().is_some_and(is_group);
        (both || more) && first.is_some() && group && !rest[3..].starts_with(['%', '.', '/'])
    })
}

/// The digits of a grouped number. The last group has three digits; the others may have two, as
/// in India.
fn grouped(raw: &str, separator: char) -> Option<String> {
    let groups: Vec<&str> = raw.split(separator).collect();
    let (first, rest) = groups.split_first()?;
    let (last, middle) = rest.split_last()?;
    let indian = separator == ',' && first.len() <= 2 && middle.iter().all(|g| g.len() == 2);
    let western = first.len() <= 3 && middle.iter().all(|g| g.len() == 3);
    let well = !first.is_empty() && last.len() == 3 && (indian || western);
    well.then(|| groups.concat())
}

fn parse(digits: &str) -> Option<f64> {
    // More digits than a count can have are an id.
    (digits.len() <= 18).then(|| digits.parse().ok()).flatten()
}

/// The number words up to ten.
const WORDS: &[(&str, f64)] = &[
    ("zero", 0.0),
    ("one", 1.0),
    ("ein", 1.0),
    ("eine", 1.0),
    ("einen", 1.0),
    ("einer", 1.0),
    ("eins", 1.0),
    ("un", 1.0),
    ("une", 1.0),
    ("uno", 1.0),
    ("una", 1.0),
    ("um", 1.0),
    ("uma", 1.0),
    ("een", 1.0),
    ("один", 1.0),
    ("одна", 1.0),
    ("two", 2.0),
    ("both", 2.0),
    ("zwei", 2.0),
    ("beide", 2.0),
    ("beiden", 2.0),
    ("deux", 2.0),
    ("dos", 2.0),
    ("ambos", 2.0),
    ("due", 2.0),
    ("entrambi", 2.0),
    ("dois", 2.0),
    ("duas", 2.0),
    ("twee", 2.0),
    ("beide", 2.0),
    ("два", 2.0),
    ("две", 2.0),
    ("оба", 2.0),
    ("dwa", 2.0),
    ("två", 2.0),
    ("iki", 2.0),
    ("three", 3.0),
    ("drei", 3.0),
    ("trois", 3.0),
    ("tres", 3.0),
    ("tre", 3.0),
    ("três", 3.0),
    ("drie", 3.0),
    ("три", 3.0),
    ("trzy", 3.0),
    ("üç", 3.0),
    ("four", 4.0),
    ("vier", 4.0),
    ("quatre", 4.0),
    ("cuatro", 4.0),
    ("quattro", 4.0),
    ("quatro", 4.0),
    ("четыре", 4.0),
    ("cztery", 4.0),
    ("fyra", 4.0),
    ("dört", 4.0),
    ("five", 5.0),
    ("fünf", 5.0),
    ("cinq", 5.0),
    ("cinco", 5.0),
    ("cinque", 5.0),
    ("vijf", 5.0),
    ("пять", 5.0),
    ("пяти", 5.0),
    ("pięć", 5.0),
    ("fem", 5.0),
    ("beş", 5.0),
    ("six", 6.0),
    ("sechs", 6.0),
    ("seis", 6.0),
    ("sei", 6.0),
    ("zes", 6.0),
    ("шесть", 6.0),
    ("sześć", 6.0),
    ("sex", 6.0),
    ("altı", 6.0),
    ("seven", 7.0),
    ("sieben", 7.0),
    ("sept", 7.0),
    ("siete", 7.0),
    ("sette", 7.0),
    ("sete", 7.0),
    ("zeven", 7.0),
    ("семь", 7.0),
    ("sju", 7.0),
    ("yedi", 7.0),
    ("eight", 8.0),
    ("acht", 8.0),
    ("huit", 8.0),
    ("ocho", 8.0),
    ("otto", 8.0),
    ("oito", 8.0),
    ("восемь", 8.0),
    ("åtta", 8.0),
    ("sekiz", 8.0),
    ("nine", 9.0),
    ("neun", 9.0),
    ("neuf", 9.0),
    ("nueve", 9.0),
    ("nove", 9.0),
    ("negen", 9.0),
    ("девять", 9.0),
    ("nio", 9.0),
    ("dokuz", 9.0),
    ("ten", 10.0),
    ("zehn", 10.0),
    ("dix", 10.0),
    ("diez", 10.0),
    ("dieci", 10.0),
    ("dez", 10.0),
    ("tien", 10.0),
    ("десять", 10.0),
    ("tio", 10.0),
];

/// Every number word.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|(name, _)| *name)
}

/// The value of a number word in lower case.
pub(super) fn word(word: &str) -> Option<f64> {
    static VALUES: OnceLock<HashMap<&str, f64>> = OnceLock::new();
    let values = VALUES.get_or_init(|| WORDS.iter().copied().collect());
    values.get(word).copied()
}

/// The ordinals up to ten, in lower case.
pub(super) fn ordinal(word: &str) -> Option<f64> {
    const ORDINALS: &[&[&str]] = &[
        &[
            "first",
            "erste",
            "ersten",
            "erster",
            "premier",
            "première",
            "primer",
            "primera",
        ],
        &[
            "second",
            "zweite",
            "zweiten",
            "zweiter",
            "deuxième",
            "segundo",
            "segunda",
            "tweede",
        ],
        &[
            "third",
            "dritte",
            "dritten",
            "dritter",
            "troisième",
            "tercer",
            "tercera",
            "derde",
        ],
        &[
            "fourth",
            "vierte",
            "vierten",
            "vierter",
            "quatrième",
            "cuarto",
            "cuarta",
            "vierde",
        ],
        &[
            "fifth",
            "fünfte",
            "fünften",
            "fünfter",
            "cinquième",
            "quinto",
            "quinta",
            "vijfde",
        ],
        &[
            "sixth", "sechste", "sechsten", "sechster", "sixième", "sexto", "sexta", "zesde",
        ],
        &[
            "seventh",
            "siebte",
            "siebten",
            "siebter",
            "septième",
            "séptimo",
            "séptima",
            "zevende",
        ],
        &[
            "eighth",
            "achte",
            "achten",
            "achter",
            "huitième",
            "octavo",
            "octava",
            "achtste",
        ],
        &[
            "ninth",
            "neunte",
            "neunten",
            "neunter",
            "neuvième",
            "noveno",
            "novena",
            "negende",
        ],
        &[
            "tenth", "zehnte", "zehnten", "zehnter", "dixième", "décimo", "décima", "tiende",
        ],
    ];
    let at = ORDINALS.iter().position(|names| names.contains(&word))?;
    Some(at as f64 + 1.0)
}

/// The value of one Chinese digit.
pub(super) fn han(c: char) -> Option<f64> {
    let digits = ['一', '二', '三', '四', '五', '六', '七', '八', '九', '十'];
    if c == '两' {
        return Some(2.0);
    }
    let at = digits.iter().position(|&digit| digit == c)?;
    Some(at as f64 + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_groups_its_own_way() {
        let point = Notation::default();
        let comma = Notation {
            decimal_comma: true,
            spaces_group: true,
        };
        let cases = [
            (point, "7", Some(7.0)),
            (point, "1,204", Some(1204.0)),
            (point, "1,204,511", Some(1_204_511.0)),
            (point, "1,25,000", Some(125_000.0)),
            (point, "12.345", Some(12.345)),
            (point, "12.3", Some(12.3)),
            (point, "12,3", Some(12.3)),
            (point, "1,204.5", Some(1204.5)),
            (point, "1.204,5", Some(1204.5)),
            (point, "1'250", Some(1250.0)),
            (point, "1\u{202f}250\u{202f}000", Some(1_250_000.0)),
            (point, "0.125", Some(0.125)),
            (point, "192.0.2.7", None),
            (point, "1.0.210", None),
            (point, "1,2,3", None),
            (comma, "1.234", Some(1234.0)),
            (comma, "10.000.000", Some(10_000_000.0)),
            (comma, "2 500", Some(2500.0)),
            (comma, "45,5", Some(45.5)),
            (comma, "12,345", Some(12.345)),
            (comma, "0.125", Some(0.125)),
            (point, "1234567890123456789", None),
        ];
        for (notation, raw, want) in cases {
            assert_eq!(notation.read(raw), want, "{raw}");
        }
    }

    #[test]
    fn the_language_is_judged_by_its_small_words() {
        for text in [
            "1.234 von 10.000 Dateien",
            "2 500 fichiers sur 10 000",
            "45,5 % de los archivos",
        ] {
            assert!(Notation::of(text).decimal_comma, "{text}");
        }
        for text in ["1,234 of 10,000 files", "1,234/10,000", ""] {
            assert!(!Notation::of(text).decimal_comma, "{text}");
        }
    }

    #[test]
    fn words_up_to_ten_count() {
        assert_eq!(word("both"), Some(2.0));
        assert_eq!(word("drei"), Some(3.0));
        assert_eq!(word("ten"), Some(10.0));
        assert_eq!(word("on"), None);
        assert_eq!(word("eleven"), None);
        assert_eq!(han('三'), Some(3.0));
        assert_eq!(han('百'), None);
    }
}
