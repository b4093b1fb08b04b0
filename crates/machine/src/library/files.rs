//! Files and streams, C11 7.21. Files are in memory: those that the options give, and
//! those that the program makes. Output to `stderr` is no part of the behaviour.

use std::collections::BTreeMap;

use super::errno::{EEXIST, EINVAL, ENOENT};
use super::{Arguments, Library, argument};
use crate::Options;
use crate::kinds::{Cause, UbKind};
use crate::memory::{Location, Origin};
use crate::order::Area;
use crate::run::Machine;
use crate::underspecified;
use crate::value::Value;
use crate::verdict::{Checked, Limit, Stop, undefined, unspecified, unsupported};

/// A stream: its number among all that were ever open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stream(u32);

impl Stream {
    pub(super) const INPUT: Self = Self(0);
    pub(super) const OUTPUT: Self = Self(1);
    pub(super) const ERROR: Self = Self(2);

    /// The names of the objects of the library that point to the first three.
    const NAMES: [&'static str; 3] = ["stdin", "stdout", "stderr"];

    /// A name for people.
    pub(crate) fn name(self) -> &'static str {
        Self::NAMES.get(self.0 as usize).copied().unwrap_or("a stream")
    }

    /// The stream that an object of the library points to.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        let index = Self::NAMES.iter().position(|known| *known == name)?;
        Some(Self(index as u32))
    }
}

/// Where the bytes of a stream are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Store {
    /// A file, by number.
    File(usize),
    Output,
    Error,
}

/// What was done last with a stream, C11 7.21.5.3p7.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Last {
    /// Nothing since it was opened.
    Opened,
    Input,
    Output,
    /// It was flushed or positioned, or input met the end of the file.
    Between,
}

/// A stream that is open.
#[derive(Debug)]
struct OpenStream {
    store: Store,
    reads: bool,
    writes: bool,
    appends: bool,
    position: usize,
    /// What was pushed back.
    pushed: Option<u8>,
    /// The end-of-file indicator.
    ended: bool,
    /// The error indicator.
    failed: bool,
    last: Last,
}

impl OpenStream {
    fn new(store: Store, reads: bool, writes: bool) -> Self {
        Self {
            store,
            reads,
            writes,
            appends: false,
            position: 0,
            pushed: None,
            ended: false,
            failed: false,
            last: Last::Opened,
        }
    }
}

/// All files and streams.
#[derive(Debug)]
pub(crate) struct Files {
    /// By number; standard input is the first.
    contents: Vec<Vec<u8>>,
    names: BTreeMap<Vec<u8>, usize>,
    /// By number; `None` once they are closed.
    streams: Vec<Option<OpenStream>>,
    /// The bytes in all files.
    size: usize,
}

impl Files {
    pub(crate) fn new(options: &Options) -> Self {
        let mut contents = vec![options.input.clone()];
        let mut names = BTreeMap::new();
        for (name, content) in options.files.iter().flatten() {
            names.insert(name.clone(), contents.len());
            contents.push(content.clone());
        }
        let standard = [
            OpenStream::new(Store::File(0), true, false),
            OpenStream::new(Store::Output, false, true),
            OpenStream::new(Store::Error, false, true),
        ];
        let streams = standard.into_iter().map(Some).collect();
        let size = contents.iter().map(Vec::len).sum();
        Self { contents, names, streams, size }
    }
}

/// The most bytes that a program may write.
const LIMIT: usize = 64 << 20;

/// What a function returns at the end of the input, or when it fails.
pub(super) const EOF: i64 = -1;

