// Runs before the first paint. Two jobs: the chosen theme, and a panel if the console cannot start.
(function () {
  "use strict";
  var root = document.documentElement;
  try {
    var theme = localStorage.getItem("gbac-theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch (error) {
    // Storage can be switched off; the system's theme is used then.
  }

  var started = false;
  function fail(why) {
    if (started) return;
    var panel = document.getElementById("failed");
    if (!panel) return;
    panel.hidden = false;
    document.getElementById("failed-why").textContent = why.replace(/\.?$/, ".");
    var waiting = document.querySelector("#app .boot");
    if (waiting) waiting.remove();
  }
  addEventListener("TrunkApplicationStarted", function () { started = true; });
  addEventListener("unhandledrejection", function (event) { fail(String(event.reason)); });
  // Capturing, because a script that cannot be fetched fires an error that does not bubble.
  addEventListener("error", function (event) {
    var target = event.target;
    if (event.message) fail(event.message);
    else if (target && (target.tagName === "SCRIPT" || target.tagName === "LINK")) {
      fail("A part of it could not be fetched: " + (target.src || target.href || "the program"));
    }
  }, true);
  if (typeof WebAssembly !== "object") {
    addEventListener("DOMContentLoaded", function () { fail("This browser has no WebAssembly, or it is switched off"); });
  }
})();
