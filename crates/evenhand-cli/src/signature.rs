//! Signatures under model files: Ed25519, with keys as OpenSSL writes them.
//!
//! The hash in a model file tells that no byte changed; anyone can compute it. A signature tells who wrote it.

use std::path::Path;

use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use evenhand::model::{Check, Sealed};
use ring::signature::{ED25519, Ed25519KeyPair, UnparsedPublicKey};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{PrivatePkcs8KeyDer, SubjectPublicKeyInfoDer};

use crate::failure::Usage;

const PRIVATE: &str = "make one: openssl genpkey -algorithm ed25519 -out key.pem";
const PUBLIC: &str = "the public half of a key: openssl pkey -in key.pem -pubout -out public.pem";

/// What stands before the 32 bytes of an Ed25519 key in its file. [RFC 8410, section 4]
const PUBLIC_HEAD: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// A private key.
pub(crate) struct SigningKey(Ed25519KeyPair);

impl SigningKey {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let wrong = |why: String| Usage::new(format!("{}: {why}", path.display())).hint(PRIVATE);
        let key = PrivatePkcs8KeyDer::from_pem_file(path).map_err(|error| wrong(format!("no private key: {error}")))?;
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(key.secret_pkcs8_der());
        Ok(Self(pair.map_err(|error| wrong(format!("no Ed25519 key: {error}")))?))
    }

    pub(crate) fn sign(&self, message: &[u8]) -> String {
        STANDARD.encode(self.0.sign(message))
    }
}

/// Whether a file was signed by the owner of a public key.
pub(crate) fn check(sealed: &Sealed, key: Option<&Path>) -> Result<Option<Check>> {
    let name = "signature";
    let Some(path) = key else {
        let detail = "there is one; --key PUBLIC.pem tells whose".to_owned();
        return Ok(sealed.signature().map(|_| Check { name, matches: None, detail }));
    };
    let key = public_key(path)?;
    let signature = sealed.signature().map(|text| STANDARD.decode(text));
    let (matches, detail) = match signature {
        None => (false, "the file has none".to_owned()),
        Some(Err(error)) => (false, format!("not a signature: {error}")),
        Some(Ok(bytes)) => match UnparsedPublicKey::new(&ED25519, key).verify(&sealed.message(), &bytes) {
            Ok(()) => (true, format!("by the owner of {}", path.display())),
            Err(_) => (false, format!("not by the owner of {}, or of another file", path.display())),
        },
    };
    Ok(Some(Check { name, matches: Some(matches), detail }))
}

fn public_key(path: &Path) -> Result<Vec<u8>> {
    let wrong = |why: String| Usage::new(format!("{}: {why}", path.display())).hint(PUBLIC);
    let key = SubjectPublicKeyInfoDer::from_pem_file(path).map_err(|error| wrong(format!("no public key: {error}")))?;
    match key.as_ref().strip_prefix(&PUBLIC_HEAD) {
        Some(bytes) if bytes.len() == 32 => Ok(bytes.to_vec()),
        _ => Err(wrong("no Ed25519 key".to_owned()).into()),
    }
}