impl Machine<'_> {
    /// The stream that a pointer points to.
    pub(super) fn stream(&self, pointer: Value) -> Checked<Stream> {
        if (pointer.low, pointer.high) == (0, 0) {
            return undefined(UbKind::NullDereference, "this stream is a null pointer");
        }
        match self.memory.slot_of(pointer.high) {
            Some((slot, alive)) => match self.memory.slots[slot as usize].origin {
                Origin::Stream(stream) if alive => match self.files.streams[stream.0 as usize] {
                    Some(_) => Ok(stream),
                    None => undefined(UbKind::Dangling, "this stream is closed"),
                },
                Origin::Stream(_) => undefined(UbKind::Dangling, "this stream is closed"),
                _ => undefined(UbKind::InvalidPointer, "this is no stream"),
            },
            _ => undefined(UbKind::InvalidPointer, "this is no stream"),
        }
    }

    fn open_stream(&mut self, stream: Stream) -> Checked<&mut OpenStream> {
        match &mut self.files.streams[stream.0 as usize] {
            Some(open) => Ok(open),
            None => undefined(UbKind::Dangling, format!("{} is closed", stream.name())),
        }
    }

    /// Whether nothing that is written to a stream can be seen.
    pub(super) fn is_error(&self, stream: Stream) -> bool {
        let open = self.files.streams[stream.0 as usize].as_ref();
        open.is_some_and(|open| open.store == Store::Error)
    }

    /// Records that the state of a stream is used, for the order of evaluation.
    fn record_stream(&self, stream: Stream, write: bool) {
        if !self.memory.order.is_active() {
            return;
        }
        let area = match stream {
            Stream::INPUT => Area::Input,
            Stream::OUTPUT => Area::Output,
            Stream(number) => Area::Stream(number),
        };
        self.memory.order.record(area, 0, 0, 1, write);
    }

    /// Writes to a stream.
    pub(super) fn write_to(&mut self, stream: Stream, text: &[u8]) -> Checked {
        if self.files.size + self.output.len() + text.len() > LIMIT {
            return Err(Box::new(Stop::Exhausted(Limit::Output(LIMIT))));
        }
        let open = self.open_stream(stream)?;
        if !open.writes {
            return unsupported("writing to a stream that is open for reading only");
        }
        if open.last == Last::Input {
            return undefined(
                UbKind::BadStream,
                "output follows input, without a position or the end of the file between",
            );
        }
        open.last = Last::Output;
        let (store, appends) = (open.store, open.appends);
        if store != Store::Error {
            self.record_stream(stream, true);
        }
        match store {
            Store::Error => {}
            Store::Output => self.output.extend_from_slice(text),
            Store::File(file) => {
                let position = self.open_stream(stream)?.position;
                let content = &mut self.files.contents[file];
                let start = if appends { content.len() } else { position };
                let (end, old) = (start + text.len(), content.len());
                if end > content.len() {
                    content.resize(end, 0);
                }
                content[start..end].copy_from_slice(text);
                self.files.size += end.saturating_sub(old);
                self.open_stream(stream)?.position = end;
            }
        }
        self.disturb_errno()
    }

    /// The next byte of a stream, which stays there.
    pub(super) fn peek(&mut self, stream: Stream) -> Checked<Option<u8>> {
        self.record_stream(stream, true);
        let open = self.open_stream(stream)?;
        if !open.reads {
            return unsupported("reading from a stream that is open for writing only");
        }
        if open.last == Last::Output {
            return undefined(
                UbKind::BadStream,
                "input follows output, without a flush or a position between",
            );
        }
        open.last = Last::Input;
        let (position, store, pushed) = (open.position, open.store, open.pushed);
        if pushed.is_some() {
            return Ok(pushed);
        }
        let Store::File(file) = store else { unreachable!("only files are read") };
        let byte = self.files.contents[file].get(position).copied();
        if byte.is_none() {
            let open = self.open_stream(stream)?;
            open.ended = true;
            open.last = Last::Between;
        }
        Ok(byte)
    }

    /// Takes the next byte of a stream.
    pub(super) fn next_byte(&mut self, stream: Stream) -> Checked<Option<u8>> {
        let byte = self.peek(stream)?;
        let open = self.open_stream(stream)?;
        if open.pushed.take().is_none() && byte.is_some() {
            open.position += 1;
        }
        Ok(byte)
    }

    pub(super) fn input_function(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
    ) -> Checked<Value> {
        use Library::*;
        let index = match function {
            Getchar => None,
            Ungetc => Some(1),
            Fgets => Some(2),
            Fread => Some(3),
            _ => Some(0),
        };
        let stream = match index {
            None => Stream::INPUT,
            Some(index) => self.stream(argument(arguments, index)?)?,
        };
        self.disturb_errno()?;
        match function {
            Getchar | Fgetc => Ok(Value::int(self.next_byte(stream)?.map_or(EOF, i64::from))),
            Ungetc => self.push_back(stream, argument(arguments, 0)?),
            Fgets => self.read_line(stream, argument(arguments, 0)?, argument(arguments, 1)?),
            _ => {
                let (size, count) = (argument(arguments, 1)?.low, argument(arguments, 2)?.low);
                self.read_elements(stream, argument(arguments, 0)?, size, count)
            }
        }
    }

    /// C11 7.21.7.10: one character can be pushed back for certain.
    fn push_back(&mut self, stream: Stream, character: Value) -> Checked<Value> {
        if character.high != 0 {
            return underspecified::tainted(character, "a character that depends on an address");
        }
        self.record_stream(stream, true);
        if character.low as i64 == EOF {
            return Ok(Value::int(EOF));
        }
        let open = self.open_stream(stream)?;
        if open.pushed.is_some() {
            return unsupported("ungetc of a second character");
        }
        if !open.reads || open.last == Last::Output {
            return unsupported("ungetc on a stream that is written");
        }
        let byte = character.low as u8;
        open.pushed = Some(byte);
        open.ended = false;
        open.last = Last::Input;
        Ok(Value::int(i64::from(byte)))
    }

    /// C11 7.21.7.2: at the end of the input the array stays as it is.
    fn read_line(&mut self, stream: Stream, to: Value, room: Value) -> Checked<Value> {
        self.check_area(to)?;
        if (room.low as i64) < 2 {
            return unsupported("fgets without room for a character");
        }
        let mut line = Vec::new();
        while (line.len() as u64) < room.low - 1 && line.last() != Some(&b'\n') {
            match self.next_byte(stream)? {
                Some(byte) => line.push(byte),
                None => break,
            }
        }
        if line.is_empty() {
            return Ok(Value::default());
        }
        line.push(0);
        self.write_bytes(to, &line)?;
        Ok(to)
    }

    /// C11 7.21.8.1: an element that is not complete has no value.
    fn read_elements(
        &mut self,
        stream: Stream,
        to: Value,
        size: u64,
        count: u64,
    ) -> Checked<Value> {
        self.check_area(to)?;
        let Some(wanted) = size.checked_mul(count) else {
            return undefined(UbKind::OutOfBounds, "the size of the area overflows");
        };
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < wanted {
            match self.next_byte(stream)? {
                Some(byte) => bytes.push(byte),
                None => break,
            }
        }
        if bytes.is_empty() {
            return Ok(Value::default());
        }
        let read = bytes.len() as u64;
        self.write_bytes(to, &bytes)?;
        let complete = read / size;
        if !read.is_multiple_of(size) {
            let start = self.memory.locate(to, read, 1)?;
            // The whole element, as far as the object goes.
            let end = self.memory.slots[start.slot as usize].size;
            let last = start.offset + (complete + 1) * size;
            for offset in start.offset + complete * size..last.min(end) {
                self.memory.forget_byte(Location { offset, ..start });
            }
        }
        Ok(Value { low: complete, high: 0 })
    }

    /// What opens, closes, positions and asks.
    pub(super) fn file_function(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
    ) -> Checked<Value> {
        use Library::*;
        let first = || argument(arguments, 0);
        match function {
            Fopen => {
                let opened = self.open_file(first()?, argument(arguments, 1)?)?;
                match opened {
                    Some(open) => self.new_stream(open),
                    None => Ok(Value::default()),
                }
            }
            Tmpfile => {
                if self.options().files.is_none() {
                    return unsupported("tmpfile, where nothing is known of files");
                }
                self.files.contents.push(Vec::new());
                let store = Store::File(self.files.contents.len() - 1);
                self.new_stream(OpenStream::new(store, true, true))
            }
            Freopen => self.reopen(arguments),
            Remove => self.remove_file(first()?),
            Rename => self.rename_file(first()?, argument(arguments, 1)?),
            Fflush if matches!(first()?, Value { low: 0, high: 0 }) => {
                self.flushed = self.output.len();
                Ok(Value::int(0))
            }
            _ => {
                let pointer = first()?;
                let stream = self.stream(pointer)?;
                self.record_stream(stream, !matches!(function, Feof | Ferror));
                self.stream_function(function, pointer, stream, arguments)
            }
        }
    }

    /// The output of a stream is certainly written.
    fn note_flushed(&mut self, stream: Stream) {
        if stream == Stream::OUTPUT {
            self.flushed = self.output.len();
        }
    }

    fn stream_function(
        &mut self,
        function: Library,
        pointer: Value,
        stream: Stream,
        arguments: Arguments<'_>,
    ) -> Checked<Value> {
        use Library::*;
        let open = self.open_stream(stream)?;
        match function {
            Feof => Ok(Value::int(i64::from(open.ended))),
            Ferror => Ok(Value::int(i64::from(open.failed))),
            Clearerr => {
                (open.ended, open.failed) = (false, false);
                Ok(Value::default())
            }
            Fflush if !open.writes || open.last == Last::Input => undefined(
                UbKind::BadStream,
                "fflush of a stream that is read, or of which input was the last operation",
            ),
            Fflush => {
                open.last = Last::Between;
                self.note_flushed(stream);
                Ok(Value::int(0))
            }
            Fclose => {
                self.note_flushed(stream);
                self.files.streams[stream.0 as usize] = None;
                let (slot, _) = self.memory.slot_of(pointer.high).expect("it is a stream");
                self.memory.kill(slot);
                self.disturb_errno()?;
                Ok(Value::int(0))
            }
            Rewind => {
                self.seek(stream, 0, SEEK_SET)?;
                self.open_stream(stream)?.failed = false;
                Ok(Value::default())
            }
            Fseek => {
                let (offset, whence) = (argument(arguments, 1)?, argument(arguments, 2)?);
                if offset.high != 0 {
                    return underspecified::tainted(
                        offset,
                        "a position that depends on an address",
                    );
                }
                self.seek(stream, offset.low as i64, whence.low as i64)
            }
            Ftell => Ok(Value::int(self.position_of(stream)?)),
            Fgetpos => {
                let position = self.position_of(stream)?;
                self.store_position(argument(arguments, 1)?, position)?;
                Ok(Value::int(0))
            }
            Fsetpos => {
                let position = self.load_position(argument(arguments, 1)?)?;
                self.seek(stream, position, SEEK_SET)
            }
            _ => self.set_buffer(function, stream, arguments),
        }
    }

    /// The name of a file. Those outside the directory of the program are not known.
    fn file_name(&self, pointer: Value) -> Checked<Vec<u8>> {
        let name = self.string(pointer)?;
        if self.options().files.is_none() {
            let name = String::from_utf8_lossy(&name);
            return unsupported(format!("the file `{name}`, where nothing is known of files"));
        }
        if self.files.names.contains_key(&name) || !name.contains(&b'/') && !name.is_empty() {
            return Ok(name);
        }
        let name = String::from_utf8_lossy(&name);
        unsupported(format!("the file `{name}`, which --file does not give"))
    }

    /// C11 7.21.5.3: what a mode means; nothing if the file is not there.
    fn open_file(&mut self, name: Value, mode: Value) -> Checked<Option<OpenStream>> {
        let mode = self.string(mode)?;
        let Some((&kind @ (b'r' | b'w' | b'a'), rest)) = mode.split_first() else {
            return bad_mode(&mode);
        };
        if rest.iter().any(|letter| b"cem,".contains(letter)) {
            return unsupported("this mode of fopen");
        }
        let exclusive = kind == b'w' && rest.contains(&b'x');
        let plain: Vec<u8> = rest.iter().copied().filter(|c| !exclusive || *c != b'x').collect();
        if !matches!(plain.as_slice(), b"" | b"b" | b"+" | b"b+" | b"+b") {
            return bad_mode(&mode);
        }
        let update = plain.contains(&b'+');
        let name = self.file_name(name)?;
        let found = self.files.names.get(&name).copied();
        let file = match (found, kind) {
            (None, b'r') => {
                self.fail(ENOENT)?;
                return Ok(None);
            }
            (Some(_), _) if exclusive => {
                self.fail(EEXIST)?;
                return Ok(None);
            }
            (Some(file), _) => file,
            (None, _) => {
                self.files.contents.push(Vec::new());
                let file = self.files.contents.len() - 1;
                self.files.names.insert(name, file);
                file
            }
        };
        if kind == b'w' {
            self.files.size -= self.files.contents[file].len();
            self.files.contents[file].clear();
        }
        self.disturb_errno()?;
        let mut open = OpenStream::new(Store::File(file), kind == b'r' || update, true);
        open.writes = kind != b'r' || update;
        open.appends = kind == b'a';
        Ok(Some(open))
    }

    fn new_stream(&mut self, open: OpenStream) -> Checked<Value> {
        let number = self.files.streams.len() as u32;
        let slot = self.memory.allocate(Origin::Stream(Stream(number)), 0, 16, None)?;
        self.files.streams.push(Some(open));
        Ok(self.memory.pointer_to(slot))
    }

    /// C11 7.21.5.4: the stream is closed, and opened again with another file.
    fn reopen(&mut self, arguments: Arguments<'_>) -> Checked<Value> {
        let pointer = argument(arguments, 2)?;
        let stream = self.stream(pointer)?;
        let name = argument(arguments, 0)?;
        if (name.low, name.high) == (0, 0) {
            return unsupported("freopen without a name");
        }
        self.files.streams[stream.0 as usize] = None;
        let opened = self.open_file(name, argument(arguments, 1)?)?;
        let success = opened.is_some();
        self.files.streams[stream.0 as usize] = opened;
        Ok(if success { pointer } else { Value::default() })
    }

    fn remove_file(&mut self, name: Value) -> Checked<Value> {
        let name = self.file_name(name)?;
        match self.files.names.remove(&name) {
            Some(_) => Ok(Value::int(0)),
            None => {
                self.fail(ENOENT)?;
                Ok(Value::int(-1))
            }
        }
    }

    /// C11 7.21.4.2: what happens to a file that has the new name already is left open.
    fn rename_file(&mut self, old: Value, new: Value) -> Checked<Value> {
        let (old, new) = (self.file_name(old)?, self.file_name(new)?);
        if self.files.names.contains_key(&new) {
            return unsupported("rename to a file that exists");
        }
        match self.files.names.remove(&old) {
            Some(file) => {
                self.files.names.insert(new, file);
                Ok(Value::int(0))
            }
            None => {
                self.fail(ENOENT)?;
                Ok(Value::int(-1))
            }
        }
    }

    fn seek(&mut self, stream: Stream, offset: i64, whence: i64) -> Checked<Value> {
        if stream.0 <= Stream::ERROR.0 {
            return unsupported("the position of a standard stream");
        }
        let open = self.open_stream(stream)?;
        let Store::File(file) = open.store else {
            return unsupported("the position of this stream");
        };
        let pushed = i64::from(open.pushed.is_some());
        let base = match whence {
            SEEK_SET => 0,
            SEEK_CURRENT if pushed != 0 => {
                return unspecified(Cause::Library, "the position after ungetc is left open");
            }
            SEEK_CURRENT => open.position as i64,
            SEEK_END => self.files.contents[file].len() as i64,
            _ => return unsupported("this kind of position"),
        };
        match base.checked_add(offset) {
            Some(position @ 0..=0x7fff_ffff) => {
                let open = self.open_stream(stream)?;
                open.position = position as usize;
                (open.pushed, open.ended, open.last) = (None, false, Last::Between);
                Ok(Value::int(0))
            }
            Some(0..) | None => unsupported("a position so far in a file"),
            Some(_) => {
                self.fail(EINVAL)?;
                Ok(Value::int(-1))
            }
        }
    }

    fn position_of(&mut self, stream: Stream) -> Checked<i64> {
        if stream.0 <= Stream::ERROR.0 {
            return unsupported("the position of a standard stream");
        }
        let open = self.open_stream(stream)?;
        if open.pushed.is_some() {
            return unspecified(Cause::Library, "the position after ungetc is left open");
        }
        if open.appends && open.last == Last::Opened {
            return unspecified(
                Cause::Library,
                "the first position of a stream that appends is left open",
            );
        }
        Ok(open.position as i64)
    }

    /// A position in the first bytes of an `fpos_t`.
    fn store_position(&mut self, to: Value, position: i64) -> Checked {
        let at = self.memory.locate(to, 8, 1)?;
        self.check_writable(at)?;
        self.memory.write(at, 8, position as u128, 0)
    }

    fn load_position(&self, from: Value) -> Checked<i64> {
        let at = self.memory.locate(from, 8, 1)?;
        Ok(self.memory.read(at, 8)?.0 as i64)
    }

    /// C11 7.21.5.6: the contents of the buffer are indeterminate from now on.
    fn set_buffer(
        &mut self,
        function: Library,
        stream: Stream,
        arguments: Arguments<'_>,
    ) -> Checked<Value> {
        const BUFSIZ: u64 = 8192;
        if self.open_stream(stream)?.last != Last::Opened {
            return unsupported("the buffer of a stream that is in use");
        }
        let buffer = argument(arguments, 1)?;
        let size = match function {
            Library::Setvbuf => argument(arguments, 3)?.low,
            _ => BUFSIZ,
        };
        if (buffer.low, buffer.high) != (0, 0) {
            let at = self.memory.locate(buffer, size, 1)?;
            self.check_writable(at)?;
            for offset in 0..size {
                self.memory.forget_byte(at.plus(offset));
            }
        }
        let mode = argument(arguments, 2).map_or(0, |mode| mode.low);
        if function == Library::Setvbuf && mode > 2 {
            return unsupported("this mode of setvbuf");
        }
        Ok(Value::int(0))
    }
}

/// The numbers of every system.
const SEEK_SET: i64 = 0;
const SEEK_CURRENT: i64 = 1;
const SEEK_END: i64 = 2;

fn bad_mode<T>(mode: &[u8]) -> Checked<T> {
    let mode = String::from_utf8_lossy(mode);
    undefined(UbKind::BadStream, format!("`{mode}` is no mode of fopen"))
}
