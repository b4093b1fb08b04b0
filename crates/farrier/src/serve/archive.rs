//! Files as one file: tar in the form of POSIX, compressed by gzip.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// The size of a block.
const BLOCK: usize = 512;

/// The archive of a directory with these files. The same files give the same bytes.
pub(crate) fn archive(directory: &str, files: &[(String, Vec<u8>)]) -> anyhow::Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    for (name, bytes) in files {
        packed.write_all(&header(&format!("{directory}/{name}"), bytes.len()))?;
        packed.write_all(bytes)?;
        packed.write_all(&vec![0; bytes.len().next_multiple_of(BLOCK) - bytes.len()])?;
    }
    // The end is two empty blocks.
    packed.write_all(&[0; 2 * BLOCK])?;
    Ok(packed.finish()?)
}

/// The header of a file: POSIX.1-2017, pax, "ustar Interchange Format".
fn header(path: &str, size: usize) -> [u8; BLOCK] {
    assert!(path.len() < 100, "the names of a bundle are short");
    let mut block = [0; BLOCK];
    let mut put =
        |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, path);
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{size:011o}"));
    put(136, "00000000000");
    // The sum is taken with spaces in its own place.
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\u{0}00");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..155].copy_from_slice(format!("{sum:06o}\u{0}").as_bytes());
    block
}
