//! The datasets: their files, licences and whom to cite.

use super::{Archive, CatalogueEntry, PublishedFile};

const CC_BY: &str = "CC BY 4.0";

pub(super) const ALL: [CatalogueEntry; 6] = [
    CatalogueEntry {
        name: "adult",
        about: "census of 1994: is a yearly income above 50,000 dollars?",
        licence: CC_BY,
        citation: "Becker, B. and Kohavi, R. (1996), Adult, UCI Machine Learning Repository, doi:10.24432/C5XW20",
        files: &[
            PublishedFile {
                name: "adult.data",
                url: "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.data",
                archive: Archive::Plain,
                sha256: &["5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"],
                bytes: 3_974_305,
            },
            PublishedFile {
                name: "adult.test",
                url: "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.test",
                archive: Archive::Plain,
                sha256: &["a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05"],
                bytes: 2_003_153,
            },
        ],
    },
    CatalogueEntry {
        name: "bank",
        about: "phone marketing of a Portuguese bank: does a client subscribe to a term deposit?",
        licence: CC_BY,
        citation: "Moro, S., Rita, P. and Cortez, P. (2014), Bank Marketing, UCI Machine Learning Repository, doi:10.24432/C5K306",
        files: &[PublishedFile {
            name: "bank-additional-full.csv",
            url: "https://archive.ics.uci.edu/ml/machine-learning-databases/00222/bank-additional.zip",
            archive: Archive::Zip { member: "bank-additional/bank-additional-full.csv" },
            sha256: &["74adfc578bf77a7ff4bb1ba4a9f8709d9e3c6907342959c2c8416847e0afb4d8"],
            bytes: 5_834_924,
        }],
    },
    CatalogueEntry {
        name: "communities",
        about: "communities of the USA: is violent crime among the highest three tenths?",
        licence: CC_BY,
        citation: "Redmond, M. (2002), Communities and Crime, UCI Machine Learning Repository, doi:10.24432/C53W3X",
        files: &[PublishedFile {
            name: "communities.data",
            url: "https://archive.ics.uci.edu/ml/machine-learning-databases/communities/communities.data",
            archive: Archive::Plain,
            // With the line ends of Windows, and without: it was published both ways.
            sha256: &[
                "09e0b5c07eae24c1efab19b2edee05e160e7f5743b6f31e31eec3d73624da2ea",
                "d90d85bd66bad9a00fa0ed6c15ac017b5966d528e55ba2940ad028d071353f95",
            ],
            bytes: 1_102_815,
        }],
    },
    CatalogueEntry {
        name: "compas",
        about: "defendants of Broward County: is one charged again within two years?",
        licence: "none stated; public records compiled by ProPublica",
        citation: "Larson, J., Mattu, S., Kirchner, L. and Angwin, J. (2016), How We Analyzed the COMPAS Recidivism Algorithm, ProPublica",
        files: &[PublishedFile {
            name: "compas-scores-two-years.csv",
            url: "https://raw.githubusercontent.com/propublica/compas-analysis/master/compas-scores-two-years.csv",
            archive: Archive::Plain,
            sha256: &["c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d"],
            bytes: 2_546_489,
        }],
    },
    CatalogueEntry {
        name: "german",
        about: "German credit: is an applicant a bad risk?",
        licence: CC_BY,
        citation: "Hofmann, H. (1994), Statlog (German Credit Data), UCI Machine Learning Repository, doi:10.24432/C5NC77",
        files: &[PublishedFile {
            name: "german.data-numeric",
            url: "https://archive.ics.uci.edu/ml/machine-learning-databases/statlog/german/german.data-numeric",
            archive: Archive::Plain,
            sha256: &["2752b044394958ab6dd193a0b56ca0f0b3a2d8bc7cb8c008e35a5e84bbec02f8"],
            bytes: 102_000,
        }],
    },
    CatalogueEntry {
        name: "mnist",
        about: "handwritten digits: which one is it, where a fifth of the training labels was set to 2?",
        licence: "CC BY-SA 3.0",
        citation: "LeCun, Y., Bottou, L., Bengio, Y. and Haffner, P. (1998), Proceedings of the IEEE 86(11):2278-2324",
        files: &[
            PublishedFile {
                name: "train-images-idx3-ubyte",
                url: "https://storage.googleapis.com/cvdf-datasets/mnist/train-images-idx3-ubyte.gz",
                archive: Archive::Gzip,
                sha256: &["ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"],
                bytes: 47_040_016,
            },
            PublishedFile {
                name: "train-labels-idx1-ubyte",
                url: "https://storage.googleapis.com/cvdf-datasets/mnist/train-labels-idx1-ubyte.gz",
                archive: Archive::Gzip,
                sha256: &["65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"],
                bytes: 60_008,
            },
            PublishedFile {
                name: "t10k-images-idx3-ubyte",
                url: "https://storage.googleapis.com/cvdf-datasets/mnist/t10k-images-idx3-ubyte.gz",
                archive: Archive::Gzip,
                sha256: &["0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"],
                bytes: 7_840_016,
            },
            PublishedFile {
                name: "t10k-labels-idx1-ubyte",
                url: "https://storage.googleapis.com/cvdf-datasets/mnist/t10k-labels-idx1-ubyte.gz",
                archive: Archive::Gzip,
                sha256: &["ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"],
                bytes: 10_008,
            },
        ],
    },
];
