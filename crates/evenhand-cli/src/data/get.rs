//! `evenhand data get`: the files of datasets, verified, into a folder.
//!
//! Every file comes under another name, `FILE.part`, and takes its own only when its SHA-256 is that of the
//! published one: whatever is there under its name is right.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use evenhand::{Error, Home, Packing, PublishedFile};
use serde::Serialize;

use super::cache::cache;
use super::fetch::{Failure, Fetch};
use super::unpack;
use crate::Ending;
use crate::failure::Usage;
use crate::output;
use crate::progress::Progress;
use crate::text::{Lines, megabytes};

/// Get public datasets from where they are published, or from a folder or another server.
///
/// Files are verified by their SHA-256, and not fetched again where they are already. A download that was
/// interrupted goes on where it ended. They go to the folder that `EVENHAND_CACHE` names, or else to that of the
/// platform, where `--recipe` finds them.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct GetArgs {
    /// Which datasets, as `evenhand data list` names them, or `all`.
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,

    /// Folder to put them into, one folder for each, in place of the cache.
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,

    /// Take files from this folder, or from DIR/NAME, gzipped or not, and use no network.
    #[arg(long, value_name = "DIR", conflicts_with = "mirror")]
    from: Option<PathBuf>,

    /// Fetch URL/NAME/FILE, or that with `.gz`, in place of the public home.
    #[arg(long, value_name = "URL")]
    mirror: Option<String>,

    /// Write what was done as JSON.
    #[arg(long)]
    pub(super) json: bool,

    /// Show no progress.
    #[arg(long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  evenhand data get adult compas
  evenhand data get all --into data

  Without a network, from files that were brought here otherwise:
    evenhand data get bank --from ~/Downloads

JSON keys: datasets (name, folder, licence, citation, files); of a file: name, path, bytes
(unpacked), came (`was-here`, `fetched` or `copied`).";

/// How often in a row a server may bring nothing.
const TRIES: u32 = 4;

/// The pause after the first time.
const PAUSE: Duration = Duration::from_millis(400);

/// Archives hold other files too: how much longer than the file a download may be.
const MARGIN: u64 = 32 << 20;

/// What was done. The keys are stable.
#[derive(Serialize)]
struct Report {
    datasets: Vec<Got>,
}

#[derive(Serialize)]
struct Got {
    name: &'static str,
    folder: PathBuf,
    licence: &'static str,
    citation: &'static str,
    files: Vec<GotFile>,
}

#[derive(Debug, Serialize)]
struct GotFile {
    name: &'static str,
    path: PathBuf,
    bytes: u64,
    came: Came,
}

/// How a file came to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Came {
    WasHere,
    Fetched,
    Copied,
}

/// Where files come from.
enum Origin<'a> {
    Home,
    Mirror(&'a str),
    Folder(&'a Path),
}

/// Gets files of one dataset into a folder.
struct Getter<'a> {
    dataset: &'static str,
    folder: &'a Path,
    origin: Origin<'a>,
    fetch: Fetch,
    progress: Progress,
}

pub(super) fn run(args: &GetArgs) -> Result<Ending> {
    let homes = homes(&args.names)?;
    let into = args.into.clone().map_or_else(cache, Ok)?;
    let progress = Progress::new(args.quiet || args.json);
    let mut datasets = Vec::new();
    for home in homes {
        let folder = into.join(home.name);
        fs::create_dir_all(&folder).map_err(|source| Error::Io { path: folder.clone(), source })?;
        let getter = Getter {
            dataset: home.name,
            folder: &folder,
            origin: origin(args)?,
            fetch: Fetch::new(TRIES, PAUSE),
            progress,
        };
        let files = home.files.iter().map(|file| getter.get(file)).collect::<Result<_>>()?;
        datasets.push(Got { name: home.name, folder, licence: home.licence, citation: home.citation, files });
    }
    let report = Report { datasets };
    output::report(args.json, &report, &[], || report.to_text())?;
    Ok(Ending::Fine)
}

/// The datasets of these names, each once.
fn homes(names: &[String]) -> Result<Vec<&'static Home>> {
    let mut homes: Vec<&Home> = Vec::new();
    for name in names {
        let named = if name == "all" { Home::all().iter().collect() } else { vec![Home::named(name)?] };
        let new = named.into_iter().filter(|home| !homes.contains(home)).collect::<Vec<_>>();
        homes.extend(new);
    }
    Ok(homes)
}

