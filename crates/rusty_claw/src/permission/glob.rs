//! Path patterns.

use super::path_context::PathContext;
use super::plain_path::{PlainPath, is_absolute, split, unified};
use super::protected::is_protected;

/// A path pattern: `*` and `?` within a name, `**` across directories.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PathGlob {
    parts: Vec<Part>,
    begin: Begin,
    /// Whether it contains wildcards that are not supported here (`[a-z]`, `{a,b}`), `..` or `\`.
    unreadable: bool,
    /// Whether it has brackets but no stars: then it is the name of one file (`[id]/page.tsx`),
    /// although more may have been meant.
    bracketed: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum Part {
    /// Any number of names.
    Names,
    /// A name with stars and question marks.
    Pattern(String),
    Name(String),
}

/// The directory that a pattern is relative to.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Begin {
    Root,
    Home,
    /// The working directory.
    Folder,
}

impl PathGlob {
    pub(super) fn new(pattern: &str) -> Self {
        let pattern = unified(pattern);
        let home = pattern
            .strip_prefix('~')
            .filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let begin = match home {
            Some(_) => Begin::Home,
            None if is_absolute(&pattern) => Begin::Root,
            None => Begin::Folder,
        };
        let below = home.unwrap_or(&pattern);
        let brackets = below.contains(['[', ']', '{', '}']);
        let stars = below.contains(['*', '?']);
        Self {
            begin,
            bracketed: brackets && !stars,
            unreadable: brackets && stars
                || below.contains(['\\', '\0'])
                || below.starts_with('~')
                || below.split('/').any(|part| part == ".."),
            parts: split(below).map(Part::new).collect(),
        }
    }

    /// A literal path, without wildcards; with `below` also everything below it. Otherwise it is
    /// read like a pattern.
    pub(super) fn literal(path: &str, below: bool) -> Self {
        let mut glob = Self::new(path);
        let rest = unified(path);
        let rest = match glob.begin {
            Begin::Home => rest.strip_prefix('~').unwrap_or_default(),
            Begin::Root | Begin::Folder => &rest,
        };
        glob.unreadable = rest.starts_with('~')
            || rest.contains('\0')
            || rest.split('/').any(|part| part == "..");
        glob.bracketed = false;
        glob.parts = split(rest).map(Part::Name).collect();
        if below {
            glob.parts.push(Part::Names);
        }
        glob
    }

    /// Whether the pattern is not supported, so that nothing can be concluded from it.
    pub(super) fn is_unreadable(&self) -> bool {
        self.unreadable
    }

    /// Whether more files than the one it names may have been meant.
    pub(super) fn may_mean_more(&self) -> bool {
        self.bracketed
    }

    /// The pattern from the root; `None` if it cannot be resolved.
    pub(super) fn placed(&self, path_context: &PathContext) -> Option<Glob> {
        let begin = match self.begin {
            Begin::Root => &PlainPath::default(),
            Begin::Home => path_context.home_folder()?,
            Begin::Folder => path_context.folder()?,
        };
        (!self.unreadable).then(|| Glob::below(begin, &self.parts))
    }

    /// Everything in the working directory.
    pub(super) fn all_in_folder() -> Self {
        Self::new("**")
    }
}

impl Part {
    fn new(text: String) -> Self {
        match text.as_str() {
            "**" => Self::Names,
            pattern if pattern.contains(['*', '?']) => Self::Pattern(text),
            _ => Self::Name(text),
        }
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Names => true,
            Self::Pattern(pattern) => name_matches(pattern, name),
            Self::Name(this) => this == name,
        }
    }
}

/// A pattern from the root.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Glob {
    parts: Vec<Part>,
}

impl Glob {
    fn below(folder: &PlainPath, parts: &[Part]) -> Self {
        let folder = folder.names().iter().cloned().map(Part::Name);
        Self {
            parts: folder.chain(parts.iter().cloned()).collect(),
        }
    }

    /// Moves the pattern from one directory to another; `None` if it does not begin in the first.
    pub(super) fn moved(&self, from: &PlainPath, to: &PlainPath) -> Option<Self> {
        let from = Self::below(from, &[]);
        let rest = self.parts.strip_prefix(from.parts.as_slice())?;
        Some(Self::below(to, rest))
    }

    /// The pattern in lowercase, to compare without regard to case.
    pub(super) fn caseless(&self) -> Self {
        let lowered = self.parts.iter().map(|part| match part {
            Part::Names => Part::Names,
            Part::Pattern(pattern) => Part::Pattern(pattern.to_lowercase()),
            Part::Name(name) => Part::Name(name.to_lowercase()),
        });
        Self {
            parts: lowered.collect(),
        }
    }

    pub(super) fn matches(&self, path: &PlainPath) -> bool {
        self.walk(path).matched
    }

    /// Returns whether it matches everything below what it matches.
    pub(super) fn covers_below(&self) -> bool {
        self.parts.last() == Some(&Part::Names)
    }

    /// Returns whether a wildcard of the pattern matches a protected name in the path. Names before
    /// the first wildcard and after the last one are explicit in the pattern, so they are allowed,
    /// and so are the names of the session's folder.
    pub(super) fn guesses_protected(&self, path: &PlainPath, folder: &PlainPath) -> bool {
        let is_named = |part: &&Part| matches!(part, Part::Name(_));
        let front = self.parts.iter().take_while(is_named).count();
        let back = self.parts.iter().rev().take_while(is_named).count();
        let names = path.names();
        let is_in_folder = names.starts_with(folder.names());
        let own = folder.names().len() * usize::from(is_in_folder);
        let open = front.max(own)..names.len().saturating_sub(back);
        names
            .get(open)
            .is_some_and(|open| is_protected(&open.join("/")))
    }

