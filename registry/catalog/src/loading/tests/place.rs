//! Where a file may lie, and who may write to it.

use std::os::unix::fs::symlink;

use super::*;
use crate::loading::LoadingRules;
use crate::loading::fixtures::set_mode;

/// Folders with a good file in the allowed one.
fn with_file() -> Folders {
    let folders = Folders::new();
    write(&folders.allowed().join("libpv_search.so"), good_library());
    folders
}

fn refused(folders: &Folders, file: &str) -> LoadError {
    preflight(&DylibWish::of(file), &folders.rules()).unwrap_err()
}

fn passes(folders: &Folders, file: &str) -> bool {
    preflight(&DylibWish::of(file), &folders.rules()).is_ok()
}

#[test]
fn a_file_is_found_by_name_by_path_and_below_the_folder() {
    let folders = with_file();
    let below = folders.allowed().join("below");
    std::fs::create_dir(&below).unwrap();
    set_mode(&below, 0o755);
    write(&below.join("libother.so"), good_library());
    let absolute = folders.allowed().join("libpv_search.so");
    assert!(passes(&folders, "libpv_search.so"));
    assert!(passes(&folders, absolute.to_str().unwrap()));
    assert!(passes(&folders, "below/libother.so"));
    assert!(passes(&folders, "below/../libpv_search.so"));
}

#[test]
fn the_folders_are_searched_in_their_order() {
    let folders = with_file();
    let rules = LoadingRules {
        dirs: vec![
            "/does/not/exist".into(),
            folders.elsewhere(),
            folders.allowed(),
        ],
        require_pin: false,
    };
    let wish = DylibWish::of("libpv_search.so");
    let found = |rules| preflight(&wish, rules).unwrap().path;
    assert!(found(&rules).starts_with(folders.allowed()));
    write(&folders.elsewhere().join("libpv_search.so"), good_library());
    assert!(found(&rules).starts_with(folders.elsewhere()));
}

#[test]
fn without_folders_nothing_is_loaded() {
    let folders = with_file();
    let file = folders.allowed().join("libpv_search.so");
    let wish = DylibWish::of(file.to_str().unwrap());
    let refused = preflight(&wish, &LoadingRules::default()).unwrap_err();
    assert_eq!(refused, LoadError::NoFolders);
}

#[test]
fn a_missing_file_is_named_with_the_folders() {
    let folders = Folders::new();
    let refused = refused(&folders, "libnone.so");
    assert_eq!(refused.gate(), "place");
    let text = refused.to_string();
    assert!(text.contains("libnone.so"), "{text}");
    assert!(text.contains(folders.allowed().to_str().unwrap()), "{text}");
}

#[test]
fn a_file_elsewhere_is_refused_however_it_is_named() {
    let folders = with_file();
    let outside = folders.elsewhere().join("libx.so");
    write(&outside, good_library());
    symlink(&outside, folders.allowed().join("liblink.so")).unwrap();
    symlink(folders.elsewhere(), folders.allowed().join("folder")).unwrap();
    for file in [
        outside.to_str().unwrap(),
        "../elsewhere/libx.so",
        "liblink.so",
        "folder/libx.so",
    ] {
        let refused = refused(&folders, file);
        assert!(
            matches!(refused, LoadError::Outside { .. }),
            "{file}: {refused}"
        );
    }
}

#[test]
fn a_folder_whose_name_begins_alike_is_another_one() {
    let folders = Folders::new();
    let alike = folders.allowed().with_file_name("plugins-of-others");
    std::fs::create_dir(&alike).unwrap();
    write(&alike.join("libx.so"), good_library());
    let refused = refused(&folders, alike.join("libx.so").to_str().unwrap());
    assert!(matches!(refused, LoadError::Outside { .. }), "{refused}");
}

#[test]
fn links_within_the_folder_and_to_the_folder_are_followed() {
    let folders = with_file();
    symlink("libpv_search.so", folders.allowed().join("libcurrent.so")).unwrap();
    assert!(passes(&folders, "libcurrent.so"));
    let link = folders.elsewhere().join("link");
    symlink(folders.allowed(), &link).unwrap();
    let rules = LoadingRules {
        dirs: vec![link],
        require_pin: false,
    };
    assert!(preflight(&DylibWish::of("libpv_search.so"), &rules).is_ok());
}

#[test]
fn a_link_to_nothing_or_to_itself_is_refused() {
    let folders = Folders::new();
    symlink("nothing", folders.allowed().join("libdangling.so")).unwrap();
    symlink("libcircle.so", folders.allowed().join("libcircle.so")).unwrap();
    assert_eq!(refused(&folders, "libdangling.so").gate(), "place");
    assert_eq!(refused(&folders, "libcircle.so").gate(), "read");
}

#[test]
fn only_a_regular_file_is_opened() {
    let folders = Folders::new();
    std::fs::create_dir(folders.allowed().join("libfolder.so")).unwrap();
    let pipe = folders.allowed().join("libpipe.so");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for file in ["libfolder.so", "libpipe.so"] {
        let refused = refused(&folders, file);
        assert!(matches!(refused, LoadError::NotAFile { .. }), "{refused}");
    }
    assert_eq!(refused(&folders, "").gate(), "place");
    assert_eq!(refused(&folders, ".").gate(), "place");
}

#[test]
fn a_pipe_that_takes_the_place_of_a_file_is_not_waited_for() {
    let folders = Folders::new();
    let pipe = folders.allowed().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let refused = crate::loading::image::open(&pipe).unwrap_err();
    assert!(matches!(refused, LoadError::NotAFile { .. }), "{refused}");
}

#[test]
fn a_file_that_others_can_write_is_refused() {
    let folders = with_file();
    let file = folders.allowed().join("libpv_search.so");
    for mode in [0o646, 0o664, 0o777] {
        set_mode(&file, mode);
        let refused = refused(&folders, "libpv_search.so");
        let path = file.clone();
        assert_eq!(refused, LoadError::WritableByOthers { path, mode });
    }
}

#[test]
fn a_folder_that_others_can_write_is_refused_up_to_the_allowed_one() {
    let folders = with_file();
    let below = folders.allowed().join("a");
    let deeper = below.join("b");
    std::fs::create_dir_all(&deeper).unwrap();
    write(&deeper.join("libx.so"), good_library());
    for folder in [deeper, below, folders.allowed()] {
        set_mode(&folder, 0o775);
        let refused = refused(&folders, "a/b/libx.so");
        let (path, mode) = (folder.clone(), 0o775);
        assert_eq!(refused, LoadError::WritableByOthers { path, mode });
        set_mode(&folder, 0o755);
    }
    assert!(passes(&folders, "a/b/libx.so"));
}

#[test]
fn what_lies_above_the_allowed_folder_may_be_open_to_all() {
    let folders = with_file();
    set_mode(folders.allowed().parent().unwrap(), 0o1777);
    assert!(passes(&folders, "libpv_search.so"));
}
