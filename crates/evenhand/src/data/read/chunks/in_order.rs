//! Parts that are read side by side, and handed over in their order.
//!
//! Holds [`each`]. A thread reads a part, and then the first that nobody has begun. It waits as soon as a chunk of its own is not taken, so
//! that no more than two chunks a thread are there at once; the earliest part that is not done is always one that is being read.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::EachChunk;
use crate::data::Table;
use crate::{Error, Result};

/// Chunks of a part that wait to be taken.
const AHEAD: usize = 1;

type Chunk = Result<Table>;

/// Reads parts on up to so many threads, and hands over their chunks with the place of the part.
///
/// # Errors
/// The first in the order of parts: what `read` says of one, or `take` of a chunk.
pub(super) fn each<P: Sync>(
    parts: &[P],
    threads: usize,
    read: &(dyn Fn(&P, EachChunk<'_>) -> Result<()> + Sync),
    take: &mut dyn FnMut(usize, Table) -> Result<()>,
) -> Result<()> {
    if threads < 2 || parts.len() < 2 {
        return parts.iter().enumerate().try_for_each(|(at, part)| read(part, &mut |table| take(at, table)));
    }
    let (senders, receivers): (Vec<SyncSender<Chunk>>, Vec<Receiver<Chunk>>) =
        parts.iter().map(|_| sync_channel(AHEAD)).unzip();
    let senders: Vec<Mutex<Option<SyncSender<Chunk>>>> =
        senders.into_iter().map(|sender| Mutex::new(Some(sender))).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(part) = parts.get(at) else { return };
            let Some(sender) = senders[at].lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
            // Where nobody takes chunks any more, nobody wants to know why reading ended.
            let send = &mut |table| sender.send(Ok(table)).map_err(|_| Error::Interrupted);
            if let Err(error) = read(part, send) {
                let _ = sender.send(Err(error));
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads.min(parts.len()) {
            scope.spawn(work);
        }
        // They are dropped in the end, so that whoever waits for a chunk to be taken ends as well.
        let receivers = receivers;
        for (at, receiver) in receivers.iter().enumerate() {
            for chunk in receiver {
                take(at, chunk?)?;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;

    fn table(part: usize, chunk: usize) -> Table {
        Table::new(vec![("x".into(), Column::Numeric(vec![(10 * part + chunk) as f64]))], 1).unwrap()
    }

    fn number(table: &Table) -> f64 {
        let Ok(Column::Numeric(x)) = table.column("x") else { panic!("it is there") };
        x[0]
    }

    /// Parts of three chunks, of which one fails after two.
    fn read(bad: usize) -> impl Fn(&usize, EachChunk<'_>) -> Result<()> + Sync {
        move |&part, take| {
            for chunk in 0..3 {
                if part == bad && chunk == 2 {
                    return Err(Error::NoRows { what: format!("part {part}") });
                }
                take(table(part, chunk))?;
            }
            Ok(())
        }
    }

    #[test]
    fn chunks_come_in_the_order_of_parts_on_any_number_of_threads() {
        let parts: Vec<usize> = (0..9).collect();
        let expected: Vec<f64> = (0..27).map(|at| f64::from(10 * (at / 3) + at % 3)).collect();
        for threads in [1, 2, 3, 8, 20] {
            let mut found = Vec::new();
            each(&parts, threads, &read(99), &mut |at, table| {
                found.push(number(&table));
                assert_eq!(at, (found.len() - 1) / 3);
                Ok(())
            })
            .unwrap();
            assert_eq!(found, expected, "{threads}");
        }
    }

    #[test]
    fn the_first_error_ends_it_after_what_came_before() {
        let parts: Vec<usize> = (0..9).collect();
        for threads in [1, 2, 8] {
            let mut taken = 0;
            let error = each(&parts, threads, &read(4), &mut |_, _| {
                taken += 1;
                Ok(())
            });
            assert_eq!((error.unwrap_err().code(), taken), ("no-rows", 14), "{threads}");
            let mut taken = 0;
            let error = each(&parts, threads, &read(99), &mut |_, _| {
                taken += 1;
                if taken == 5 { Err(Error::NoFeatures) } else { Ok(()) }
            });
            assert_eq!((error.unwrap_err().code(), taken), ("no-features", 5), "{threads}");
        }
    }
}
