//! Files that import one another.

use std::collections::BTreeSet;

use super::imports::Imports;

/// The groups of files in which each reaches every other.
pub(super) fn find(imports: &Imports) -> Vec<Vec<String>> {
    let reached = |from: &str| {
        let mut reached: BTreeSet<&str> = BTreeSet::new();
        let mut next = vec![from];
        while let Some(file) = next.pop() {
            for target in imports.get(file).into_iter().flatten() {
                if reached.insert(target) {
                    next.push(target);
                }
            }
        }
        reached
    };
    let all: Vec<(&str, BTreeSet<&str>)> = imports
        .keys()
        .map(|file| (file.as_str(), reached(file)))
        .collect();
    let mut cycles = BTreeSet::new();
    for (file, reached) in &all {
        let group: Vec<String> = all
            .iter()
            .filter(|(other, back)| reached.contains(other) && back.contains(file))
            .map(|(other, _)| (*other).to_owned())
            .collect();
        if group.len() > 1 {
            cycles.insert(group);
        }
    }
    cycles.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports(edges: &[(&str, &str)]) -> Imports {
        let mut imports = Imports::new();
        for (from, to) in edges {
            imports
                .entry((*from).to_owned())
                .or_default()
                .insert((*to).to_owned());
        }
        imports
    }

    #[test]
    fn a_cycle_is_found_once() {
        let edges = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), ("c", "e")];
        assert_eq!(find(&imports(&edges)), [["a", "b", "c"]]);
        assert!(find(&imports(&edges[..2])).is_empty());
    }
}