    /// Returns whether the path or something below it could match.
    pub(super) fn reaches_below(&self, path: &PlainPath) -> bool {
        self.walk(path).reached
    }

    fn walk(&self, path: &PlainPath) -> Walk {
        let names = path.names();
        // For each prefix of the path, whether the parts so far match it.
        let mut so_far: Vec<bool> = (0..=names.len()).map(|length| length == 0).collect();
        let whole = |so_far: &[bool]| so_far.last().copied().unwrap_or(false);
        let mut reached = whole(&so_far);
        for part in &self.parts {
            let mut with_part = Vec::with_capacity(so_far.len());
            let mut before = false;
            for (length, &matched) in so_far.iter().enumerate() {
                let name = length.checked_sub(1).and_then(|last| names.get(last));
                with_part.push(if *part == Part::Names {
                    matched || whole(&with_part)
                } else {
                    before && name.is_some_and(|name| part.matches(name))
                });
                before = matched;
            }
            so_far = with_part;
            reached |= whole(&so_far);
        }
        Walk {
            matched: whole(&so_far),
            reached,
        }
    }
}

/// The result of matching a pattern along a path.
struct Walk {
    matched: bool,
    /// Whether the pattern, or a prefix of it, matches the whole path.
    reached: bool,
}

/// Matches a name against a pattern, backtracking to the last star.
fn name_matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || Some(c) == name.get(n) => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, taken)) = star else {
                    return false;
                };
                star = Some((at, taken + 1));
                p = at + 1;
                n = taken + 1;
            }
        }
    }
    pattern.iter().skip(p).all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around() -> PathContext {
        PathContext::new("/no-such/[w]")
    }

    fn placed(pattern: &str) -> Glob {
        PathGlob::new(pattern).placed(&around()).expect("readable")
    }

    fn plain(path: &str) -> PlainPath {
        around().readings(path).expect("readable").text
    }

    #[test]
    fn patterns_match_as_people_expect() {
        let cases = [
            ("/w/src/**", "/w/src/a/b.rs", true),
            ("/w/src/**", "/w/src", true),
            ("/w/src/**", "/w/srcs/a", false),
            ("/w/src/**", "/w/src/../../etc/passwd", false),
            ("/w/*.rs", "/w/a.rs", true),
            ("/w/*.rs", "/w/a/b.rs", false),
            ("/w/a?c", "/w/abc", true),
            ("/w/a?c", "/w/aüc", true),
            ("/w/a?c", "/w/ac", false),
            ("/w/a*b*c", "/w/axxbxbyc", true),
            ("/w/a*b*c", "/w/axxbxby", false),
            ("/**/.env", "/w/deep/.env", true),
            ("/**/.env", "/.env", true),
            ("/**/.env", "/w/.envrc", false),
            ("/w/**/t/*", "/w/a/b/t/x", true),
            ("/w/**/t/*", "/w/t/x", true),
            ("/w//./x", "/w/x", true),
            ("src/**", "/no-such/[w]/src/a", true),
            ("**/a", "x/a", true),
            ("**/a", "/x/a", false),
        ];
        for (pattern, path, expected) in cases {
            let matched = placed(pattern).matches(&plain(path));
            assert_eq!(matched, expected, "{pattern} {path}");
        }
    }

    #[test]
    fn a_folder_is_reached_by_what_may_be_below_it() {
        let reaches = |pattern: &str, path: &str| placed(pattern).reaches_below(&plain(path));
        assert!(reaches("/w/secret/**", "/w"));
        assert!(reaches("/**/.env", "/w"));
        assert!(!reaches("/w/secret/**", "/v"));
        assert!(!reaches("/w/secret", "/w/secret/deep"));
    }

    #[test]
    fn what_a_text_does_not_tell_is_not_guessed() {
        for pattern in ["/w/[ab]*", "/w/{a,b}/**", "/w/[a]?", "/w/../x", "~me/x"] {
            assert!(PathGlob::new(pattern).is_unreadable(), "{pattern}");
            assert_eq!(PathGlob::new(pattern).placed(&around()), None);
        }
        let nowhere = PathContext::default();
        assert_eq!(PathGlob::new("src/**").placed(&nowhere), None);
        assert_eq!(PathGlob::new("~/x").placed(&nowhere), None);
    }

    #[test]
    fn without_stars_brackets_are_letters() {
        let glob = placed("/w/[id]/{x}.tsx");
        assert!(glob.matches(&plain("/w/[id]/{x}.tsx")));
        assert!(!glob.matches(&plain("/w/i/x.tsx")));
        assert!(PathGlob::new("/w/[id]").may_mean_more());
        assert!(!PathGlob::literal("/w/[id]", true).may_mean_more());
    }

    #[test]
    fn a_literal_path_has_no_signs() {
        let literal = |path: &str, below: bool| {
            let glob = PathGlob::literal(path, below);
            glob.placed(&around())
        };
        let stars = literal("/w/[id]/*", false).expect("a path");
        assert!(stars.matches(&plain("/w/[id]/*")));
        assert!(!stars.matches(&plain("/w/[id]/a")));
        let below = literal("/w/**", true).expect("a path");
        assert!(below.matches(&plain("/w/**/a")) && !below.matches(&plain("/w/a")));
        assert_eq!(literal("/w/../x", false), None);
    }
}
