//! Files that appear whole or not at all.

use super::*;

#[test]
fn appears_whole_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("deep/a.txt");
    let mut file = AtomicFile::create(&path, false).unwrap();
    file.write_all(b"one").unwrap();
    assert!(!path.exists());
    file.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"one");

    assert!(matches!(AtomicFile::create(&path, false), Err(DatasetError::Exists { .. })));
    let mut file = AtomicFile::create(&path, true).unwrap();
    file.write_all(b"two").unwrap();
    drop(file);
    assert_eq!(fs::read(&path).unwrap(), b"one");
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    AtomicFile::create(&path, true).unwrap().commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"");
}

#[test]
fn what_is_partial_keeps_its_extensions() {
    for (path, partial) in [
        ("a/rows.parquet", "a/rows.partial.parquet"),
        ("rows.csv.gz", "rows.partial.csv.gz"),
        ("a.b/rows", "a.b/rows.partial"),
    ] {
        assert_eq!(partial_path(Path::new(path)), Path::new(partial));
    }
}

#[test]
fn names_may_be_as_long_as_the_file_system_takes() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["a".repeat(251) + ".csv", "a".to_owned() + &"é".repeat(125) + ".csv"] {
        let path = dir.path().join(name);
        AtomicFile::create(&path, false).unwrap().commit().unwrap();
        let partial = AtomicFile::create(&path, true).unwrap().keep_partial().unwrap();
        assert!(path.exists() && partial.exists() && partial != path);
        assert!(partial.to_string_lossy().ends_with(".partial.csv"));
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 4);
}

#[test]
fn a_file_made_meanwhile_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.txt");
    let file = AtomicFile::create(&path, false).unwrap();
    fs::write(&path, b"theirs").unwrap();
    assert!(matches!(file.commit(), Err(DatasetError::Exists { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"theirs");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}
