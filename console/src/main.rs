//! Starts the console in the page that loaded it.

fn main() {
    gbac_console::app::mount();
}
