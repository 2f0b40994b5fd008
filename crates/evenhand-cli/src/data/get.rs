//! `evenhand data get`: the files of datasets, verified, into a folder.
//!
//! Every file comes under another name and takes its own only when its SHA-256 is that of the published one: whatever is there
//! under its name is right. A download is `FILE.part`, so that the next run finds it and goes on; a copy has a name that nobody
//! can know beforehand, and is gone if it does not become the file.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use evenhand::Error;
use evenhand::scratch::ScratchFile;
use evenhand_datasets::{Archive, CatalogueEntry, PublishedFile};
use serde::Serialize;

use super::cache::cache;
#[cfg(feature = "download")]
use super::fetch::Fetch;
use super::unpack;
use crate::Ending;
use crate::failure::Usage;
use crate::output;
use crate::progress::Progress;
use crate::text::{Lines, megabytes};

#[cfg(feature = "download")]
mod network;

/// Get public datasets from where they are published, or from a folder or another server.
///
/// Files are verified by their SHA-256, and not fetched again where they are already. A download that was
/// interrupted goes on where it ended. They go to the folder that `EVENHAND_CACHE` names, or else to that of the
/// platform, where `--recipe` finds them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct GetArgs {
    /// Which datasets, as `evenhand data list` names them, or `all`.
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,

    /// Folder to put them into, one folder for each, in place of the cache.
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,

    /// Take files from this folder, or from DIR/NAME, gzipped or not, and use no network.
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,

    /// Fetch URL/NAME/FILE, or that with `.gz`, in place of where they are published.
    #[cfg_attr(feature = "download", arg(long, value_name = "URL", conflicts_with = "from"))]
    #[cfg_attr(not(feature = "download"), arg(skip))]
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

/// What was done. The keys are stable.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Report {
    /// The datasets.
    datasets: Vec<Got>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Got {
    /// What it is called.
    name: &'static str,
    /// Where it is.
    folder: PathBuf,
    /// Under which licence it is published.
    licence: &'static str,
    /// What to cite.
    citation: &'static str,
    /// Its files.
    files: Vec<GotFile>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GotFile {
    /// What it is called.
    name: &'static str,
    /// Where it is.
    path: PathBuf,
    /// Its size, unpacked.
    bytes: u64,
    /// How it came to be there.
    came: Came,
}

/// How a file came to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum Came {
    WasHere,
    Fetched,
    Copied,
}

/// Where files come from.
enum Origin<'a> {
    #[cfg(feature = "download")]
    Published,
    #[cfg(feature = "download")]
    Mirror(&'a str),
    Folder(&'a Path),
}

/// Gets files of one dataset into a folder.
struct Getter<'a> {
    dataset: &'static str,
    folder: &'a Path,
    origin: Origin<'a>,
    #[cfg(feature = "download")]
    fetch: Fetch,
    progress: Progress,
}

/// What is written as JSON.
#[cfg(test)]
pub(super) fn schema() -> schemars::Schema {
    crate::schemas::of::<Report>()
}

pub(super) fn run(args: &GetArgs) -> Result<Ending> {
    let entries = entries(&args.names)?;
    let into = args.into.clone().map_or_else(cache, Ok)?;
    let progress = Progress::new(args.quiet || args.json);
    let mut datasets = Vec::new();
    for entry in entries {
        let folder = into.join(entry.name);
        fs::create_dir_all(&folder).map_err(|source| Error::Io { path: folder.clone(), source })?;
        let getter = Getter {
            dataset: entry.name,
            folder: &folder,
            origin: origin(args)?,
            #[cfg(feature = "download")]
            fetch: network::fetch(),
            progress,
        };
        let files = entry.files.iter().map(|file| getter.get(file)).collect::<Result<_>>()?;
        datasets.push(Got { name: entry.name, folder, licence: entry.licence, citation: entry.citation, files });
    }
    let report = Report { datasets };
    output::report(args.json, &report, &[], || report.to_text())?;
    Ok(Ending::Fine)
}

/// The datasets of these names, each once.
fn entries(names: &[String]) -> Result<Vec<&'static CatalogueEntry>> {
    let mut entries: Vec<&CatalogueEntry> = Vec::new();
    for name in names {
        let named =
            if name == "all" { CatalogueEntry::all().iter().collect() } else { vec![CatalogueEntry::named(name)?] };
        let new = named.into_iter().filter(|entry| !entries.contains(entry)).collect::<Vec<_>>();
        entries.extend(new);
    }
    Ok(entries)
}

