use super::Check;
use crate::facts::tests::{all_corpora, lines_of};

#[test]
fn traps_and_hostile_files_are_checked_to_their_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = all_corpora(folder.path());
    let mut lines = 0;
    let mut bytes = 0;
    for file in &files {
        let content = std::fs::read(&file.path).expect("a file");
        bytes += content.len() as u64;
        lines += lines_of(&content, |_| {});
    }
    let report = Check::new().listed(3).files(&files);
    assert_eq!(report.files_checked, files.len() as u64);
    assert_eq!((report.lines_checked, report.bytes_checked), (lines, bytes));
    let rules = super::Rule::ALL.len();
    for file in &report.files {
        assert!(file.findings.len() <= 3 * rules, "{}", file.path.display());
        for finding in &file.findings {
            let length = std::fs::metadata(&file.path).map_or(0, |meta| meta.len());
            assert!(finding.offset + finding.length <= length, "{finding:?}");
        }
    }
}
