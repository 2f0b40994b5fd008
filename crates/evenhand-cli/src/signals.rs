//! A signal that ends a command, SIGINT (Ctrl-C) or SIGTERM: nothing temporary stays behind.

/// From now on, what is temporary is removed before a signal ends the process as it would have without us.
#[cfg(unix)]
pub(crate) fn watch() {
    use std::sync::Once;
    use std::thread;

    use evenhand::scratch;
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Where it cannot be done, a signal ends the process at once, and the next start cleans up.
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
        thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                scratch::abandon();
                let _ = emulate_default_handler(signal);
            }
        });
    });
}

/// There are no such signals here: the next start cleans up what it can.
#[cfg(not(unix))]
pub(crate) fn watch() {}
