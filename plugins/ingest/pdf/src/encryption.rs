//! Files that are encrypted with an empty password: anybody may open them, and
//! programs are asked not to print or copy them. Others are refused.
//!
//! By the standard security handler of ISO 32000-2, 7.6.

use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes256, Block};
use md5::{Digest as _, Md5};
use sha2::{Digest as _, Sha256, Sha384, Sha512};

use crate::file::File;
use crate::object::{Dict, Object};

/// What fills up a short password, here all of it.
const PADDING: [u8; 32] = [
    0x28, 0xbf, 0x4e, 0x5e, 0x4e, 0x75, 0x8a, 0x41, 0x64, 0x00, 0x4e, 0x56, 0xff, 0xfa, 0x01, 0x08,
    0x2e, 0x2e, 0x00, 0xb6, 0xd0, 0x68, 0x3e, 0x80, 0x2f, 0x0c, 0xa9, 0xfe, 0x64, 0x53, 0x69, 0x7a,
];

/// How data is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Plain,
    Rc4,
    Aes128,
    Aes256,
}

/// The number and the generation of an object.
pub(crate) type ObjectId = (u32, u16);

/// What the data of a file is decrypted with.
#[derive(Debug)]
pub(crate) struct Key {
    bytes: Vec<u8>,
    method: Method,
}

impl Key {
    /// The key of a file whose password is empty.
    pub(crate) fn of_empty_password(file: &File<'_>) -> Option<Self> {
        let dict = file.dict(&file.trailer, b"Encrypt")?;
        let number = |key: &[u8]| file.get(dict, key).and_then(Object::index);
        let version = number(b"V")?;
        let method = match version {
            1 | 2 => Method::Rc4,
            4 | 5 => method(file, dict)?,
            _ => return None,
        };
        let revision = number(b"R")?;
        let bytes = match revision {
            2..=4 => {
                let length = match version {
                    1 => 5,
                    2 => number(b"Length").map_or(5, |bits| (bits / 8).clamp(5, 16)),
                    _ => 16,
                };
                old_key(file, dict, revision, length)?
            }
            5 | 6 => new_key(file, dict, revision)?,
            _ => return None,
        };
        Some(Self { bytes, method })
    }

    /// Decrypts the data of an object.
    pub(crate) fn decrypt(&self, data: &[u8], (number, generation): ObjectId) -> Vec<u8> {
        let of_object = || {
            let mut hash = Md5::new();
            hash.update(&self.bytes);
            hash.update(&number.to_le_bytes()[..3]);
            hash.update(generation.to_le_bytes());
            if self.method == Method::Aes128 {
                hash.update(b"sAlT");
            }
            let length = (self.bytes.len() + 5).min(16);
            hash.finalize()[..length].to_vec()
        };
        match self.method {
            Method::Plain => data.to_vec(),
            Method::Rc4 => rc4(&of_object(), data),
            Method::Aes128 => match Aes128::new_from_slice(&of_object()) {
                Ok(cipher) => padded(&cipher, data),
                Err(_) => Vec::new(),
            },
            Method::Aes256 => match Aes256::new_from_slice(&self.bytes) {
                Ok(cipher) => padded(&cipher, data),
                Err(_) => Vec::new(),
            },
        }
    }
}

/// How streams are encrypted: by the crypt filter that is named for them.
fn method(file: &File<'_>, dict: &Dict) -> Option<Method> {
    let name = file.get(dict, b"StmF").and_then(Object::name);
    let Some(name) = name.filter(|name| *name != b"Identity") else {
        return Some(Method::Plain);
    };
    let filter = file.dict(file.dict(dict, b"CF")?, name)?;
    match file.get(filter, b"CFM").and_then(Object::name)? {
        b"V2" => Some(Method::Rc4),
        b"AESV2" => Some(Method::Aes128),
        b"AESV3" => Some(Method::Aes256),
        b"None" => Some(Method::Plain),
        _ => None,
    }
}

/// Of files up to PDF 1.7; none where the password is not empty.
fn old_key(file: &File<'_>, dict: &Dict, revision: usize, length: usize) -> Option<Vec<u8>> {
    let text = |key: &[u8]| file.get(dict, key).and_then(Object::text);
    let identifier = file.get(&file.trailer, b"ID").and_then(Object::list);
    let identifier = identifier.and_then(|list| list.first()?.text());
    let identifier = identifier.unwrap_or_default();
    // A number of 32 bits with a sign, which some programs write without it.
    #[expect(clippy::cast_possible_truncation, reason = "32 bits are meant")]
    let permissions = file.get(dict, b"P")?.number()? as i64 as u32;
    let mut hash = Md5::new();
    hash.update(PADDING);
    hash.update(text(b"O")?.get(..32)?);
    hash.update(permissions.to_le_bytes());
    hash.update(identifier);
    if revision >= 4 && file.get(dict, b"EncryptMetadata") == Some(&Object::Bool(false)) {
        hash.update([0xff; 4]);
    }
    let mut key = hash.finalize()[..length].to_vec();
    let user = text(b"U")?;
    if revision == 2 {
        return (rc4(&key, &PADDING) == user.get(..32)?).then_some(key);
    }
    for _ in 0..50 {
        key = Md5::digest(&key)[..length].to_vec();
    }
    let mut check = Md5::new();
    check.update(PADDING);
    check.update(identifier);
    let mut check = check.finalize().to_vec();
    for round in 0..20 {
        let of_round: Vec<u8> = key.iter().map(|byte| byte ^ round).collect();
        check = rc4(&of_round, &check);
    }
    (check == user.get(..16)?).then_some(key)
}

