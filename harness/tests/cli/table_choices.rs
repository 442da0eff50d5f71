//! `broadcast_threshold` and `swap`.

use serde_json::Value;

use crate::support::Folder;

#[test]
fn a_broadcast_beyond_the_threshold_is_warned_of() {
    let folder = Folder::small();
    folder.scenario_and("[strategies.a]\nlayout = \"broadcast\"\nbroadcast_threshold = 10\n[strategies.b]\nbroadcast_threshold = 10\n");
    // Each strategy in a process of its own, and one in this one.
    for (strategies, runs) in [(&[][..], 2), (&["--strategy", "a"], 1)] {
        let args =
            [&["run", "s.toml", "--limit", "6", "--format", "json"][..], strategies].concat();
        let ran = folder.streamjoin(&args);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        let said = "warning: dimension `customers`: the table takes ";
        assert!(ran.stderr.starts_with(said), "{}", ran.stderr);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(report["runs"].as_array().unwrap().len(), runs);
        let warnings = report["runs"][0]["warnings"].as_array().unwrap();
        assert_eq!(warnings.len(), 1);
        let said = format!("warning: {}\n", warnings[0].as_str().unwrap());
        assert_eq!(said, ran.stderr);
        if runs == 2 {
            assert_eq!(report["runs"][1]["warnings"], Value::Array(Vec::new()));
        }
    }
    let ran = folder.streamjoin(&["run", "s.toml", "--strategy", "a", "--format", "jsonl"]);
    let lines = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let warnings: Vec<Value> = lines.filter(|line| line["event"] == "warning").collect();
    assert_eq!(warnings.len(), 1, "{}", ran.stdout);
    assert_eq!(warnings[0]["strategy"], "a");
    assert!(warnings[0]["message"].as_str().unwrap().contains("beyond the threshold of 10:"));
}

#[test]
fn explain_says_what_the_threshold_and_the_swap_do() {
    let folder = Folder::small();
    let explain = |keys: &str| {
        folder.scenario_and(&format!("[strategies.a]\n{keys}"));
        folder.streamjoin(&["explain", "s.toml"]).ok()
    };
    for (keys, parts) in [
        (
            "",
            &[
                "broadcast/auto",
                "partitioned if index and columns take more than 1,073,741,824 bytes",
            ][..],
        ),
        (
            "broadcast_threshold = 10\n",
            &["partitioned if index and columns take more than 10 bytes"],
        ),
        (
            "broadcast_threshold = 10\nlayout = \"broadcast\"\n",
            &["broadcast/auto", "layout broadcast: the strategy asks for it"],
        ),
        (
            "swap = \"never\"\n",
            &["swap never: the index that costs least to build serves throughout"],
        ),
        ("swap = \"background\"\n", &["swap background: ", "with one thread"]),
        ("swap = \"background\"\nthreads = 2\n", &["swap background: ", "on another thread"]),
    ] {
        let text = explain(keys);
        for part in parts {
            assert!(text.contains(part), "no `{part}` in {text}");
        }
    }
    assert!(!explain("swap = \"now\"\n").contains("swap"));
    assert!(!explain("swap = \"never\"\nlayout = \"sort-merge\"\n").contains("swap"));
}

#[test]
fn swaps_and_thresholds_that_are_none_are_usage() {
    let folder = Folder::small();
    for (keys, words) in [
        ("swap = \"later\"\n", &["s.toml:12:8", "`later`", "never, now, background"][..]),
        ("broadcast_threshold = -1\n", &["s.toml:12:23", "`broadcast_threshold`"]),
        ("broadcast_threshold = \"1 GB\"\n", &["s.toml:12:23", "`broadcast_threshold`"]),
    ] {
        folder.scenario_and(&format!("[strategies.a]\n{keys}"));
        folder.streamjoin(&["run", "s.toml"]).fails(2, words);
    }
    folder.scenario_and("[strategies.a]\nswap = \"background\"\nthreads = 2\n[strategies.b]\nswap = \"never\"\n[strategies.c]\n[replay]\ntrigger = { rows = 2 }\n");
    folder.streamjoin(&["run", "s.toml", "--limit", "6"]).ok();
}
