//! What `farrier check --trace` says: a line for each volatile access and each call.

use std::collections::BTreeMap;

use farrier_lang::Program;
use farrier_machine::{Action, Event};

use crate::terminal::{Talk, locate};

/// Places that were found already: the same few come again and again.
type Places = BTreeMap<(u32, u32), String>;

/// What to call with each event, as it happens.
pub(super) fn observer(program: &Program, talk: Talk) -> impl FnMut(&Event) {
    let mut places = Places::new();
    move |event| talk.trace(&line(program, &mut places, event))
}

fn line(program: &Program, places: &mut Places, event: &Event) -> String {
    let what = match &event.action {
        Action::Read { object, value } => format!("volatile read: {object} is {value}"),
        Action::Write { object, value } => format!("volatile write: {object} = {value}"),
        Action::Call { function, arguments } => {
            format!("call: {function}({})", arguments.join(", "))
        }
    };
    let Some(span) = event.at.span(program) else { return what };
    let place = places.entry((span.start, span.end)).or_insert_with(|| {
        locate(&program.sources, span)
            .map(|found| format!("{}:{}:{}: ", found.file, found.line, found.column))
            .unwrap_or_default()
    });
    format!("{place}{what}")
}
