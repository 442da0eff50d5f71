//! A folder with a small stream and table, and the binary to run over them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Output, Stdio};

use assert_cmd::Command;

/// Six orders of four customers; 9 is unknown and one is null.
pub(crate) const ORDERS: &str = "\
id,customer,amount,at
1,1,10,2024-01-01 00:00:00
2,2,20,2024-01-01 00:00:04
3,9,30,2024-01-01 00:00:11
4,,40,2024-01-01 00:00:12
5,1,50,2024-01-01 00:00:35
6,3,60,2024-01-01 00:00:36
";

/// Four customers.
pub(crate) const CUSTOMERS: &str = "\
customer,name,vip
1,Ann,true
2,Bob,false
3,Cem,
4,Dora,true
";

/// The least scenario over them.
pub(crate) const SCENARIO: &str = r#"
description = "orders with customers"
[stream.orders]
recording = "orders.csv"
event_time = "at"
[[dimension]]
name = "customers"
table = "customers.csv"
type = "left outer"
on = "orders.customer = customers.customer"
"#;

/// An output that every format can hold: no two columns of one name.
pub(crate) const WRITABLE: &str = r#"
[output]
select = ["orders.*", "name", "vip"]
"#;

/// A temporary folder that goes with the test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    /// With `orders.csv`, `customers.csv` and `s.toml`.
    pub(crate) fn small() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("orders.csv", ORDERS);
        folder.write("customers.csv", CUSTOMERS);
        folder.write("s.toml", SCENARIO);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// `s.toml` with some text replaced.
    pub(crate) fn scenario_with(&self, from: &str, to: &str) {
        assert!(SCENARIO.contains(from), "{from}");
        self.write("s.toml", SCENARIO.replacen(from, to, 1));
    }

    /// `s.toml` with more text.
    pub(crate) fn scenario_and(&self, more: &str) {
        self.write("s.toml", format!("{SCENARIO}{more}"));
    }

    /// Names in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs `streamjoin ARGS` in the folder.
    pub(crate) fn streamjoin(&self, args: &[&str]) -> Ran {
        let mut command = Command::cargo_bin("streamjoin").unwrap();
        command.current_dir(self.0.path()).args(args);
        command.env_remove("STREAMJOIN_DATA").env_remove("STREAMJOIN_ISA");
        // Tests look at answers, not at speed.
        command.env("STREAMJOIN_MEASURE_FOR", "50ms");
        let output = command.output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        self.0.path()
    }
}

/// What a run of the binary left.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Asserts success without a word on standard error.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{}", self.stdout);
        self.stdout
    }

    /// Asserts a failure of one line with these words.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{}{}", self.stdout, self.stderr);
        assert!(self.stderr.starts_with("error: "), "{}", self.stderr);
        assert_eq!(self.stderr.trim_end().lines().count(), 1, "{}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "no `{word}` in: {}", self.stderr);
        }
    }
}

/// The options with which `unshare` lets a process mount, if any do.
fn mounting() -> Option<&'static [&'static str]> {
    let ways: [&[&str]; 2] = [&["--mount"], &["--user", "--map-root-user", "--mount"]];
    let may = |way: &&[&str]| {
        let tried = ["sh", "-c", "mount -t tmpfs tmpfs /mnt"];
        let tried =
            process::Command::new("unshare").args(*way).args(tried).stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    };
    let way = ways.into_iter().find(may);
    if way.is_none() {
        assert!(env::var_os("CI").is_none(), "this machine lets no process mount");
        eprintln!("not tested: this machine lets no process mount");
    }
    way
}

/// A shell script with the program as `$SJ`, in a file-system view of its own;
/// `None` where nobody may make one.
pub(crate) fn in_own_mounts(folder: &Folder, script: &str) -> Option<Output> {
    let mut command = process::Command::new("unshare");
    command.args(mounting()?).args(["sh", "-euc", script]);
    command.env("SJ", assert_cmd::cargo::cargo_bin!("streamjoin")).env_remove("STREAMJOIN_DATA");
    command.env("STREAMJOIN_MEASURE_FOR", "50ms");
    command.current_dir(folder.path("")).stdin(Stdio::null());
    Some(command.output().unwrap())
}

/// Its standard error.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Its standard output.
pub(crate) fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
