//! One file over the network, in as many tries as it takes.
//!
//! Holds [`Fetch`]. What came before a connection broke stays in the file, and the next try, or the
//! next run, asks for the rest. Whether the content is right is not checked here.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Seek as _, Write as _};
use std::path::Path;
use std::thread;
use std::time::Duration;

use indicatif::ProgressBar;
use ureq::http::{Response, header};
use ureq::{Agent, Body};

/// How files are fetched.
pub(super) struct Fetch {
    agent: Agent,
    /// How often in a row nothing new may come.
    tries: u32,
    /// The pause after the first of them; each one is twice as long as the one before.
    pause: Duration,
}

/// Why a file could not be fetched.
#[derive(Debug)]
pub(super) enum Failure {
    /// The server has no such file.
    NotThere(u16),
    /// The server will not give it.
    Refused(u16),
    /// The server was not reached, or broke off again and again.
    Network(String),
    /// The server sends more than the file can be.
    TooLong(u64),
    /// It could not be written.
    Write(io::Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotThere(status) => write!(f, "the server has no such file (status {status})"),
            Self::Refused(status) => write!(f, "the server refused it (status {status})"),
            Self::Network(detail) => f.write_str(detail),
            Self::TooLong(most) => write!(f, "more than {most} bytes came, which cannot be the file"),
            Self::Write(error) => write!(f, "it could not be written: {error}"),
        }
    }
}

/// How one try ended.
enum Try {
    /// All is there.
    Done,
    /// Another try may bring more.
    Again(Failure),
    /// No further try will help.
    Never(Failure),
}

impl Fetch {
    pub(super) fn new(tries: u32, pause: Duration) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(concat!("evenhand/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(Duration::from_secs(20)))
            .timeout_recv_response(Some(Duration::from_secs(60)))
            // A server that goes silent; a slow one may take as long as it needs.
            .timeout_per_read(Some(Duration::from_secs(60)));
        Self { agent: config.build().new_agent(), tries, pause }
    }

    /// Brings what `url` names, of `most` bytes, into a file, going on behind what is already in it.
    pub(super) fn to(&self, url: &str, part: &Path, most: u64, bar: &ProgressBar) -> Result<(), Failure> {
        let (mut furthest, mut in_vain) = (length(part), 0);
        loop {
            let failure = match self.once(url, part, most, bar) {
                Try::Done => return Ok(()),
                Try::Never(failure) => return Err(failure),
                Try::Again(failure) => failure,
            };
            // A server that breaks off at the same place each time would be asked for ever.
            in_vain = if length(part) > furthest { 1 } else { in_vain + 1 };
            furthest = furthest.max(length(part));
            if in_vain >= self.tries {
                return Err(failure);
            }
            thread::sleep(self.pause * 2_u32.pow(in_vain.min(6) - 1));
        }
    }

    fn once(&self, url: &str, part: &Path, most: u64, bar: &ProgressBar) -> Try {
        let have = length(part);
        let mut request = self.agent.get(url);
        if have > 0 {
            request = request.header(header::RANGE, format!("bytes={have}-"));
        }
        let response = match request.call() {
            Ok(response) => response,
            Err(error) => return Try::Again(Failure::Network(error.to_string())),
        };
        let start = match response.status().as_u16() {
            206 if starts_at(&response) == Some(have) => have,
            200 => 0,
            // The rest of something else, or nothing behind what is here: what is here is no use.
            status @ (206 | 416) => {
                return match fs::remove_file(part) {
                    Ok(()) => Try::Again(Failure::Refused(status)),
                    Err(error) => Try::Never(Failure::Write(error)),
                };
            }
            status @ (404 | 410) => return Try::Never(Failure::NotThere(status)),
            status @ (408 | 429 | 500..=599) => return Try::Again(Failure::Refused(status)),
            status => return Try::Never(Failure::Refused(status)),
        };
        if let Some(rest) = response.body().content_length() {
            bar.set_length(start + rest);
        }
        bar.set_position(start);
        receive(response.into_body(), part, start, most, bar)
    }
}

fn length(part: &Path) -> u64 {
    if is_ours(part) { fs::metadata(part).map_or(0, |found| found.len()) } else { 0 }
}

/// Whether a download may go on in what is there under its name: a file, and neither a link nor a second name of one, whose
/// content would be overwritten.
fn is_ours(part: &Path) -> bool {
    #[cfg(unix)]
    let has_one_name = |found: &fs::Metadata| std::os::unix::fs::MetadataExt::nlink(found) == 1;
    #[cfg(not(unix))]
    let has_one_name = |_: &fs::Metadata| true;
    fs::symlink_metadata(part).is_ok_and(|found| found.is_file() && has_one_name(&found))
}

/// Opens what is there to go on, or else a new file: never what a link leads to.
fn open(part: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true);
    if is_ours(part) {
        #[cfg(unix)]
        {
            // Should a link have come since.
            let no_link = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
            std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, no_link);
        }
        return options.open(part);
    }
    match fs::remove_file(part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => options.create_new(true).open(part),
    }
}

/// Where the content that was sent begins: `bytes 100-199/200`.
fn starts_at(response: &Response<Body>) -> Option<u64> {
    let range = response.headers().get(header::CONTENT_RANGE)?.to_str().ok()?;
    range.trim().strip_prefix("bytes")?.trim_start().split('-').next()?.parse().ok()
}

/// Writes what comes behind the first `start` bytes of a file.
fn receive(body: Body, part: &Path, start: u64, most: u64, bar: &ProgressBar) -> Try {
    let opened = || -> io::Result<File> {
        let mut file = open(part)?;
        file.set_len(start)?;
        file.seek(io::SeekFrom::Start(start))?;
        Ok(file)
    };
    let mut file = match opened() {
        Ok(file) => file,
        Err(error) => return Try::Never(Failure::Write(error)),
    };
    let (mut content, mut buffer, mut place) = (body.into_reader(), vec![0; 1 << 16], start);
    loop {
        match content.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => {
                place += length as u64;
                if place > most {
                    return Try::Never(Failure::TooLong(most));
                }
                if let Err(error) = file.write_all(&buffer[..length]) {
                    return Try::Never(Failure::Write(error));
                }
                bar.inc(length as u64);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Try::Again(Failure::Network(format!("the connection broke: {error}"))),
        }
    }
    match file.sync_all() {
        Ok(()) => Try::Done,
        Err(error) => Try::Never(Failure::Write(error)),
    }
}
