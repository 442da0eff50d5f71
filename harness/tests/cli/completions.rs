//! `completions` and `man`.

use std::process::Command;

use crate::support::Folder;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets");

#[test]
fn every_shell_has_a_script() {
    let folder = Folder::small();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.streamjoin(&["completions", shell]).ok();
        for word in ["watermark", "event-time", "vary", "init"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(folder.streamjoin(&["completions", "csh"]).code, 2);
}

#[test]
fn bash_completes() {
    let folder = Folder::small();
    let script = folder.streamjoin(&["completions", "bash", "--data-dir", DATA]).ok();
    folder.write("c.bash", &script);
    let bash = |text: &str| {
        let ran = Command::new("bash").current_dir(&folder).args(["-c", text]).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    };
    bash("bash -n c.bash");
    let complete = |words: &str, current: &str, before: &str| {
        bash(&format!(
            "source c.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _streamjoin streamjoin '{current}' '{before}'; echo ${{COMPREPLY[@]}}"
        ))
    };
    assert_eq!(complete("streamjoin expl", "expl", "streamjoin").trim(), "explain");
    assert_eq!(complete("streamjoin run nyc-e", "nyc-e", "run").trim(), "nyc-enrich");
    assert_eq!(complete("streamjoin run --ev", "--ev", "run").trim(), "--event-time");
}

#[test]
fn every_command_has_a_page() {
    let folder = Folder::small();
    let page = folder.streamjoin(&["man"]).ok();
    assert!(page.contains(".SH NAME"), "{page}");
    folder.streamjoin(&["man", "pages/man1"]).ok();
    let commands = [
        "run",
        "init",
        "explain",
        "check",
        "watermark",
        "conform",
        "machine",
        "sweep",
        "data",
        "completions",
        "man",
    ];
    for command in commands {
        assert!(page.contains(&format!("streamjoin\\-{command}(1)")), "{command}");
        let path = folder.path(&format!("pages/man1/streamjoin-{command}.1"));
        let page = std::fs::read_to_string(path).unwrap();
        assert!(page.contains(".SH NAME") && page.contains(".SH OPTIONS"), "{command}");
    }
    assert!(!page.contains("measure\\-one"), "a hidden command is in the manual");
    folder.write("file", "");
    folder.streamjoin(&["man", "file"]).fails(1, &["file"]);
}