fn origin(args: &GetArgs) -> Result<Origin<'_>> {
    match (&args.from, &args.mirror) {
        (Some(folder), _) if !folder.is_dir() => {
            let message = format!("--from: there is no folder {}", folder.display());
            Err(Usage::new(message).hint("check the path, and the folder you are in").into())
        }
        (Some(folder), _) => Ok(Origin::Folder(folder)),
        #[cfg(feature = "download")]
        (None, mirror) => network::origin(mirror.as_deref()),
        #[cfg(not(feature = "download"))]
        (None, _) => {
            let usage = Usage::new("this build of evenhand fetches nothing");
            Err(usage.hint("get the files by hand and give --from DIR, or build it with the feature `download`").into())
        }
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
            #[cfg(feature = "download")]
            (None, Origin::Published) => (self.fetch_one(file, file.url, file.archive)?, Came::Fetched),
            #[cfg(feature = "download")]
            (None, Origin::Mirror(url)) => (self.fetch_mirrored(file, url)?, Came::Fetched),
        };
        Ok(GotFile { name: file.name, path, bytes: file.bytes, came })
    }

    /// Takes a file from a folder; errors name where it was found.
    fn copy(&self, file: &PublishedFile, from: &Path) -> Result<PathBuf> {
        let folders = [from.join(self.dataset), from.to_owned()];
        if let Some(found) = folders.iter().find_map(|folder| file.find(folder)) {
            file.check(&found)?;
            // The content alone: a file that may not be written to would stay so.
            let copy = self.scratch(file)?;
            let copied = || io::copy(&mut fs::File::open(&found)?, &mut copy.file());
            copied().map_err(|error| unwritten(file, &self.folder.join(file.name), &error))?;
            return self.settle(file, Arrived::Scratch(copy));
        }
        if let Archive::Zip { member } = file.archive {
            let archive = folders.iter().map(|folder| folder.join(last(file.url))).find(|path| path.is_file());
            if let Some(archive) = archive {
                let content = self.unpack(file, &archive, member)?;
                return self.settle(file, content);
            }
        }
        let message = format!("{}: holds no {}, nor does its folder {}", from.display(), file.name, self.dataset);
        Err(Usage::new(message).hint(format!("get it by hand from {}, or leave out --from", file.url)).into())
    }

    /// Gives a file its own name, if it is the published one; else nothing is left of it.
    fn settle(&self, file: &PublishedFile, arrived: Arrived) -> Result<PathBuf> {
        if let Err(error) = self.progress.during(format!("verifying {}", file.name), || file.check(arrived.path())) {
            arrived.discard();
            return Err(error.into());
        }
        let failed = |source| Error::Io { path: self.folder.join(file.name), source };
        let [plain, packed] = [self.folder.join(file.name), self.folder.join(format!("{}.gz", file.name))];
        let (path, other) = if is_gzipped(arrived.path()).map_err(failed)? { (packed, plain) } else { (plain, packed) };
        arrived.take(&path).map_err(failed)?;
        // One that was there before had other content, and would be read in its place.
        match fs::remove_file(&other) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::Io { path: other.clone(), source: error }).context("an older file is in the way")
            }
            _ => Ok(path),
        }
    }

    /// A download in the making.
    fn part(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.part"))
    }

    /// A copy in the making.
    fn scratch(&self, file: &PublishedFile) -> Result<ScratchFile> {
        let place = self.folder.join(file.name);
        ScratchFile::beside(&place).map_err(|error| unwritten(file, &place, &error))
    }

    /// The member of an archive.
    fn unpack(&self, file: &PublishedFile, archive: &Path, member: &str) -> Result<Arrived> {
        let content = self.scratch(file)?;
        unpack::member(archive, member, file.bytes, content.file()).map_err(|error| {
            if error.kind() == io::ErrorKind::StorageFull {
                return unwritten(file, &self.folder.join(file.name), &error);
            }
            let (path, detail) = (archive.to_owned(), format!("{member}: {error}"));
            Error::Unreadable { path, format: "a zip archive", source: detail.into() }.into()
        })?;
        Ok(Arrived::Scratch(content))
    }
}

/// Content that has arrived and is not yet known to be right.
enum Arrived {
    /// As a download, which a run that is cut off leaves for the next.
    Part(PathBuf),
    /// As a copy, which goes if it is not taken.
    Scratch(ScratchFile),
}

impl Arrived {
    fn path(&self) -> &Path {
        match self {
            Self::Part(path) => path,
            Self::Scratch(file) => file.path(),
        }
    }

    fn take(self, place: &Path) -> io::Result<()> {
        match self {
            Self::Part(path) => fs::rename(path, place),
            Self::Scratch(file) => file.take(place),
        }
    }

    fn discard(self) {
        if let Self::Part(path) = self {
            let _ = fs::remove_file(path);
        }
    }
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
#[cfg(feature = "download")]
mod tests;