fn origin(args: &GetArgs) -> Result<Origin<'_>> {
    match (&args.from, &args.mirror) {
        (Some(folder), _) if !folder.is_dir() => {
            let message = format!("--from: there is no folder {}", folder.display());
            Err(Usage::new(message).hint("check the path, and the folder you are in").into())
        }
        (Some(folder), _) => Ok(Origin::Folder(folder)),
        (None, Some(url)) if !(url.starts_with("https://") || url.starts_with("http://")) => {
            let message = format!("--mirror is `{url}`; it must begin with https:// or http://");
            Err(Usage::new(message).hint("a folder is given with --from").into())
        }
        (None, Some(url)) => Ok(Origin::Mirror(url.trim_end_matches('/'))),
        (None, None) => Ok(Origin::Home),
    }
}

impl Getter<'_> {
    fn get(&self, file: &PublishedFile) -> Result<GotFile> {
        let here = file.find(self.folder);
        let right =
            |path: &PathBuf| self.progress.during(format!("verifying {}", path.display()), || file.check(path)).is_ok();
        let (path, came) = match (here.filter(right), &self.origin) {
            (Some(path), _) => (path, Came::WasHere),
            (None, Origin::Folder(from)) => (self.copy(file, from)?, Came::Copied),
            (None, Origin::Home) => (self.fetch_one(file, file.url, file.packing)?, Came::Fetched),
            (None, Origin::Mirror(url)) => (self.fetch_mirrored(file, url)?, Came::Fetched),
        };
        Ok(GotFile { name: file.name, path, bytes: file.bytes, came })
    }

    /// Takes a file from a folder; what is wrong with it is said of where it was found.
    fn copy(&self, file: &PublishedFile, from: &Path) -> Result<PathBuf> {
        let folders = [from.join(self.dataset), from.to_owned()];
        let part = self.part(file.name);
        if let Some(found) = folders.iter().find_map(|folder| file.find(folder)) {
            file.check(&found)?;
            // The content alone: a file that may not be written to would stay so.
            let copied = || io::copy(&mut fs::File::open(&found)?, &mut fs::File::create(&part)?);
            copied().map_err(|error| unwritten(file, &part, &error))?;
            return self.settle(file, &part);
        }
        if let Packing::Zip { member } = file.packing {
            let archive = folders.iter().map(|folder| folder.join(last(file.url))).find(|path| path.is_file());
            if let Some(archive) = archive {
                unpack(file, &archive, member, &part)?;
                return self.settle(file, &part);
            }
        }
        let message = format!("{}: holds no {}, nor does its folder {}", from.display(), file.name, self.dataset);
        Err(Usage::new(message).hint(format!("get it by hand from {}, or leave out --from", file.url)).into())
    }

    /// From a server of the user's, which may have it gzipped.
    fn fetch_mirrored(&self, file: &PublishedFile, url: &str) -> Result<PathBuf> {
        let url = format!("{url}/{}/{}", self.dataset, file.name);
        match self.bring(file, &url, Packing::Plain)? {
            Err(Failure::NotThere(_)) => self.fetch_one(file, &format!("{url}.gz"), Packing::Gzip),
            brought => brought.map_err(|failure| self.failed(file, &url, &failure)),
        }
    }

    fn fetch_one(&self, file: &PublishedFile, url: &str, packing: Packing) -> Result<PathBuf> {
        self.bring(file, url, packing)?.map_err(|failure| self.failed(file, url, &failure))
    }

    /// A file from a server, or why that did not give it. What it gave and is wrong is an error.
    fn bring(&self, file: &PublishedFile, url: &str, packing: Packing) -> Result<Result<PathBuf, Failure>> {
        let resumed = self.part(last(url)).exists();
        let part = match self.download(file, url) {
            Ok(part) => part,
            Err(failure) => return Ok(Err(failure)),
        };
        let content = self.unpacked(file, &part, packing);
        match content.and_then(|content| self.settle(file, &content)) {
            Err(error) if is_wrong(&error) => {
                let _ = fs::remove_file(&part);
                if resumed {
                    // Its beginning was from another day, when the file may have been another.
                    return self.bring(file, url, packing);
                }
                Err(error.context(format!("{url} gave another file than was published")))
            }
            settled => settled.map(Ok),
        }
    }

    fn download(&self, file: &PublishedFile, url: &str) -> Result<PathBuf, Failure> {
        let part = self.part(last(url));
        let bar = self.progress.bytes(file.name);
        let fetched = self.fetch.to(url, &part, 2 * file.bytes + MARGIN, &bar);
        bar.finish_and_clear();
        if matches!(fetched, Err(Failure::TooLong(_))) {
            let _ = fs::remove_file(&part);
        }
        fetched.map(|()| part)
    }

    /// The content of a download: of an archive the member, which is then a file of its own.
    fn unpacked(&self, file: &PublishedFile, part: &Path, packing: Packing) -> Result<PathBuf> {
        let Packing::Zip { member } = packing else { return Ok(part.to_owned()) };
        let content = self.part(file.name);
        unpack(file, part, member, &content)?;
        fs::remove_file(part).map_err(|source| Error::Io { path: part.to_owned(), source })?;
        Ok(content)
    }

    /// Gives a file its own name, if it is the published one; else nothing is left of it.
    fn settle(&self, file: &PublishedFile, part: &Path) -> Result<PathBuf> {
        if let Err(error) = self.progress.during(format!("verifying {}", file.name), || file.check(part)) {
            let _ = fs::remove_file(part);
            return Err(error.into());
        }
        let failed = |source| Error::Io { path: part.to_owned(), source };
        let [plain, packed] = [self.folder.join(file.name), self.folder.join(format!("{}.gz", file.name))];
        let (path, other) = if is_gzipped(part).map_err(failed)? { (packed, plain) } else { (plain, packed) };
        fs::rename(part, &path).map_err(failed)?;
        // One that was there before had other content, and would be read in its place.
        match fs::remove_file(&other) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::Io { path: other.clone(), source: error }).context("an older file is in the way")
            }
            _ => Ok(path),
        }
    }

    fn part(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.part"))
    }

    fn failed(&self, file: &PublishedFile, url: &str, failure: &Failure) -> anyhow::Error {
        let (dataset, name) = (self.dataset, file.name);
        let by_hand = format!("get {} by hand, put it into a folder and give --from DIR", file.url);
        let (code, hint) = match failure {
            Failure::Write(error) => return unwritten(file, &self.part(last(url)), error),
            Failure::NotThere(_) if matches!(self.origin, Origin::Mirror(_)) => {
                ("not-found", format!("a mirror holds {dataset}/{name} or {dataset}/{name}.gz; or {by_hand}"))
            }
            Failure::NotThere(_) => ("not-found", format!("it may have moved; give --mirror URL, or {by_hand}")),
            Failure::Refused(_) | Failure::TooLong(_) => {
                ("network", format!("try again later, give --mirror URL, or {by_hand}"))
            }
            Failure::Network(_) => (
                "network",
                format!(
                    "is there a network? The same command goes on where this ended; or give --mirror URL, or {by_hand}"
                ),
            ),
        };
        Usage::new(format!("{name} could not be fetched from {url}: {failure}")).code(code).hint(hint).into()
    }
}

