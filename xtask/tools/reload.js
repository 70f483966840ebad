// Loads the page again once `cargo xtask dev` has built another one than this.
new EventSource('/dev/builds').onmessage = (event) => {
  if (event.data !== BUILD) location.reload();
};
