//! Failures of builds in the background.

use arrow::array::{ArrayRef, Int64Array};
use streamjoin_kernels::JoinType;
use streamjoin_kernels::stream_static;

use super::*;
use crate::error::FailureKind;
use crate::plan::{Strategy, plan};
use crate::scenario::{SourceText, parse};

#[test]
fn a_build_behind_the_first_that_fails_names_the_table() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.csv"), "k\n1\n").unwrap();
    std::fs::write(folder.path().join("d.csv"), "k,v\n1,2\n").unwrap();
    let text = "[stream.s]\nrecording = \"s.csv\"\n[[dimension]]\nname = \"d\"\ntable = \"d.csv\"\nindex = \"row-at-a-time\"\non = \"s.k = d.k\"\n";
    let source = SourceText::new(folder.path().join("s.toml"), text);
    let plan = plan(&parse(source, "s").unwrap(), None).unwrap();
    let strategy = Strategy::auto().unwrap();
    for threaded in [false, true] {
        let join = plan.joins()[0].operator(&strategy, None).unwrap();
        // It builds tables of one column only.
        let one: ArrayRef = Arc::new(Int64Array::from(vec![1]));
        let one = RecordBatch::try_from_iter([("k", one)]).unwrap().schema();
        let keys = [(0, 0)];
        let spec = stream_static::Spec::on(one.clone(), one, JoinType::Inner, keys).unwrap();
        let other = stream_static::Join::new(spec, stream_static::Options::default()).unwrap();
        let behind = Some(BackgroundBuild::new(other, threaded));
        let mut dimension = LiveTable::new(&plan.joins()[0], Swap::Background, behind);
        dimension.refresh(&join, 0, None).unwrap();
        let failed = match threaded {
            false => dimension.refresh(&join, 1, None),
            true => dimension.settle(),
        };
        let failure = failed.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Run);
        for part in ["building another index of dimension `d`", "columns"] {
            assert!(failure.message.contains(part), "{failure}");
        }
    }
}
