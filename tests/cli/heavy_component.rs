//! Components that take long to compile, or much memory: a guest with a second module that is never called.

/// Functions of the module, and how often each multiplies and adds.
const FUNCTIONS: usize = 200;
const ROUNDS: usize = 2_000;

/// Compiles in about a second where the guest itself takes a tenth of one.
pub(crate) fn heavy(component: &[u8]) -> Vec<u8> {
    heavier(component, 1)
}

/// Compiles in some more seconds.
pub(crate) fn heavier(component: &[u8], times: usize) -> Vec<u8> {
    let functions = FUNCTIONS * times;
    let mut module = b"\0asm\x01\0\0\0".to_vec();
    // One type, from a number to a number.
    section(&mut module, 1, &[1, 0x60, 1, 0x7f, 1, 0x7f]);
    let mut types = leb(functions);
    types.resize(types.len() + functions, 0);
    section(&mut module, 3, &types);
    let mut code = leb(functions);
    for function in 0..functions {
        // No locals; `local.get 0`, then `i32.const n; i32.mul; local.get 0; i32.add` again and again.
        let mut body = vec![0, 0x20, 0];
        for round in 0..ROUNDS {
            body.extend([0x41, ((function + round) % 64) as u8, 0x6c, 0x20, 0, 0x6a]);
        }
        body.push(0x0b);
        code.extend(leb(body.len()));
        code.extend(body);
    }
    section(&mut module, 10, &code);
    with_module(component, &module)
}

/// The same component as no run before has compiled it: the tests share a folder of compiled components.
#[cfg(target_os = "linux")]
pub(crate) fn unseen(component: &[u8]) -> Vec<u8> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let mut whole = component.to_vec();
    // Section 0 is a custom one: a name, and whatever follows.
    section(&mut whole, 0, &[&[4], &b"time"[..], &now.as_nanos().to_le_bytes()].concat());
    whole
}

/// Carries this many bytes of data.
pub(crate) fn with_data(component: &[u8], bytes: usize) -> Vec<u8> {
    let mut module = b"\0asm\x01\0\0\0".to_vec();
    // One memory of as many pages.
    let pages = leb(bytes.div_ceil(64 << 10));
    section(&mut module, 5, &[&[1, 0][..], &pages].concat());
    // One segment, from `i32.const 0`.
    let mut data = vec![1, 0, 0x41, 0, 0x0b];
    data.extend(leb(bytes));
    data.resize(data.len() + bytes, b'x');
    section(&mut module, 11, &data);
    with_module(component, &module)
}

fn with_module(component: &[u8], module: &[u8]) -> Vec<u8> {
    let mut whole = component.to_vec();
    // Section 1 of a component is a core module.
    section(&mut whole, 1, module);
    whole
}

fn section(to: &mut Vec<u8>, id: u8, content: &[u8]) {
    to.push(id);
    to.extend(leb(content.len()));
    to.extend(content);
}

fn leb(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        bytes.push(if number == 0 { low } else { low | 0x80 });
        if number == 0 {
            return bytes;
        }
    }
}
