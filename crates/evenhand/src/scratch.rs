//! Temporary files and folders: private to their user, locked while their process lives, gone when it ends.
//!
//! Holds [`ScratchFile`], which is written beside its place and takes it when it is complete, and [`ScratchFolder`]. Both are
//! removed when they are dropped, by [`abandon`] when a signal ends the process, and, where nothing could remove them, by the
//! next process that makes something in the same folder ([`sweep`]).
//!
//! A lock tells what is in use from what was left behind: the system lets go of it when its process ends, however it ends, and
//! also where that process was in another container. The number of a process, written into a name, may by then be another's.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{Builder, NamedTempFile, TempDir};

/// So many random letters and digits are in a name that nobody else gives a file such a name.
const RANDOM: usize = 12;

const FILE: (&str, &str) = (".evenhand-", ".tmp");
const FOLDER: (&str, &str) = ("evenhand-", "");

/// How often something is made anew because a sweep of another process took it for left behind before it was locked.
const TRIES: usize = 20;

/// What this process has made and not yet removed, and where it has swept.
struct Live {
    made: BTreeSet<PathBuf>,
    swept: BTreeSet<PathBuf>,
}

static LIVE: Mutex<Live> = Mutex::new(Live { made: BTreeSet::new(), swept: BTreeSet::new() });

/// Whoever makes something, gives it its place or removes it holds this: [`abandon`] then finds all or nothing.
fn live() -> MutexGuard<'static, Live> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is not yet what it will be: unless it takes its place, nothing is left of it.
#[derive(Debug)]
pub struct ScratchFile(Option<NamedTempFile>);

impl ScratchFile {
    /// In the folder of the place it is to take.
    ///
    /// # Errors
    /// What the system says when no file can be made there.
    pub fn beside(place: &Path) -> io::Result<Self> {
        let folder = folder_of(place);
        let mut live = live();
        live.sweep_once(folder);
        let mut builder = builder(FILE);
        // Temporary files are private by default; this one becomes an ordinary file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = made(|| builder.tempfile_in(folder), |file| locked(file.as_file(), file.path()))?;
        live.made.insert(file.path().to_owned());
        Ok(Self(Some(file)))
    }

    /// The file, to be written to.
    pub fn file(&self) -> &File {
        self.named().as_file()
    }

    /// Where it is until it takes its place.
    pub fn path(&self) -> &Path {
        self.named().path()
    }

    /// Gives it its place; what was there is replaced.
    ///
    /// # Errors
    /// What the system says; nothing is left of it then.
    pub fn take(self, place: &Path) -> io::Result<()> {
        take_all(vec![(self, place.to_owned())]).map_err(|(_, error)| error)
    }

    fn named(&self) -> &NamedTempFile {
        self.0.as_ref().expect("it is taken out only when it is used up")
    }
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        if let Some(file) = self.0.take() {
            let mut live = live();
            live.made.remove(file.path());
            drop(file);
        }
    }
}

/// Gives each file its place, in order; no signal that is handled by [`abandon`] comes between them.
///
/// # Errors
/// How many have taken their places, and what the system said of the next; nothing is left of the others.
pub fn take_all(files: Vec<(ScratchFile, PathBuf)>) -> Result<(), (usize, io::Error)> {
    let mut live = live();
    let mut failed = None;
    for (at, (mut file, place)) in files.into_iter().enumerate() {
        let Some(file) = file.0.take() else { continue };
        live.made.remove(file.path());
        // One that is not to be kept is removed here.
        if failed.is_none() {
            failed = file.persist(&place).err().map(|failed| (at, failed.error));
        }
    }
    failed.map_or(Ok(()), Err)
}

/// A folder that nobody else can look into, and that is removed with all that is in it.
#[derive(Debug)]
pub struct ScratchFolder {
    folder: TempDir,
    /// Locked as long as it is open.
    _lock: Option<File>,
}