fn unpack(file: &PublishedFile, archive: &Path, member: &str, to: &Path) -> Result<()> {
    unpack::member(archive, member, file.bytes, to).map_err(|error| {
        if error.kind() == io::ErrorKind::StorageFull {
            return unwritten(file, to, &error);
        }
        let (path, detail) = (archive.to_owned(), format!("{member}: {error}"));
        Error::Unreadable { path, format: "a zip archive", detail }.into()
    })
}

/// Why a file could not be written, and what to do about it.
fn unwritten(file: &PublishedFile, part: &Path, error: &io::Error) -> anyhow::Error {
    let message = format!("{}: {error}", part.display());
    let usage = Usage::new(message).code("io");
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            let _ = fs::remove_file(part);
            usage.hint(format!("{} needs {}; make room, or give --into DIR", file.name, megabytes(file.bytes)))
        }
        _ => usage.hint("give a folder that can be written to with --into DIR, or in EVENHAND_CACHE"),
    }
    .into()
}

/// Whether it is the content that is wrong.
fn is_wrong(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::OtherContent { .. } | Error::Unreadable { .. }))
}

/// The last part of an address.
fn last(url: &str) -> &str {
    url.rsplit('/').next().unwrap_or(url)
}

fn is_gzipped(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    fs::File::open(path)?.take(2).read_to_end(&mut start)?;
    Ok(start == [0x1f, 0x8b])
}

impl Report {
    fn to_text(&self) -> String {
        let mut lines = Lines::default();
        for Got { name, folder, files, .. } in &self.datasets {
            lines.push(format!("{name}: {}", folder.display()), Vec::new());
            for file in files {
                let came = match file.came {
                    Came::WasHere => "was here",
                    Came::Fetched => "fetched",
                    Came::Copied => "copied",
                };
                lines.push(format!("  {}", file.name), vec![megabytes(file.bytes), format!("{came}, verified")]);
            }
        }
        let cite = |got: &Got| format!("{}: {}; cite {}\n", got.name, got.licence, got.citation);
        format!("{}\n{}", lines.render(), self.datasets.iter().map(cite).collect::<String>())
    }
}

#[cfg(test)]
mod tests;
