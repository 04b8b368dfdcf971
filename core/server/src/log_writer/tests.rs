#![allow(clippy::unwrap_used)]

use super::*;

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[cfg(unix)]
#[tokio::test]
async fn a_log_that_is_renamed_or_deleted_goes_on_in_a_new_file() {
    let folder = tempfile::tempdir().unwrap();
    let (path, old) = (folder.path().join("log"), folder.path().join("log.1"));
    let logs = LogWriters::default();
    let writer = logs.of(&path).unwrap();
    assert_eq!(writer.write("one").await, Outcome::Written);
    std::fs::rename(&path, &old).unwrap();
    assert_eq!(writer.write("two").await, Outcome::Written);
    assert_eq!(writer.write("three").await, Outcome::Written);
    assert_eq!(read(&old), "one\n");
    assert_eq!(read(&path), "two\nthree\n");
    // As logrotate does with `create`.
    std::fs::rename(&path, &old).unwrap();
    std::fs::write(&path, "").unwrap();
    assert_eq!(writer.write("four").await, Outcome::Written);
    assert_eq!(read(&old), "two\nthree\n");
    assert_eq!(read(&path), "four\n");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(writer.write("five").await, Outcome::Written);
    assert_eq!(read(&path), "five\n");
}

#[tokio::test]
async fn every_line_is_in_the_file_once_the_writers_are_closed() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [folder.path().join("a"), folder.path().join("b")];
    let logs = LogWriters::default();
    let writers = paths.each_ref().map(|path| logs.of(path).unwrap());
    for number in 0..MOST_WAITING / 2 {
        for writer in &writers {
            assert!(writer.try_write(&number.to_string()));
        }
    }
    logs.close().await;
    for path in &paths {
        assert_eq!(read(path).lines().count(), MOST_WAITING / 2);
    }
    assert!(!writers[0].try_write("late"));
    assert_eq!(writers[1].write("late").await, Outcome::Closed);
}

#[tokio::test]
async fn a_flush_waits_for_the_lines_before_it_and_makes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let logs = LogWriters::default();
    let writer = logs.of(&path).unwrap();
    logs.flush().await;
    assert!(!path.exists());
    assert!(writer.try_write("one"));
    logs.flush().await;
    assert_eq!(read(&path), "one\n");
    assert_eq!(writer.write("two").await, Outcome::Written);
}

#[tokio::test]
async fn a_line_that_finds_no_room_waits_for_it() {
    let (writer, mut messages) = LogWriter::unread(1);
    assert!(writer.try_write("one"));
    assert!(!writer.try_write("two"));
    let mut waiting = Box::pin(writer.write("three"));
    assert!(futures::poll!(&mut waiting).is_pending());
    assert_eq!(&*messages.recv().await.unwrap().line, "one");
    assert!(futures::poll!(&mut waiting).is_pending());
    let message = messages.recv().await.unwrap();
    assert_eq!(&*message.line, "three");
    message.written.unwrap().send(true).unwrap();
    assert_eq!(waiting.await, Outcome::Written);
}

#[tokio::test]
async fn a_file_has_one_writer_while_anybody_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let logs = LogWriters::default();
    let writer = logs.of(&path).unwrap();
    assert!(Arc::ptr_eq(&writer, &logs.of(&path).unwrap()));
    let other = logs.of(&folder.path().join("other")).unwrap();
    assert!(!Arc::ptr_eq(&writer, &other));
    assert_eq!(writer.write("one").await, Outcome::Written);
    drop((writer, other));
    // The thread of a path that is no longer configured ends by itself.
    let threads = std::mem::take(&mut *logs.started());
    for one in threads {
        one.thread.join().unwrap();
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_line_that_cannot_be_written_is_counted_and_the_next_one_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    std::fs::create_dir(&path).unwrap();
    let logs = LogWriters::default();
    let writer = logs.of(&path).unwrap();
    assert_eq!(writer.write("one").await, Outcome::Lost);
    assert_eq!(logs.lost(), 1);
    std::fs::remove_dir(&path).unwrap();
    assert_eq!(writer.write("two").await, Outcome::Written);
    assert_eq!((logs.lost(), &*read(&path)), (1, "two\n"));
}

#[tokio::test]
async fn no_line_waits_for_a_file_that_is_known_to_hang() {
    let (writer, mut messages) = LogWriter::unread(2);
    writer.hangs.store(true, Ordering::Relaxed);
    for line in ["one", "two"] {
        assert_eq!(writer.write(line).await, Outcome::Lost);
    }
    // Both are written once it goes on.
    assert_eq!(&*messages.recv().await.unwrap().line, "one");
    assert_eq!(&*messages.recv().await.unwrap().line, "two");
}