impl ScratchFolder {
    /// In the folder that the system has for such things.
    ///
    /// # Errors
    /// What the system says when none can be made there.
    pub fn new() -> io::Result<Self> {
        let parent = std::env::temp_dir();
        let mut live = live();
        live.sweep_once(&parent);
        let mut builder = builder(FOLDER);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let make = || {
            let folder = builder.tempdir_in(&parent)?;
            let lock = File::open(folder.path()).ok();
            Ok((folder, lock))
        };
        let (folder, lock) = made(make, |(folder, lock)| is_held(folder.path(), lock.as_ref()))?;
        live.made.insert(folder.path().to_owned());
        Ok(Self { folder, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        let mut live = live();
        remove(self.folder.path());
        live.made.remove(self.folder.path());
    }
}

/// Which side of a [`copy`] failed, and what the system said.
#[derive(Debug)]
pub enum CopyFailure {
    /// What was to be copied could not be read.
    Read(io::Error),
    /// The copy could not be written.
    Write(io::Error),
}

/// Copies all that can be read from somewhere. A full disk is then not blamed on what is read.
///
/// # Errors
/// Which side failed.
pub fn copy(from: &mut impl Read, to: &mut impl Write) -> Result<(), CopyFailure> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return to.flush().map_err(CopyFailure::Write),
            Ok(length) => to.write_all(&buffer[..length]).map_err(CopyFailure::Write)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(CopyFailure::Read(error)),
        }
    }
}

/// Removes everything that this process has made, and lets nothing more be made or take its place.
///
/// For a thread that ends the process when a signal came: whoever is about to write waits from then on.
pub fn abandon() {
    let live = live();
    for path in &live.made {
        remove(path);
    }
    std::mem::forget(live);
}

/// Returns unless [`abandon`] was called: what is found out after that is of no use to anyone.
pub fn wait_if_abandoned() {
    drop(live());
}

/// Removes from a folder what processes that are gone have left there: files and folders named as here are, of this user, that
/// nobody has locked.
pub fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let kind = entry.file_type();
        let ours = match kind {
            Ok(kind) if kind.is_file() => is_named(name, FILE),
            Ok(kind) if kind.is_dir() => is_named(name, FOLDER),
            _ => false,
        };
        if ours && let Some(_lock) = left_behind(&entry.path()) {
            remove(&entry.path());
        }
    }
}

impl Live {
    /// The first time that something is made in a folder.
    fn sweep_once(&mut self, folder: &Path) {
        if self.swept.insert(folder.to_owned()) {
            sweep(folder);
        }
    }
}

fn builder((prefix, suffix): (&'static str, &'static str)) -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(prefix).suffix(suffix).rand_bytes(RANDOM);
    builder
}

fn is_named(name: &str, (prefix, suffix): (&str, &str)) -> bool {
    let middle = name.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix));
    middle.is_some_and(|middle| middle.len() == RANDOM && middle.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// The folder that a file is in or is to be in.
fn folder_of(place: &Path) -> &Path {
    place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes something until it is locked.
fn made<T>(make: impl Fn() -> io::Result<T>, is_locked: impl Fn(&T) -> bool) -> io::Result<T> {
    for _ in 0..TRIES {
        let one = make().map_err(without_path)?;
        if is_locked(&one) {
            return Ok(one);
        }
    }
    Err(io::Error::other("whatever is made there is removed at once by another program"))
}

/// What the system said, without the name that was tried: it is drawn at random and tells nobody anything.
fn without_path(error: io::Error) -> io::Error {
    match error.to_string().rsplit_once(" at path ") {
        Some((said, _)) => io::Error::new(error.kind(), said.to_owned()),
        None => error,
    }
}

/// Locks a folder that was just made; false where a sweep came first, even before the folder could be opened.
fn is_held(folder: &Path, lock: Option<&File>) -> bool {
    lock.map_or_else(|| folder.is_dir(), |lock| locked(lock, folder))
}

/// Locks what was just made; false where a sweep came first.
#[cfg(unix)]
fn locked(file: &File, path: &Path) -> bool {
    use rustix::fs::{FlockOperation, flock};
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => fs::symlink_metadata(path).is_ok(),
        Err(rustix::io::Errno::WOULDBLOCK) => false,
        // There are no locks here, and so nobody will take it for left behind.
        Err(_) => true,
    }
}

#[cfg(not(unix))]
fn locked(_file: &File, _path: &Path) -> bool {
    true
}

/// The lock of a file or folder of this user whose process is gone.
#[cfg(unix)]
fn left_behind(path: &Path) -> Option<File> {
    use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};

    use rustix::fs::{FlockOperation, OFlags, flock};
    let no_link = OFlags::NOFOLLOW.bits().cast_signed();
    let file = File::options().read(true).custom_flags(no_link).open(path).ok()?;
    let own = file.metadata().ok()?.uid() == rustix::process::geteuid().as_raw();
    (own && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()).then_some(file)
}

