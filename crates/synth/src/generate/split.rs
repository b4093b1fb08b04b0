//! One program as several files, so that values do not leak from where they are set to
//! where they are used: the tests see nothing but declarations of the globals.

use farrier_lang::print::{PrintOptions, print, print_items};
use farrier_lang::{Entity, Item, Linkage, Program, SourceText};

/// The text of a program: in one file, or in a driver and `parts` files of tests.
pub(super) fn files(program: &Program, parts: u32, options: &PrintOptions) -> Vec<SourceText> {
    if parts == 0 {
        let text = print(program, options);
        return vec![SourceText::new("test.c", text)];
    }
    let functions = program.items.iter().filter(|item| is_test(program, **item)).count();
    let parts = parts as usize;
    let mut out = Vec::new();
    for part in 0..=parts {
        // The driver is the part after the last.
        let driver = part == parts;
        let mut number = 0;
        let mut items = Vec::new();
        for item in &program.items {
            let here = if is_test(program, *item) {
                let owner = number * parts / functions.max(1);
                number += 1;
                owner == part
            } else {
                driver
            };
            items.extend(share(program, *item, here));
        }
        let name = if driver { "driver.c".to_owned() } else { format!("test{}.c", part + 1) };
        out.push(SourceText::new(name, print_items(program, &items, options)));
    }
    out
}

/// Whether an item is a function that is not the business of the driver.
fn is_test(program: &Program, item: Item) -> bool {
    match item {
        Item::Define(Entity::Function(id)) => {
            let function = &program[id];
            function.linkage == Linkage::External && !program.is_main(id)
        }
        _ => false,
    }
}

/// What a file has of an item that it defines, or does not.
fn share(program: &Program, item: Item, here: bool) -> Option<Item> {
    let internal = |linkage| linkage == Linkage::Internal;
    match item {
        Item::Define(Entity::Object(id)) if !here => {
            (!internal(program[id].linkage)).then_some(Item::Declare(Entity::Object(id)))
        }
        Item::Define(Entity::Function(id)) if !here => (!program.is_main(id)
            && !internal(program[id].linkage))
        .then_some(Item::Declare(Entity::Function(id))),
        _ => Some(item),
    }
}
