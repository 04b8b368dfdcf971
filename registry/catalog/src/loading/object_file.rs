//! What kind of file a dylib is, and whether all of it is there.
//!
//! A file that is cut off kills the process that opens it (SIGBUS), so every
//! part that its tables name must lie inside the file.

use std::env::consts::ARCH;

use gannet_abi::manifest::SECTION;
use object::elf::{DF_1_PIE, DT_FLAGS_1, PT_INTERP, PT_NULL};
use object::read::elf::{Dyn, ElfFile64, ProgramHeader};
use object::{
    Architecture, Endianness, FileKind, Object, ObjectKind, ObjectSection, ObjectSegment,
};

use super::LoadError;

/// How large the section of manifests may be.
const MAX_MANIFEST_BYTES: usize = 1 << 20;

/// The kind of file that this system loads.
const WANTED: FileKind = if cfg!(target_vendor = "apple") {
    FileKind::MachO64
} else if cfg!(windows) {
    FileKind::Pe64
} else {
    FileKind::Elf64
};

/// What a file is made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// `elf`, `mach-o` or `pe`.
    pub(super) format: &'static str,
    /// As Rust names it: `x86_64`.
    pub(super) architecture: String,
}

/// What a file is made for, where it is a program or a library for some
/// machine.
pub(super) fn target(bytes: &[u8]) -> Option<Target> {
    let format = format(FileKind::parse(bytes).ok()?)?;
    let file = object::File::parse(bytes).ok()?;
    Some(Target {
        format,
        architecture: architecture(&file),
    })
}

/// The bytes of the section of manifests; none when there is no such section.
///
/// # Errors
/// When it is no whole dynamic library for this machine.
pub(super) fn manifest_section(bytes: &[u8]) -> Result<&[u8], LoadError> {
    let file = parse(bytes)?;
    check_target(&file)?;
    check_kind(&file)?;
    check_ranges(&file, bytes.len())?;
    let Some(section) = file.section_by_name(SECTION) else {
        return Ok(&[]);
    };
    let manifests = section.data().map_err(damaged)?;
    match manifests.len() > MAX_MANIFEST_BYTES {
        true => Err(damaged("its section of manifests is too large")),
        false => Ok(manifests),
    }
}

fn parse(bytes: &[u8]) -> Result<object::File<'_>, LoadError> {
    let kind = FileKind::parse(bytes).map_err(|_| not_a_library("of an unknown form"))?;
    if kind != WANTED {
        return Err(match format(kind) {
            Some(found) => LoadError::OtherTarget {
                found: format!("{found} {}", bits(kind)),
                wanted: this_machine(),
            },
            None => not_a_library("of another form"),
        });
    }
    object::File::parse(bytes).map_err(damaged)
}

fn check_target(file: &object::File<'_>) -> Result<(), LoadError> {
    let found = architecture(file);
    let endianness = file.endianness();
    if found == ARCH && endianness == Endianness::default() {
        return Ok(());
    }
    Err(LoadError::OtherTarget {
        found: match endianness {
            Endianness::Little => format!("{found}, little-endian"),
            Endianness::Big => format!("{found}, big-endian"),
        },
        wanted: this_machine(),
    })
}

fn check_kind(file: &object::File<'_>) -> Result<(), LoadError> {
    match file.kind() {
        ObjectKind::Dynamic if is_elf_program(file)? => Err(not_a_library("a program")),
        ObjectKind::Dynamic => Ok(()),
        ObjectKind::Executable => Err(not_a_library("a program")),
        ObjectKind::Relocatable => Err(not_a_library("an object file that is not linked")),
        ObjectKind::Core => Err(not_a_library("a core dump")),
        _ => Err(not_a_library("of an unknown kind")),
    }
}

/// ELF marks a program that can lie at any address as it marks a library. It
/// is a program if it names an interpreter or says so in its flags.
fn is_elf_program(file: &object::File<'_>) -> Result<bool, LoadError> {
    let object::File::Elf64(file) = file else {
        return Ok(false);
    };
    let endian = file.endian();
    let has_interpreter = file
        .elf_program_headers()
        .iter()
        .any(|header| header.p_type(endian) == PT_INTERP);
    Ok(has_interpreter || says_it_is_a_program(file)?)
}

fn says_it_is_a_program(file: &ElfFile64<'_, Endianness>) -> Result<bool, LoadError> {
    let endian = file.endian();
    for header in file.elf_program_headers() {
        let entries = header.dynamic(endian, file.data()).map_err(damaged)?;
        let flags = entries
            .unwrap_or_default()
            .iter()
            .filter(|entry| entry.d_tag(endian) == DT_FLAGS_1)
            .any(|entry| entry.d_val(endian) & DF_1_PIE.0 != 0);
        if flags {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Everything that the tables name lies inside the file.
fn check_ranges(file: &object::File<'_>, length: usize) -> Result<(), LoadError> {
    let inside = |(start, size): (u64, u64)| {
        let end = start.checked_add(size);
        end.is_some_and(|end| end <= length as u64)
    };
    let segments = file.segments().map(|segment| segment.file_range());
    let sections = file.sections().filter_map(|section| section.file_range());
    match segments.chain(sections).chain(elf_parts(file)).all(inside) {
        true => Ok(()),
        false => Err(damaged("a part of it lies beyond its end")),
    }
}

/// All parts that an ELF file names, not only those that are loaded.
fn elf_parts(file: &object::File<'_>) -> Vec<(u64, u64)> {
    let object::File::Elf64(file) = file else {
        return Vec::new();
    };
    let endian = file.endian();
    file.elf_program_headers()
        .iter()
        .filter(|header| header.p_type(endian) != PT_NULL)
        .map(|header| header.file_range(endian))
        .collect()
}

fn format(kind: FileKind) -> Option<&'static str> {
    match kind {
        FileKind::Elf32 | FileKind::Elf64 => Some("elf"),
        FileKind::MachO32 | FileKind::MachO64 => Some("mach-o"),
        FileKind::MachOFat32 | FileKind::MachOFat64 => Some("mach-o"),
        FileKind::Pe32 | FileKind::Pe64 => Some("pe"),
        _ => None,
    }
}

fn bits(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Elf32 | FileKind::MachO32 | FileKind::Pe32 => "32 bit",
        FileKind::MachOFat32 | FileKind::MachOFat64 => "several machines at once",
        _ => "64 bit",
    }
}

/// As Rust names it, so that it can be compared with what this program was
/// built for.
fn architecture(file: &object::File<'_>) -> String {
    match file.architecture() {
        Architecture::PowerPc64 => "powerpc64".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn this_machine() -> String {
    let format = format(WANTED).unwrap_or_default();
    format!("{format} {}, {ARCH}", bits(WANTED))
}

fn not_a_library(reason: &str) -> LoadError {
    LoadError::NotALibrary {
        reason: reason.to_owned(),
    }
}

fn damaged(reason: impl ToString) -> LoadError {
    LoadError::Damaged {
        reason: reason.to_string(),
    }
}
