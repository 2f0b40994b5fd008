//! The files that a command writes: beside their places first, and all in their places at the end.
//!
//! Holds [`Outputs`], by which every command writes, and [`CsvArgs`]. Whether a file can be put where it is asked for is checked
//! before any work is done, in `files`.

use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use anyhow::Result;
use clap::Args;
use evenhand::Table;
use evenhand::data::{Carry, NextChunk, WriteOptions};

use crate::files;

/// How tables are written as text.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct CsvArgs {
    /// In CSV and TSV, put an apostrophe before cells that a spreadsheet would take for a formula.
    ///
    /// These begin with =, +, -, @, a tab or the end of a line, and are no number; names of columns count too. It changes data:
    /// for files that are opened in a spreadsheet.
    #[arg(long, help_heading = "Output")]
    safe_csv: bool,
}

/// The files of one run. Until [`Outputs::commit`] all are as they were; what goes to standard output is out at once.
pub(crate) struct Outputs {
    files: evenhand::data::Outputs,
    options: WriteOptions,
}

impl Outputs {
    /// None yet.
    pub(crate) fn new(csv: CsvArgs) -> Self {
        Self { files: evenhand::data::Outputs::default(), options: WriteOptions { safe_csv: csv.safe_csv } }
    }

    /// None yet, and no table to come.
    pub(crate) fn without_tables() -> Self {
        Self::new(CsvArgs { safe_csv: false })
    }

    /// Writes a table in the format that its path says.
    pub(crate) fn table(&mut self, path: &Path, table: &Table) -> Result<()> {
        if !files::is_stdout(path) {
            return Ok(self.files.table(path, table, self.options)?);
        }
        let mut out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
        streamed(table.write_csv(&mut out, self.options).and_then(|()| out.flush()))
    }

    /// Writes the columns of another file, with what is put beside them.
    pub(crate) fn carry(&mut self, path: &Path, carry: &Carry) -> Result<()> {
        self.carry_fed(path, carry, &mut carry.chunk())
    }

    /// Writes the columns of another file; those that are fed come from `next`, a chunk at a time.
    pub(crate) fn carry_fed(&mut self, path: &Path, carry: &Carry, next: NextChunk<'_>) -> Result<()> {
        if !files::is_stdout(path) {
            return Ok(self.files.carry_fed(path, carry, self.options, next)?);
        }
        let mut out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
        streamed(carry.write_csv(&mut out, self.options, next)?.and_then(|()| out.flush()))
    }

    /// Writes a text.
    pub(crate) fn text(&mut self, path: &Path, text: &str) -> Result<()> {
        if !files::is_stdout(path) {
            return Ok(self.files.write(path, |file| file.write_all(text.as_bytes()))?);
        }
        let mut out = io::stdout().lock();
        streamed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
    }

    /// Puts all files in their places.
    ///
    /// # Errors
    /// [`evenhand::Error::PartlyWritten`] says which are new, where some are.
    pub(crate) fn commit(self) -> Result<()> {
        Ok(self.files.commit()?)
    }
}

/// A reader that went away is no error: it has what it wanted.
fn streamed(written: io::Result<()>) -> Result<()> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(evenhand::Error::Io { path: "standard output".into(), source: error }.into())
        }
        _ => Ok(()),
    }
}
