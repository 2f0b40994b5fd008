//! Downloads from a server in this process.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use super::network::MARGIN;
use super::*;

/// What a server has, and its habits.
#[derive(Default)]
struct Habits {
    files: BTreeMap<&'static str, Vec<u8>>,
    /// Whether it sends the rest of a file where that is asked for.
    ranges: bool,
    /// How many of its answers break off in the middle.
    breaks: usize,
    /// What it says in place of an answer, to begin with.
    statuses: Vec<u16>,
}

/// What a server is asked for: a path, and where to begin.
type Request = (String, Option<usize>);

/// A server, and all that it was asked for.
struct Server {
    address: String,
    asked: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    fn new(mut habits: Habits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        // It lives as long as the test: nobody waits for it.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let request = read_request(&stream);
                seen.lock().unwrap().push(request.clone());
                habits.answer(stream, &request);
            }
        });
        Self { address, asked }
    }

    fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap().clone()
    }
}

fn read_request(stream: &TcpStream) -> Request {
    let lines: Vec<String> =
        BufReader::new(stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let path = lines[0].split(' ').nth(1).unwrap().to_owned();
    let begin = lines.iter().find_map(|line| line.to_lowercase().strip_prefix("range: bytes=").map(str::to_owned));
    (path, begin.map(|begin| begin.trim_end_matches('-').parse().unwrap()))
}

impl Habits {
    fn answer(&mut self, mut stream: TcpStream, (path, begin): &Request) {
        if !self.statuses.is_empty() {
            let status = self.statuses.remove(0);
            write!(stream, "HTTP/1.1 {status} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
            return;
        }
        let Some(content) = self.files.get(path.as_str()) else {
            write!(stream, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
            return;
        };
        let whole = content.len();
        let (head, content) = match begin.filter(|_| self.ranges) {
            Some(begin) if begin >= whole => ("HTTP/1.1 416 Range Not Satisfiable\r\n".to_owned(), &content[..0]),
            Some(begin) => {
                let range = format!("bytes {begin}-{}/{whole}", whole - 1);
                (format!("HTTP/1.1 206 Partial Content\r\nContent-Range: {range}\r\n"), &content[begin..])
            }
            None => ("HTTP/1.1 200 OK\r\n".to_owned(), &content[..]),
        };
        write!(stream, "{head}Content-Length: {}\r\nConnection: close\r\n\r\n", content.len()).unwrap();
        let sent = if self.breaks > 0 { content.len() / 2 } else { content.len() };
        self.breaks = self.breaks.saturating_sub(1);
        stream.write_all(&content[..sent]).unwrap();
    }
}

const TEXT: &[u8] = b"hello\n";
const HELLO: PublishedFile = PublishedFile {
    name: "hello.txt",
    url: "https://nowhere.invalid/files/hello.txt",
    archive: Archive::Plain,
    sha256: &["5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"],
    bytes: TEXT.len() as u64,
};

fn serving(path: &'static str, content: &[u8]) -> Habits {
    Habits { files: BTreeMap::from([(path, content.to_vec())]), ranges: true, ..Habits::default() }
}

fn get(folder: &TempDir, origin: Origin<'_>, file: &PublishedFile) -> Result<GotFile> {
    let fetch = Fetch::new(3, Duration::from_millis(1));
    let getter = Getter { dataset: "greetings", folder: folder.path(), origin, fetch, progress: Progress::new(true) };
    getter.get(file)
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// The message and the hint.
fn message(error: &anyhow::Error) -> String {
    let hint = error.downcast_ref::<Usage>().map(|usage| format!("{usage:?}")).unwrap_or_default();
    format!("{error:#} {hint}")
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(content).unwrap();
    packed.finish().unwrap()
}

#[test]
fn a_file_is_fetched_once_and_verified() {
    let (server, into) = (Server::new(serving("/greetings/hello.txt", TEXT)), folder());
    let got = get(&into, Origin::Mirror(&server.address), &HELLO).unwrap();
    assert_eq!((got.came, fs::read(&got.path).unwrap()), (Came::Fetched, TEXT.to_vec()));
    assert_eq!(names(&into), ["hello.txt"]);
    let again = get(&into, Origin::Mirror(&server.address), &HELLO).unwrap();
    assert_eq!((again.came, server.asked().len()), (Came::WasHere, 1));
    // What is there under its name and is not it is replaced.
    fs::write(&got.path, "hallo\n").unwrap();
    assert_eq!(get(&into, Origin::Mirror(&server.address), &HELLO).unwrap().came, Came::Fetched);
    assert_eq!(fs::read(&got.path).unwrap(), TEXT);
}

#[test]
fn a_mirror_may_have_it_gzipped() {
    let (server, into) = (Server::new(serving("/greetings/hello.txt.gz", &gzip(TEXT))), folder());
    fs::write(into.path().join("hello.txt"), "hallo\n").unwrap();
    let got = get(&into, Origin::Mirror(&server.address), &HELLO).unwrap();
    // An older file without `.gz` would be read in its place.
    assert_eq!((got.path, names(&into)), (into.path().join("hello.txt.gz"), vec!["hello.txt.gz".to_owned()]));
}

#[test]
fn a_member_is_taken_out_of_an_archive() {
    let mut archive = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    archive.start_file("words/hello.txt", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(TEXT).unwrap();
    let archive = archive.finish().unwrap().into_inner();
    let server = Server::new(serving("/words.zip", &archive));
    let url: &'static str = Box::leak(format!("{}/words.zip", server.address).into_boxed_str());
    let packed = PublishedFile { url, archive: Archive::Zip { member: "words/hello.txt" }, ..HELLO };
    let into = folder();
    let got = get(&into, Origin::Published, &packed).unwrap();
    assert_eq!((fs::read(&got.path).unwrap(), names(&into)), (TEXT.to_vec(), vec!["hello.txt".to_owned()]));

    let other = PublishedFile { archive: Archive::Zip { member: "words/bye.txt" }, ..packed };
    let into = folder();
    let error = get(&into, Origin::Published, &other).unwrap_err();
    assert!(message(&error).contains("words/bye.txt"), "{}", message(&error));
    assert!(names(&into).is_empty());
    // Brought by hand, the archive is as good.
    let from = folder();
    fs::write(from.path().join("words.zip"), &archive).unwrap();
    assert_eq!(get(&into, Origin::Folder(from.path()), &packed).unwrap().came, Came::Copied);
}

#[test]
fn another_content_is_refused_and_leaves_nothing() {
    let (server, into) = (Server::new(serving("/greetings/hello.txt", b"hallo\n")), folder());
    let error = get(&into, Origin::Mirror(&server.address), &HELLO).unwrap_err();
    let message = message(&error);
    let found = "622cb3371c1a08096eaac564fb59acccda1fcdbe13a9dd10b486e6463c8c2525";
    assert!(message.contains(HELLO.sha256[0]) && message.contains(found), "{message}");
    assert!(names(&into).is_empty());
}

#[test]
fn an_interrupted_download_goes_on_where_it_ended() {
    let habits = Habits { breaks: 1, ..serving("/greetings/hello.txt", TEXT) };
    let (server, into) = (Server::new(habits), folder());
    get(&into, Origin::Mirror(&server.address), &HELLO).unwrap();
    let begins: Vec<Option<usize>> = server.asked().into_iter().map(|(_, begin)| begin).collect();
    assert_eq!((begins, names(&into)), (vec![None, Some(3)], vec!["hello.txt".to_owned()]));

    // And so does the next run.
    let (server, into) = (Server::new(serving("/greetings/hello.txt", TEXT)), folder());
    fs::write(into.path().join("hello.txt.part"), &TEXT[..4]).unwrap();
    get(&into, Origin::Mirror(&server.address), &HELLO).unwrap();
    assert_eq!(server.asked(), [("/greetings/hello.txt".to_owned(), Some(4))]);
}

#[cfg(unix)]
#[test]
fn a_link_under_the_name_of_a_download_is_not_followed() {
    type Link = fn(&Path, &Path) -> io::Result<()>;
    let links: [Link; 2] = [|to, link| std::os::unix::fs::symlink(to, link), |to, link| fs::hard_link(to, link)];
    for link in links {
        let (server, into) = (Server::new(serving("/greetings/hello.txt", TEXT)), folder());
        let precious = into.path().join("precious");
        fs::write(&precious, "precious").unwrap();
        link(&precious, &into.path().join("hello.txt.part")).unwrap();
        let got = get(&into, Origin::Mirror(&server.address), &HELLO).unwrap();
        assert_eq!((fs::read(got.path).unwrap(), fs::read(precious).unwrap()), (TEXT.to_vec(), b"precious".to_vec()));
        assert_eq!(names(&into), ["hello.txt", "precious"]);
    }
}

#[test]
fn the_beginning_of_another_file_is_thrown_away() {
    for beginning in [&b"hal"[..], b"hello\n", b"much longer than that"] {
        let (server, into) = (Server::new(serving("/greetings/hello.txt", TEXT)), folder());
        fs::write(into.path().join("hello.txt.part"), beginning).unwrap();
        let got = get(&into, Origin::Mirror(&server.address), &HELLO).unwrap();
        assert_eq!(fs::read(got.path).unwrap(), TEXT);
        assert_eq!(server.asked().len(), 2);
    }
}

#[test]
fn a_server_without_ranges_is_asked_for_all_of_it_again() {
    let habits = Habits { breaks: 1, ranges: false, ..serving("/greetings/hello.txt", TEXT) };
    let (server, into) = (Server::new(habits), folder());
    let got = get(&into, Origin::Mirror(&server.address), &HELLO).unwrap();
    assert_eq!((fs::read(got.path).unwrap(), server.asked().len()), (TEXT.to_vec(), 2));

    // One that breaks off each time is given up on, and what came is kept for later.
    let habits = Habits { breaks: 100, ranges: false, ..serving("/greetings/hello.txt", TEXT) };
    let (server, into) = (Server::new(habits), folder());
    let error = get(&into, Origin::Mirror(&server.address), &HELLO).unwrap_err();
    assert!(message(&error).contains("the connection broke"), "{}", message(&error));
    assert_eq!((server.asked().len(), names(&into)), (3, vec!["hello.txt.part".to_owned()]));
}

#[test]
fn a_server_that_is_busy_is_asked_again_and_one_that_refuses_is_not() {
    let habits = Habits { statuses: vec![503, 429], ..serving("/greetings/hello.txt", TEXT) };
    let (server, into) = (Server::new(habits), folder());
    assert_eq!(get(&into, Origin::Mirror(&server.address), &HELLO).unwrap().came, Came::Fetched);
    assert_eq!(server.asked().len(), 3);
    let server = Server::new(Habits { statuses: vec![403], ..Habits::default() });
    let error = get(&folder(), Origin::Mirror(&server.address), &HELLO).unwrap_err();
    assert!(message(&error).contains("403"), "{}", message(&error));
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_file_that_is_not_there_is_said_to_be_not_there() {
    let (server, into) = (Server::new(Habits::default()), folder());
    let message = message(&get(&into, Origin::Mirror(&server.address), &HELLO).unwrap_err());
    assert!(
        message.contains("404") && message.contains("greetings/hello.txt.gz") && message.contains("--from"),
        "{message}"
    );
    assert_eq!(server.asked().len(), 2);
    assert!(names(&into).is_empty());
}

#[test]
fn without_a_network_the_other_ways_are_named() {
    // A port that was free a moment ago, and that nobody listens on.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let into = folder();
    let message = message(&get(&into, Origin::Mirror(&format!("http://{address}")), &HELLO).unwrap_err());
    for word in ["could not be fetched", "--from", "--mirror", HELLO.url, "\"network\""] {
        assert!(message.contains(word), "{word}: {message}");
    }
    assert!(names(&into).is_empty());
}

#[test]
fn more_than_a_file_can_be_is_not_taken() {
    let long = vec![b'x'; usize::try_from(MARGIN).unwrap() + 100];
    let (server, into) = (Server::new(serving("/greetings/hello.txt", &long)), folder());
    let message = message(&get(&into, Origin::Mirror(&server.address), &HELLO).unwrap_err());
    assert!(message.contains("cannot be the file"), "{message}");
    assert!(names(&into).is_empty());
}

#[test]
fn files_are_taken_from_a_folder_gzipped_or_not() {
    let from = folder();
    let absent = message(&get(&folder(), Origin::Folder(from.path()), &HELLO).unwrap_err());
    assert!(absent.contains("holds no hello.txt") && absent.contains(HELLO.url), "{absent}");
    fs::create_dir(from.path().join("greetings")).unwrap();
    fs::write(from.path().join("greetings/hello.txt.gz"), gzip(TEXT)).unwrap();
    let into = folder();
    let got = get(&into, Origin::Folder(from.path()), &HELLO).unwrap();
    assert_eq!((got.came, names(&into)), (Came::Copied, vec!["hello.txt.gz".to_owned()]));

    fs::write(from.path().join("greetings/hello.txt"), "hallo\n").unwrap();
    let into = folder();
    let wrong = message(&get(&into, Origin::Folder(from.path()), &HELLO).unwrap_err());
    assert!(wrong.contains("greetings/hello.txt") && wrong.contains(HELLO.sha256[0]), "{wrong}");
    assert!(names(&into).is_empty());
}
