//! Files over the network: from where they are published, or from another server.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use evenhand::Error;
use evenhand_datasets::{Archive, PublishedFile};

use super::{Arrived, Getter, Origin, is_wrong, last, unwritten};
use crate::data::fetch::{Failure, Fetch};
use crate::failure::Usage;

/// How often in a row a server may bring nothing.
const TRIES: u32 = 4;

/// The pause after the first time.
const PAUSE: Duration = Duration::from_millis(400);

/// Archives hold other files too: how much longer than the file a download may be.
pub(super) const MARGIN: u64 = 32 << 20;

/// How files are fetched.
pub(super) fn fetch() -> Fetch {
    Fetch::new(TRIES, PAUSE)
}

/// Where files come from when no folder is given.
pub(super) fn origin(mirror: Option<&str>) -> Result<Origin<'_>> {
    match mirror {
        Some(url) if !(url.starts_with("https://") || url.starts_with("http://")) => {
            let message = format!("--mirror is `{url}`; it must begin with https:// or http://");
            Err(Usage::new(message).hint("a folder is given with --from").into())
        }
        Some(url) => Ok(Origin::Mirror(url.trim_end_matches('/'))),
        None => Ok(Origin::Published),
    }
}

impl Getter<'_> {
    /// From a server of the user's, which may have it gzipped.
    pub(super) fn fetch_mirrored(&self, file: &PublishedFile, url: &str) -> Result<PathBuf> {
        let url = format!("{url}/{}/{}", self.dataset, file.name);
        match self.bring(file, &url, Archive::Plain)? {
            Err(Failure::NotThere(_)) => self.fetch_one(file, &format!("{url}.gz"), Archive::Gzip),
            brought => brought.map_err(|failure| self.failed(file, &url, &failure)),
        }
    }

    pub(super) fn fetch_one(&self, file: &PublishedFile, url: &str, archive: Archive) -> Result<PathBuf> {
        self.bring(file, url, archive)?.map_err(|failure| self.failed(file, url, &failure))
    }

    /// A file from a server, or why that did not give it. What it gave and is wrong is an error.
    fn bring(&self, file: &PublishedFile, url: &str, archive: Archive) -> Result<Result<PathBuf, Failure>> {
        let resumed = self.part(last(url)).is_file();
        let part = match self.download(file, url) {
            Ok(part) => part,
            Err(failure) => return Ok(Err(failure)),
        };
        let content = self.unpacked(file, &part, archive);
        match content.and_then(|content| self.settle(file, content)) {
            Err(error) if is_wrong(&error) => {
                let _ = fs::remove_file(&part);
                if resumed {
                    // Its beginning was from another day, when the file may have been another.
                    return self.bring(file, url, archive);
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
    fn unpacked(&self, file: &PublishedFile, part: &Path, archive: Archive) -> Result<Arrived> {
        let Archive::Zip { member } = archive else { return Ok(Arrived::Part(part.to_owned())) };
        let content = self.unpack(file, part, member)?;
        fs::remove_file(part).map_err(|source| Error::Io { path: part.to_owned(), source })?;
        Ok(content)
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
