//! Tables of lake formats, pipes and links: what is no recording is named as what it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use streamjoin_datasets::{FileFormat, ReadOptions, Source, writer};

fn put(path: &Path) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let batch = RecordBatch::try_from_iter([("id", ids)]).unwrap();
    let file = Box::new(fs::File::create(path).unwrap());
    let mut out = writer(FileFormat::Parquet, file, &batch.schema()).unwrap();
    out.write(&batch).unwrap();
    out.finish().unwrap();
    path.to_owned()
}

fn text(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn open(path: &Path) -> Result<Source, String> {
    Source::open(path, &ReadOptions::default()).map_err(|error| {
        assert!(error.is_refusal(), "{error:?}");
        error.to_string()
    })
}

#[track_caller]
fn refused(path: &Path, parts: &[&str]) {
    let message = open(path).unwrap_err();
    parts.iter().for_each(|part| assert!(message.contains(part), "`{part}` is not in: {message}"));
}

#[test]
fn delta_hudi_and_iceberg_are_recognised() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    text(&at.join("delta/_delta_log/00000000000000000000.json"), "{}");
    text(&at.join("hudi/.hoodie/hoodie.properties"), "");
    text(&at.join("iceberg/metadata/v1.metadata.json"), "{\"format-version\": 2}");
    text(&at.join("packed/metadata/00000-x.gz.metadata.json"), "");
    for (name, lake, remedy) in [
        ("delta", "Delta Lake", "DeltaTable("),
        ("hudi", "Apache Hudi", "format(\"hudi\")"),
        ("iceberg", "Apache Iceberg", "format(\"iceberg\")"),
        ("packed", "Apache Iceberg", "format(\"iceberg\")"),
    ] {
        let root = at.join(name);
        // Before it has rows.
        refused(&root, &[&format!("is a table of {lake}"), "removed or replaced", remedy]);
        put(&root.join("data/dt=1/part-0.parquet"));
        put(&root.join("part-1.parquet"));
        refused(&root, &[&format!("is a table of {lake}"), "removed or replaced", remedy]);
        let root_text = root.display().to_string();
        for part in [
            "data",
            "data/dt=1",
            "data/dt=1/part-0.parquet",
            "*.parquet",
            "data/*/*",
            "**/*.parquet",
        ] {
            let part_of = format!("is a part of the {lake} table {root_text}");
            refused(&root.join(part), &[&part_of, remedy]);
        }
        // From above, and through a link.
        refused(&at.join(format!("{name}*")), &[lake]);
        #[cfg(unix)]
        {
            let link = at.join(format!("link-to-{name}"));
            std::os::unix::fs::symlink(root.join("data"), &link).unwrap();
            refused(&link, &[&format!("is a part of the {lake} table"), remedy]);
        }
    }
    refused(at, &["is a part of the"]);
}

#[test]
fn what_only_looks_alike_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    put(&at.join("plain/part-0.parquet"));
    text(&at.join("plain/metadata/photo.metadata.json"), "{\"width\": 2}");
    text(&at.join("plain/_delta_log"), "a file, not a folder");
    assert_eq!(open(&at.join("plain/part-0.parquet")).unwrap().rows(), Some(1));
    // Text next to a table is nobody's table.
    text(&at.join("lake/_delta_log/0.json"), "{}");
    text(&at.join("lake/notes/a.csv"), "a\n1\n");
    open(&at.join("lake/notes")).unwrap();
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_without_waiting() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    fs::create_dir(at.join("d")).unwrap();
    let pipe = at.join("d/live.csv");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in ["d/live.csv", "d", "d/*.csv"] {
        refused(&at.join(path), &["live.csv: a named pipe", "streamjoin data record -o"]);
    }
    refused(Path::new("/dev/null"), &["/dev/null: a device"]);
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_named_with_where_it_points() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    fs::create_dir(at.join("d")).unwrap();
    std::os::unix::fs::symlink("gone/rows.csv", at.join("d/rows.csv")).unwrap();
    std::os::unix::fs::symlink(at.join("nowhere"), at.join("folder")).unwrap();
    std::os::unix::fs::symlink("round.csv", at.join("round.csv")).unwrap();
    let message =
        |path: &str| Source::open(&at.join(path), &ReadOptions::default()).unwrap_err().to_string();
    for path in ["d/rows.csv", "d", "d/*.csv"] {
        let text = message(path);
        assert!(
            text.contains("d/rows.csv: a link to gone/rows.csv, which does not exist"),
            "{text}"
        );
    }
    for path in ["folder", "folder/rows.csv"] {
        let text = message(path);
        assert!(
            text.contains("folder: a link to ") && text.contains("nowhere, which does not exist"),
            "{text}"
        );
    }
    let text = message("round.csv");
    assert!(text.contains("round.csv: a link to round.csv, which leads back to itself"), "{text}");
    // A link to a file that is there is that file.
    fs::write(at.join("there.csv"), "a\n1\n").unwrap();
    std::os::unix::fs::symlink("there.csv", at.join("link.csv")).unwrap();
    Source::open(&at.join("link.csv"), &ReadOptions::default()).unwrap();
}