/// Of PDF 2.0, and of what came before it.
fn new_key(file: &File<'_>, dict: &Dict, revision: usize) -> Option<Vec<u8>> {
    let text = |key: &[u8]| file.get(dict, key).and_then(Object::text);
    let user = text(b"U")?;
    let hash = |salt: &[u8]| match revision {
        5 => Some(Sha256::digest(salt).to_vec()),
        _ => hardened(salt),
    };
    if hash(user.get(32..40)?)? != user.get(..32)? {
        return None;
    }
    let key = hash(user.get(40..48)?)?;
    let cipher = Aes256::new_from_slice(&key).ok()?;
    Some(unchained(&cipher, &[0; 16], text(b"UE")?.get(..32)?))
}

/// The hash of revision 6 (algorithm 2.B) for an empty password.
fn hardened(salt: &[u8]) -> Option<Vec<u8>> {
    let mut key = Sha256::digest(salt).to_vec();
    let mut round = 0_u32;
    loop {
        let cipher = Aes128::new_from_slice(key.get(..16)?).ok()?;
        let mut last = Block::try_from(key.get(16..32)?).ok()?;
        let repeated = key.repeat(64);
        let mut data = Vec::with_capacity(repeated.len());
        for chunk in repeated.chunks_exact(16) {
            for (byte, next) in last.iter_mut().zip(chunk) {
                *byte ^= next;
            }
            cipher.encrypt_block(&mut last);
            data.extend_from_slice(&last);
        }
        let sum: u32 = data.iter().take(16).map(|byte| u32::from(*byte)).sum();
        key = match sum % 3 {
            0 => Sha256::digest(&data).to_vec(),
            1 => Sha384::digest(&data).to_vec(),
            _ => Sha512::digest(&data).to_vec(),
        };
        round += 1;
        if round >= 64 && u32::from(*data.last()?) <= round - 32 {
            key.truncate(32);
            return Some(key);
        }
    }
}

/// Data that begins with its initialization vector and ends with a padding.
fn padded(
    cipher: &impl BlockCipherDecrypt<BlockSize = aes::cipher::consts::U16>,
    data: &[u8],
) -> Vec<u8> {
    let Some((start, data)) = data.split_at_checked(16) else {
        return Vec::new();
    };
    let mut plain = unchained(cipher, start, data);
    let padding = usize::from(plain.last().copied().unwrap_or(0));
    if (1..=16).contains(&padding) && padding <= plain.len() {
        plain.truncate(plain.len() - padding);
    }
    plain
}

/// Cipher block chaining; bytes behind the last whole block are left out.
fn unchained(
    cipher: &impl BlockCipherDecrypt<BlockSize = aes::cipher::consts::U16>,
    start: &[u8],
    data: &[u8],
) -> Vec<u8> {
    let mut plain = Vec::with_capacity(data.len());
    let mut last = start;
    for chunk in data.chunks_exact(16) {
        let Ok(mut block) = Block::try_from(chunk) else {
            break;
        };
        cipher.decrypt_block(&mut block);
        plain.extend(block.iter().zip(last).map(|(byte, before)| byte ^ before));
        last = chunk;
    }
    plain
}

/// RC4, which is its own inverse.
fn rc4(key: &[u8], data: &[u8]) -> Vec<u8> {
    if key.is_empty() {
        return Vec::new();
    }
    let mut state: [u8; 256] = std::array::from_fn(|index| index.to_le_bytes()[0]);
    let mut other = 0_u8;
    for (index, byte) in (0..256).zip(key.iter().cycle()) {
        other = other.wrapping_add(state[index]).wrapping_add(*byte);
        state.swap(index, usize::from(other));
    }
    let (mut index, mut other) = (0_u8, 0_u8);
    let next = |byte: &u8| {
        index = index.wrapping_add(1);
        other = other.wrapping_add(state[usize::from(index)]);
        state.swap(usize::from(index), usize::from(other));
        let sum = state[usize::from(index)].wrapping_add(state[usize::from(other)]);
        byte ^ state[usize::from(sum)]
    };
    data.iter().map(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rc4_is_that_of_others() {
        assert_eq!(
            rc4(b"Key", b"Plaintext"),
            b"\xbb\xf3\x16\xe8\xd9\x40\xaf\x0a\xd3"
        );
    }
}
