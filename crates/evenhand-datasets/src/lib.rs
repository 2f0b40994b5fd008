//! Data for Evenhand: public datasets as published experiments use them, made-up populations, known biases.
//!
//! [`CatalogueEntry`] says where a public dataset is published and how to tell its files; a [`Recipe`] makes the rows
//! of such files ready; [`synthetic`] makes people up whose true labels are known; [`inject`] puts a chosen bias into
//! labels. Leans on the engine, which knows nothing of it. Fetches nothing: the network is the business of whoever calls.
//!
//! ```
//! use evenhand::{Correction, Dataset, Logistic, Notion, Schema};
//! use evenhand_datasets::synthetic;
//!
//! # fn main() -> evenhand::Result<()> {
//! let loans = synthetic::population(5_000, 1)?;
//! let data = Dataset::new(loans, &Schema::label("approved").positive("yes").ignore("deserved"))?;
//! let fitted = Correction::new(Notion::DemographicParity).group("sex")?.fit(&data, &Logistic::default())?;
//! assert!(fitted.multipliers().next().is_some());
//! # Ok(())
//! # }
//! ```

mod catalogue;
mod images;
pub mod inject;
pub mod recipe;
pub mod synthetic;

pub use catalogue::{Archive, CatalogueEntry, PublishedFile};
pub use recipe::Recipe;