/// Without locks nothing tells what is in use.
#[cfg(not(unix))]
fn left_behind(_path: &Path) -> Option<File> {
    None
}

fn remove(path: &Path) {
    // A program that is still writing into a folder can make its removal fail; what is left then is left to the next sweep.
    for _ in 0..3 {
        let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        if removed.is_ok() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn names_of_others_are_not_ours() {
        assert!(is_named(".evenhand-abcdef012345.tmp", FILE) && is_named("evenhand-abcdef012345", FOLDER));
        for other in [".evenhand-notes.tmp", ".evenhand-abcdef01234.tmp", ".evenhand-abcdef01234é.tmp", "evenhand-"] {
            assert!(!is_named(other, FILE) && !is_named(other, FOLDER), "{other}");
        }
    }

    #[test]
    fn a_folder_that_was_swept_before_it_could_be_opened_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        assert!(is_held(folder.path(), None) && is_held(folder.path(), File::open(folder.path()).ok().as_ref()));
        let gone = folder.path().join("gone");
        assert!(!is_held(&gone, File::open(&gone).ok().as_ref()));
    }

    #[test]
    #[cfg(unix)]
    fn what_is_in_use_stays_and_what_was_left_behind_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let used = ScratchFile::beside(&at("model.json")).unwrap();
        fs::write(at(".evenhand-abcdef012345.tmp"), "half").unwrap();
        fs::create_dir(at("evenhand-abcdef012345")).unwrap();
        fs::write(at("evenhand-abcdef012345/train.svm"), "1 1:2").unwrap();
        fs::write(at("kept.txt"), "kept").unwrap();
        fs::write(at(".evenhand-notes.tmp"), "kept").unwrap();
        std::os::unix::fs::symlink(at("kept.txt"), at(".evenhand-abcdef012346.tmp")).unwrap();
        sweep(folder.path());
        let in_use = used.path().file_name().unwrap().to_str().unwrap().to_owned();
        let mut expected =
            vec![".evenhand-abcdef012346.tmp".into(), ".evenhand-notes.tmp".into(), in_use, "kept.txt".into()];
        expected.sort();
        assert_eq!(names(folder.path()), expected);
        drop(used);
        assert_eq!(names(folder.path()).len(), 3);
    }

    #[test]
    fn files_take_their_places_together_or_nothing_is_left_of_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("taken")).unwrap();
        let file = |name: &str| {
            let file = ScratchFile::beside(&at(name)).unwrap();
            fs::write(file.path(), name).unwrap();
            (file, at(name))
        };
        // A file cannot take the place of a folder.
        let (done, _) = take_all(vec![file("a"), file("taken"), file("c")]).unwrap_err();
        assert_eq!((done, names(folder.path())), (1, vec!["a".to_owned(), "taken".into()]));
        take_all(vec![file("a"), file("c")]).unwrap();
        assert_eq!(names(folder.path()), ["a", "c", "taken"]);
    }

    #[test]
    #[cfg(unix)]
    fn folders_are_private_and_go_with_what_is_in_them() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = ScratchFolder::new().unwrap();
        let path = folder.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        fs::write(path.join("rows"), "1 1:2").unwrap();
        sweep(path.parent().unwrap());
        assert!(path.join("rows").exists());
        drop(folder);
        assert!(!path.exists());
    }
}
