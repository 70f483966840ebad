// Reloads the page when `cargo xtask dev` has finished another build.
new EventSource('/dev/builds').onmessage = (event) => {
  if (event.data !== BUILD) location.reload();
};
