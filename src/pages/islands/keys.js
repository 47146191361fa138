// Keys for what the page shows already: while nobody types, the key named in `data-key` presses that link or button.

import { openSheet, tellKeys } from "./sheet.js";

/** Hears keys for the whole page; called once however many parts of the page name keys. */
export function start(root) {
  if (document.documentElement.dataset.keys !== undefined) return;
  document.documentElement.dataset.keys = "";
  for (const element of document.querySelectorAll("[data-key]")) {
    element.setAttribute("aria-keyshortcuts", element.dataset.key);
    element.title = `Key: ${element.dataset.key}`;
  }
  tellKeys(() =>
    [...document.querySelectorAll("[data-key]")].map((each) => [each.dataset.key, each.textContent.trim()]),
  );
  root.append(" ", sheetButton());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select, dialog, [contenteditable]"))
      return;
    const key = CSS.escape(event.key.toLowerCase());
    const target = document.querySelector(`[data-key="${key}"]`);
    if (target === null) return;
    event.preventDefault();
    target.click();
  });
}

function sheetButton() {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "plain";
  made.textContent = "Keys: ?";
  made.addEventListener("click", openSheet);
  return made;
}
